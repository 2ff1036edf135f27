import Synchronization

/// A part of the shop that is closed, for as many requests as somebody says.
final class Maintenance: Sendable {
  private let leftCount = Mutex(Int.max)

  func end(after count: Int) {
    leftCount.withLock { $0 = count }
  }

  /// Whether a request finds it open; one that does not is counted.
  func isOver() -> Bool {
    leftCount.withLock { count in
      if count == 0 { return true }
      count -= 1
      return false
    }
  }
}
