import Synchronization

/// Counts objects that are alive.
package final class AliveCount: Sendable {
  /// An object that is counted, for a closure to capture.
  package final class Token: Sendable {
    private let count: AliveCount

    fileprivate init(_ count: AliveCount) {
      self.count = count
      count.number.add(1, ordering: .relaxed)
    }

    deinit { count.number.subtract(1, ordering: .acquiringAndReleasing) }
  }

  private let number = Atomic<Int>(0)

  package init() {}

  package var value: Int { number.load(ordering: .acquiring) }

  package func token() -> Token { Token(self) }
}
