import Foundation
import Heliograph
import HeliographInspector
import Synchronization

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

  /// Those of the command, as for a page that shows the requests; a task local, so that no engine has to pass them on.
  @TaskLocal static var others: [any Monitor] = []

  /// All of them; none by default.
  static var monitors: [any Monitor] { others + (har.map { [$0] } ?? []) }
}

/// A count of requests.
final class RequestCount: Monitor {
  private let count = Atomic(0)

  /// The number of requests so far.
  var value: Int { count.load(ordering: .relaxed) }

  func observe(_ event: MonitorEvent) {
    if case .started = event { count.add(1, ordering: .relaxed) }
  }
}
