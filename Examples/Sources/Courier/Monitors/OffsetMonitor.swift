import Heliograph
import Synchronization

/// Records where a download continued: the first byte of the first partial response.
final class OffsetMonitor: Monitor {
  private let offset = Mutex<Int?>(nil)

  /// The first position that was received; `nil` without a response.
  var value: Int? { offset.withLock { $0 } }

  func observe(_ event: MonitorEvent) {
    guard case .responded(_, let response) = event, [200, 206].contains(response.statusCode) else { return }
    let start = response.statusCode == 206 ? response.headers["Content-Range"].flatMap(Self.start) : 0
    offset.withLock { offset in
      // A whole response after a partial one begins anew.
      if offset == nil || response.statusCode == 200 { offset = start }
    }
  }

  /// The first position of a field such as `bytes 100-199/200`.
  private static func start(of range: String) -> Int? {
    range.split(separator: " ").last?.split(separator: "-").first.flatMap { Int($0) }
  }
}
