import Foundation
import Heliograph
import HeliographInspector

/// The monitors that all clients of the shop have, for a look at what they send.
enum Traffic {
  /// The HAR file, if the environment variable `STOREFRONT_HAR` names one.
  static let har: HARMonitor? = {
    guard let path = ProcessInfo.processInfo.environment["STOREFRONT_HAR"] else { return nil }
    do throws(NetworkError) {
      return try HARMonitor(file: URL(fileURLWithPath: path))
    } catch {
      FileHandle.standardError.write(Data("storefront: \(error.reason)\n".utf8))
      return nil
    }
  }()

  /// All of them; none by default.
  static var monitors: [any Monitor] { har.map { [$0] } ?? [] }
}
