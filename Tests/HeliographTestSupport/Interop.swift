import Foundation

/// What the environment says about the tests with real servers.
package enum Interop {
  /// Whether they run: `.ci/interop` sets it.
  package static let isWanted = ProcessInfo.processInfo.environment["HELIOGRAPH_INTEROP"] != nil
}
