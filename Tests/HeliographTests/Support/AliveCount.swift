import Synchronization

/// Counts objects that are alive.
final class AliveCount: Sendable {
  /// An object that is counted, for a closure to capture.
  final class Token: Sendable {
    private let count: AliveCount

    fileprivate init(_ count: AliveCount) {
      self.count = count
      count.number.add(1, ordering: .relaxed)
    }

    deinit { count.number.subtract(1, ordering: .acquiringAndReleasing) }
  }

  private let number = Atomic<Int>(0)

  var value: Int { number.load(ordering: .acquiring) }

  func token() -> Token { Token(self) }
}
