import Foundation

/// What the environment says about the tests with real servers.
enum Interop {
  /// Whether they run: `.ci/interop` sets it.
  static let isWanted = ProcessInfo.processInfo.environment["HELIOGRAPH_INTEROP"] != nil

  /// A count that the environment may raise for a long run.
  static func count(_ name: String, default count: Int) -> Int {
    ProcessInfo.processInfo.environment["HELIOGRAPH_\(name)"].flatMap(Int.init) ?? count
  }
}
