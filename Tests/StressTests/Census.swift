import Synchronization

/// Counts objects that are alive.
final class Census: Sendable {
  private let count = Atomic<Int>(0)
  var alive: Int { count.load(ordering: .acquiring) }
  func arrive() { count.add(1, ordering: .relaxed) }
  func leave() { count.subtract(1, ordering: .acquiringAndReleasing) }

  /// Returns an object that is counted, for a closure to capture.
  func token() -> Token { Token(self) }
}

/// An object that a census counts.
final class Token: Sendable {
  private let census: Census

  fileprivate init(_ census: Census) {
    self.census = census
    census.arrive()
  }

  deinit { census.leave() }

  func touch() {}
}
