import Foundation
import Heliograph

/// A process of its own for tests of what happens to all of a process: its end, its descriptors, its threads.
///
/// The first argument names the task, the others are its own. The status is 0 if all went well.
@main
enum Main {
  static func main() async {
    do {
      try await run()
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  private static func run() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst(2))
    switch CommandLine.arguments.dropFirst().first {
    case "archive": try await Archiving(arguments).run()
    case "leave": try await Leaving(arguments).run()
    case "drop": try await Dropping(arguments).run()
    case "storm": try await Storming(arguments).run()
    case "mix": try await Mixing(arguments).run()
    case "inherit": try await Inheriting(arguments).run()
    case "fetch": try await Fetching(arguments).run()
    case "store": try Storing(arguments).run()
    case "deny": try Denying(arguments).run()
    case "download": try await Downloading(arguments).run()
    case "inspect": try await Inspecting().run()
    case "tunnel": try await Tunnelling(arguments).run()
    case "look-up": try await LookingUp(arguments).run()
    case "trust": try await Trusting(arguments).run()
    #if os(Linux)
    case "starve": try await Starving(arguments).run()
    #endif
    default: throw Failure("unknown task")
    }
  }
}

/// Why a task cannot be done.
struct Failure: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}

/// Arguments by position.
extension [String] {
  func text(_ index: Int) throws -> String {
    guard indices.contains(index) else { throw Failure("argument \(index) is missing") }
    return self[index]
  }

  func number(_ index: Int) throws -> Int {
    guard let number = Int(try text(index)) else { throw Failure("argument \(index) is not a number") }
    return number
  }

  func url(_ index: Int) throws -> URL {
    guard let url = URL(string: try text(index)) else { throw Failure("argument \(index) is not an address") }
    return url
  }
}
