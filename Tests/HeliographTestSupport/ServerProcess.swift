import Foundation
import Heliograph
import HeliographTesting
import TestSupport

/// A server's program on loopback, with a process, a folder and ports of its own.
///
/// It ends, and its folder with it, with its last reference, and also when the test process dies: a shell in between waits
/// for the end of its input.
package final class ServerProcess: Sendable {
  /// The folder of its files, which its configuration may name.
  package let folder: URL
  package let ports: [UInt16]
  private let lifeline: FileHandle

  /// How a server is started.
  package struct Plan {
    /// The program, and the name of its folder.
    package let program: URL?
    package let portCount: Int
    /// The signal that ends it; `TERM` for a program whose own children have to end with it.
    package var signal = "KILL"
    /// Writes its configuration into the folder and returns its arguments.
    package let arguments: (_ folder: URL, _ ports: [UInt16]) throws -> [String]
    /// An address where it serves `files/greeting`, or the same text: the name of its folder.
    ///
    /// A server of another test on the same port would serve another name.
    package let greeting: (_ ports: [UInt16]) -> String

    package init(
      program: URL?, portCount: Int, signal: String = "KILL",
      arguments: @escaping (_ folder: URL, _ ports: [UInt16]) throws -> [String],
      greeting: @escaping (_ ports: [UInt16]) -> String
    ) {
      self.program = program
      self.signal = signal
      self.portCount = portCount
      self.arguments = arguments
      self.greeting = greeting
    }
  }

  /// Why it did not start: its messages.
  package struct Failure: Error {
    package let log: String

    package init(log: String) {
      self.log = log
    }
  }

  // Ends the program when its own input ends, by us or by our own end.
  private static let script = """
    exec 3<&0
    signal=$1
    shift
    "$@" 3<&- &
    read -r line <&3
    kill -"$signal" $!
    wait $!
    exec rm -rf "$0"
    """

  /// Starts a server; it is listening when this returns.
  ///
  /// - Throws: when a port, a file or the program cannot be had.
  package static func start(_ plan: Plan) async throws -> ServerProcess {
    var last = try ServerProcess(plan)
    // Another process may take a port between us and the server: then others are tried.
    for _ in 0..<4 {
      if try await last.answers(plan) { return last }
      last = try ServerProcess(plan)
    }
    guard try await last.answers(plan) else { throw Failure(log: last.log) }
    return last
  }

  private init(_ plan: Plan) throws {
    let name = plan.program?.lastPathComponent ?? "server"
    folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("\(name)-\(UUID().uuidString)")
    // What most of them serve.
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("files"), withIntermediateDirectories: true)
    try Data(folder.lastPathComponent.utf8).write(to: folder.appendingPathComponent("files/greeting"))
    let servers = try (0..<plan.portCount).map { _ in try LoopbackServer() }
    ports = servers.map(\.port)
    for server in servers { server.stop() }
    let arguments = try plan.arguments(folder, ports)
    let log = folder.appendingPathComponent("log")
    try Data().write(to: log)
    let errors = try FileHandle(forWritingTo: log)
    let input = Pipe()
    lifeline = input.fileHandleForWriting
    let shell = try Child(
      "/bin/sh", ["-c", ServerProcess.script, folder.path, plan.signal, plan.program?.path ?? ""] + arguments,
      input: input.fileHandleForReading, errors: errors)
    try input.fileHandleForReading.close()
    try errors.close()
    // blocks: a thread of its own.
    Thread.detachNewThread { shell.waitBlocking() }
  }

  deinit { try? lifeline.close() }

  /// Its messages.
  package var log: String { (try? String(contentsOf: folder.appendingPathComponent("log"), encoding: .utf8)) ?? "" }

  private func answers(_ plan: Plan) async throws -> Bool {
    let greeting = plan.greeting(ports)
    guard let url = URL(string: greeting) else { throw URLError(.badURL) }
    // `URLSession` trusts no authority of ours, but needs none in the clear.
    let transport: any Transport =
      CurlTransport.isAvailable ? try CurlTransport(try secureSettings()) : URLSessionTransport()
    // Five seconds at least, and more on a busy machine.
    for _ in 0..<500 {
      let recorder = SignalRecorder(transport.send(HTTPRequest(url: url, idleTimeout: .seconds(30))))
      await recorder.waitForEnd()
      if recorder.values.body == Data(folder.lastPathComponent.utf8) { return true }
      // Another server has the port.
      if recorder.failure?.code == .timedOut { return false }
      // sleeps: not every server tells when it is ready.
      try await Task.sleep(for: .milliseconds(10))
    }
    return false
  }
}
