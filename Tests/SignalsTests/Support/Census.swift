import Synchronization

/// Counts the tokens that are alive.
final class Census: Sendable {
  private let living = Atomic<Int>(0)

  var alive: Int { living.load(ordering: .acquiring) }

  func token(_ number: Int = 0) -> Token { Token(number, self) }

  fileprivate func add(_ difference: Int) { living.add(difference, ordering: .acquiringAndReleasing) }
}

/// Something that is counted for as long as anybody keeps it.
final class Token: Sendable {
  let number: Int
  private let census: Census

  fileprivate init(_ number: Int, _ census: Census) {
    self.number = number
    self.census = census
    census.add(1)
  }

  deinit { census.add(-1) }

  /// Keeps the token in a closure.
  func use() {}
}

/// Runs a closure when it goes away.
final class Farewell: Sendable {
  private let action: @Sendable () -> Void

  init(_ action: @escaping @Sendable () -> Void) {
    self.action = action
  }

  deinit { action() }
}
