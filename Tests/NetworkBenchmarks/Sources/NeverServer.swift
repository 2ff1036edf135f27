import Foundation
import Heliograph
import HeliographTesting

/// A server that never answers, in a process of its own, which tells when its sockets were closed.
///
/// It is asked in lines: `requests 1000` is answered when so many have come since the last time; `closed 1000` when so
/// many more connections have been closed than were then, with the moment of the last one on the clock that all
/// processes share.
enum NeverServer {
  private static let patience = Duration.seconds(60)

  /// What the process `NetworkBenchmarks serve` does until its standard input ends.
  static func run() async {
    guard let server = try? LoopbackServer() else { fail("the server does not start") }
    server.route("GET", "/**") { _ in .never }
    say("\(server.port)")
    var closedCount = 0
    while let line = readLine() {
      let words = line.split(separator: " ")
      guard words.count == 2, let count = Int(words[1]) else { fail("\(line)?") }
      if words[0] == "requests" {
        let haveCome = await server.wait(for: patience) { $0.requests.count >= count }
        server.forgetRequests()
        say(haveCome ? "come" : "only some have come")
      } else {
        let wanted = closedCount + count
        let first = closedCount
        // All of the earlier rounds are closed already: only the new ones are looked at.
        let areClosed = await server.wait(for: patience) { log in
          log.connections.count >= wanted && log.connections[first...].allSatisfy { $0.closedAt != nil }
        }
        let closed = server.log.connections
        closedCount = closed.count
        guard areClosed, let last = closed[first...].compactMap(\.closedAt).max() else {
          say("only some are closed")
          continue
        }
        say(String(decoding: (try? JSONEncoder().encode([last])) ?? Data(), as: UTF8.self))
      }
    }
    server.stop()
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}

/// The other end of a `NeverServer`, in the process that measures.
final class NeverServerConnection {
  private let process = Process()
  private let (input, output) = (Pipe(), Pipe())
  private var buffered = Data()

  init() {
    process.executableURL = ownProgram
    process.arguments = ["serve"]
    process.standardInput = input
    process.standardOutput = output
    do { try process.run() } catch { fail("the server does not start: \(error)") }
  }

  /// The address that it listens at.
  func start() -> String { "http://127.0.0.1:\(line())/never" }

  /// Returns when so many requests have come.
  func waitForRequests(_ count: Int) {
    let answer = ask("requests \(count)")
    if answer != "come" { fail(answer) }
  }

  /// Returns when so many connections have been closed, with the moment of the last one.
  func waitForCloses(_ count: Int) -> ContinuousClock.Instant {
    let answer = ask("closed \(count)")
    let moments = try? JSONDecoder().decode([ContinuousClock.Instant].self, from: Data(answer.utf8))
    guard let moment = moments?.first else { fail(answer) }
    return moment
  }

  func stop() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  private func ask(_ question: String) -> String {
    input.fileHandleForWriting.write(Data((question + "\n").utf8))
    return line()
  }

  private func line() -> String {
    while true {
      if let end = buffered.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffered = Data(buffered[(end + 1)...]) }
        return String(decoding: buffered[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { fail("the server has gone") }
      buffered += more
    }
  }
}

/// The file of this program.
let ownProgram = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0])
