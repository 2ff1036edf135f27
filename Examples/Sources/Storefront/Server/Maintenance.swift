import Synchronization

/// A part of the shop that is closed for a number of requests.
final class Maintenance: Sendable {
  private let remainingCount = Mutex(Int.max)

  func end(after count: Int) {
    remainingCount.withLock { $0 = count }
  }

  /// Whether it is open for a request; refused requests are counted.
  func isTerminated() -> Bool {
    remainingCount.withLock { count in
      if count == 0 { return true }
      count -= 1
      return false
    }
  }
}
