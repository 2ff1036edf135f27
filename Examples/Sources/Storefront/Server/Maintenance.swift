import Synchronization

/// A part of the shop that is closed for a number of requests.
final class Maintenance: Sendable {
  private let remainingCount = Mutex(Int.max)

  func end(after count: Int) {
    remainingCount.withLock { $0 = count }
  }

  /// Returns whether the shop is open again; otherwise counts the request as refused.
  func takeRequest() -> Bool {
    remainingCount.withLock { count in
      if count == 0 { return true }
      count -= 1
      return false
    }
  }
}
