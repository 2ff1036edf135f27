import Foundation
import Heliograph
import HeliographTesting

/// A real HAProxy on loopback, which answers by itself and closes before a request has been sent, for machines that have it.
///
/// It ends with its last reference, and also when the test process dies: a shell in between waits for the end of its input.
final class HAProxyServer: Sendable {
  static let program = Certificates.find("haproxy")
  static var isAvailable: Bool { program != nil && Certificates.openssl != nil }

  /// A running one.
  private struct Run {
    let lifeline: FileHandle
    let secure: UInt16
    let plain: UInt16
  }

  private let run: Run

  private static let script = """
    exec 3<&0
    "$0" -db -q -f "$1/haproxy.cfg" 3<&- &
    read -r line <&3
    kill -KILL $!
    exec rm -rf "$1"
    """

  /// Starts it; it is listening when this returns.
  ///
  /// - Throws: when a port, a file or the program cannot be had.
  init() async throws {
    var last = try HAProxyServer.start()
    // Somebody may take a port between us and it: then others are tried.
    for _ in 0..<4 {
      if try await HAProxyServer.isListening(last) { break }
      try last.lifeline.close()
      last = try HAProxyServer.start()
    }
    run = last
  }

  private static func start() throws -> Run {
    let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("haproxy-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let servers = try (0..<2).map { _ in try LoopbackServer() }
    let (secure, plain) = (servers[0].port, servers[1].port)
    for server in servers { server.stop() }
    let pem = try ["site.pem", "site.key"].map { try Data(contentsOf: Certificates.file($0)) }.reduce(Data(), +)
    try pem.write(to: folder.appendingPathComponent("both.pem"))
    try Data(
      """
      defaults
        mode http
        timeout client 20s
        timeout server 20s
        timeout connect 5s
      frontend all
        bind 127.0.0.1:\(secure) ssl crt \(folder.path)/both.pem alpn h2,http/1.1
        bind 127.0.0.1:\(plain)
        http-request deny deny_status 413 if { path_beg /deny }
        http-request return status 200 content-type text/plain string "well"

      """.utf8
    ).write(to: folder.appendingPathComponent("haproxy.cfg"))
    let input = Pipe()
    let shell = try Child(
      "/bin/sh", ["-c", HAProxyServer.script, HAProxyServer.program?.path ?? "", folder.path],
      input: input.fileHandleForReading)
    try input.fileHandleForReading.close()
    Thread.detachNewThread { shell.wait() }
    return Run(lifeline: input.fileHandleForWriting, secure: secure, plain: plain)
  }

  private static func isListening(_ run: Run) async throws -> Bool {
    for _ in 0..<60 {
      let recorder = SignalRecorder(try CurlTransport().send(HTTPRequest(url: try url("/", run, isSecure: false))))
      await recorder.waitForEnd()
      if recorder.values.body == Data("well".utf8) { return true }
      // sleeps: it does not say when it is ready.
      try await Task.sleep(for: .milliseconds(50))
    }
    return false
  }

  deinit { try? run.lifeline.close() }

  func url(_ path: String, isSecure: Bool) throws -> URL { try HAProxyServer.url(path, run, isSecure: isSecure) }

  private static func url(_ path: String, _ run: Run, isSecure: Bool) throws -> URL {
    let origin = isSecure ? "https://localhost:\(run.secure)" : "http://localhost:\(run.plain)"
    guard let url = URL(string: origin + path) else { throw URLError(.badURL) }
    return url
  }
}
