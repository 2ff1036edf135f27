import Foundation
import Heliograph
import HeliographTesting

/// A real HAProxy on loopback, which answers by itself and closes before a request has been sent, for machines that have it.
///
/// It ends with its last reference, and also when the test process dies: a shell in between waits for the end of its input.
final class HAProxyServer: Sendable {
  static let program = Certificates.find("haproxy")
  static var isAvailable: Bool { program != nil && Certificates.openssl != nil }

  private let folder: URL
  private let lifeline: FileHandle
  /// TLS, with HTTP/2 where the client speaks it.
  let secure: UInt16
  /// In the clear.
  let plain: UInt16

  private static let script = """
    exec 3<&0
    "$0" -db -q -f "$1/haproxy.cfg" 3<&- &
    read -r line <&3
    kill -KILL $!
    exec rm -rf "$1"
    """

  /// Starts it; it is listening when this returns.
  init() async throws {
    folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("haproxy-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let servers = try (0..<2).map { _ in try LoopbackServer() }
    (secure, plain) = (servers[0].port, servers[1].port)
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
        http-request redirect location /other code 307 if { path_beg /redirect }
        http-request return status 200 content-type text/plain string "well"

      """.utf8
    ).write(to: folder.appendingPathComponent("haproxy.cfg"))
    let input = Pipe()
    lifeline = input.fileHandleForWriting
    let shell = try Child(
      "/bin/sh", ["-c", HAProxyServer.script, HAProxyServer.program?.path ?? "", folder.path],
      input: input.fileHandleForReading)
    try input.fileHandleForReading.close()
    Thread.detachNewThread { shell.wait() }
    for _ in 0..<100 {
      let recorder = SignalRecorder(try CurlTransport().send(HTTPRequest(url: try url("/", isSecure: false))))
      await recorder.waitForEnd()
      if recorder.isCompleted { return }
      // sleeps: it does not say when it is ready.
      try await Task.sleep(for: .milliseconds(50))
    }
    throw CocoaError(.executableLoad)
  }

  deinit { try? lifeline.close() }

  func url(_ path: String, isSecure: Bool) throws -> URL {
    guard let url = URL(string: isSecure ? "https://localhost:\(secure)\(path)" : "http://localhost:\(plain)\(path)")
    else { throw URLError(.badURL) }
    return url
  }
}
