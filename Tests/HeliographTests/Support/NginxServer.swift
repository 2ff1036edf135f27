import Foundation
import Heliograph
import HeliographTesting

/// A real nginx on loopback, with TLS and HTTP/2, for machines that have nginx and openssl.
///
/// It ends with its last reference, and also when the test process dies: a shell in between waits for the end of its input.
final class NginxServer: Sendable {
  static let program = Certificates.find("nginx")
  static var isAvailable: Bool { program != nil && Certificates.openssl != nil }

  /// Where its files are; `files/` below is served.
  let folder: URL
  let ports: Ports
  private let run: Run

  /// The ports, in the order of the configuration.
  struct Ports: Sendable {
    /// TLS with HTTP/2 where the client speaks it.
    let secure: UInt16
    /// The same, but every connection is closed after three requests.
    let brief: UInt16
    /// The same, but every connection is closed after fifty requests.
    let few: UInt16
    /// TLS that requires a client's certificate.
    let client: UInt16
    /// TLS with a certificate that has expired.
    let expired: UInt16
    /// TLS with a certificate of another authority.
    let foreign: UInt16
    /// In the clear; every connection is closed after three requests.
    let plain: UInt16

    init() throws {
      let servers = try (0..<7).map { _ in try LoopbackServer() }
      (secure, brief, client) = (servers[0].port, servers[1].port, servers[2].port)
      (expired, foreign, plain) = (servers[3].port, servers[4].port, servers[5].port)
      few = servers[6].port
      for server in servers { server.stop() }
    }
  }

  /// Starts it; it is listening when this returns.
  ///
  /// - Parameter upstream: the port of the server that answers what is below `/upstream/`.
  /// - Throws: when a port, a file or the program cannot be had.
  init(upstream: LoopbackServer? = nil) async throws {
    var last = try NginxServer.start(upstream)
    // Somebody may take a port between us and nginx: then others are tried.
    for _ in 0..<4 where await !last.run.isListening() { last = try NginxServer.start(upstream) }
    guard await last.run.isListening() else { throw Failure(log: last.run.log) }
    (folder, ports, run) = last
  }

  /// Each in a folder of its own, which goes with it.
  private static func start(_ upstream: LoopbackServer?) throws -> (folder: URL, ports: Ports, run: Run) {
    let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("nginx-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("files"), withIntermediateDirectories: true)
    let ports = try Ports()
    return (folder, ports, try Run(folder, configuration(folder, ports, upstream?.port)))
  }

  deinit {
    run.stop()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Why it did not start, in its own words.
  struct Failure: Error {
    let log: String
  }

  /// The address of a path on one of its ports.
  func address(_ port: KeyPath<Ports, UInt16>, _ path: String = "/", host: String = "localhost") -> String {
    "\(port == \.plain ? "http" : "https")://\(host):\(ports[keyPath: port])\(path)"
  }

  /// The path of the Unix socket that it listens on, in the clear.
  var socketPath: String { folder.path + "/nginx.sock" }

  func url(_ port: KeyPath<Ports, UInt16>, _ path: String = "/") throws -> URL {
    guard let url = URL(string: address(port, path)) else { throw URLError(.badURL) }
    return url
  }

  /// Puts a file where it is served as `/files/<name>`, and as `/text/<name>` compressed.
  func serve(_ name: String, _ data: Data) throws {
    try data.write(to: folder.appendingPathComponent("files").appendingPathComponent(name))
  }
}

/// A running nginx and what it says.
private final class Run: Sendable {
  private struct State {
    var log = ""
    var isListening: Bool?
    var waiters: [CheckedContinuation<Bool, Never>] = []
  }

  // Ends nginx when its input ends, by us or by our own end.
  private static let script = """
    exec 3<&0
    "$0" -p "$1" -c nginx.conf 3<&- &
    read -r line <&3
    kill -KILL $!
    exec rm -rf "$1"
    """

  private let state = Guarded(State())
  private let lifeline: FileHandle
  private let messages: FileHandle

  init(_ folder: URL, _ configuration: String) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(configuration.utf8).write(to: folder.appendingPathComponent("nginx.conf"))
    let (input, output) = (Pipe(), Pipe())
    lifeline = input.fileHandleForWriting
    messages = output.fileHandleForReading
    let shell = try Child(
      "/bin/sh", ["-c", Run.script, NginxServer.program?.path ?? "", folder.path],
      input: input.fileHandleForReading, errors: output.fileHandleForWriting)
    try input.fileHandleForReading.close()
    try output.fileHandleForWriting.close()
    // A thread of its own, until nginx has ended: with a readability handler, Dispatch crashes now and then on Linux when
    // the pipe goes away.
    Thread.detachNewThread { [messages, run = Weak(self)] in
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        // Foundation's own reading ends the process when a signal interrupts it.
        let count = read(messages.fileDescriptor, &buffer, buffer.count)
        if count < 0 && errno == EINTR { continue }
        run.run?.receive(String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self))
        if count > 0 { continue }
        shell.wait()
        return
      }
    }
  }

  private struct Weak: Sendable {
    weak let run: Run?
    init(_ run: Run) { self.run = run }
  }

  var log: String { state.withLock { $0.log } }

  func stop() { try? lifeline.close() }

  /// The last thing it says before it serves is how many files it may open, and all sockets are listening then.
  private func receive(_ text: String) {
    let (waiters, isListening) = state.withLock { state in
      state.log += text
      if state.isListening == nil {
        if text.isEmpty || state.log.contains("[emerg]") { state.isListening = false }
        if state.log.contains("RLIMIT_NOFILE") { state.isListening = true }
      }
      guard let isListening = state.isListening else { return ([CheckedContinuation<Bool, Never>](), false) }
      defer { state.waiters = [] }
      return (state.waiters, isListening)
    }
    for waiter in waiters { waiter.resume(returning: isListening) }
  }

  func isListening() async -> Bool {
    await withCheckedContinuation { continuation in
      let known = state.withLock { state in
        if state.isListening == nil { state.waiters.append(continuation) }
        return state.isListening
      }
      if let known { continuation.resume(returning: known) }
    }
  }
}
