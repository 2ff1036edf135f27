import Synchronization

/// Counts the tokens that are alive.
package final class Census: Sendable {
  private let living = Atomic<Int>(0)

  package init() {}

  package var alive: Int { living.load(ordering: .acquiring) }

  package func token(_ number: Int = 0) -> Token { Token(number, self) }

  fileprivate func add(_ difference: Int) { living.add(difference, ordering: .acquiringAndReleasing) }
}

/// Something that is counted for as long as anybody keeps it.
package final class Token: Sendable {
  package let number: Int
  private let census: Census

  fileprivate init(_ number: Int, _ census: Census) {
    self.number = number
    self.census = census
    census.add(1)
  }

  deinit { census.add(-1) }

  /// Keeps the token in a closure.
  package func use() {}
}
