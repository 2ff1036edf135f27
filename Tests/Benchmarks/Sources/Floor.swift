/// What no chain of stages can beat: nine plain calls of `@Sendable` closures, one from inside the other.
///
/// Three maps and a filter are four stages with a closure of the caller's each, and the subscriber is the ninth.
final class Floor {
  private static let callCount = 9
  private static let eventCount = 200_000

  private let tally = Tally()
  private let first: @Sendable (Int) -> Void

  init() {
    // Linked in a loop out of functions that are not inlined, so that the optimizer knows none of the callees.
    var next = Floor.last(tally)
    for _ in 1..<Floor.callCount { next = Floor.link(next) }
    first = next
  }

  @inline(never)
  private static func last(_ tally: Tally) -> @Sendable (Int) -> Void {
    { _ in tally.add() }
  }

  @inline(never)
  private static func link(_ next: @escaping @Sendable (Int) -> Void) -> @Sendable (Int) -> Void {
    { next($0 &+ 1) }
  }

  @inline(never)
  private func sendAll() {
    for value in 0..<Floor.eventCount { first(value) }
  }

  /// Nanoseconds that one event takes through the nine closures.
  func sample(_ clock: Clock) -> Double {
    let time = clock.measure { sendAll() }
    precondition(tally.take() == Floor.eventCount)
    return time / Double(Floor.eventCount)
  }
}
