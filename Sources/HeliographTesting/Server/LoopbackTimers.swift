/// Instants, earliest first, each with the token of a connection.
///
/// An entry is never removed early; a connection that no longer waits ignores it.
struct LoopbackTimers {
  private struct Entry: Comparable {
    let instant: ContinuousClock.Instant
    let token: Int

    static func < (left: Entry, right: Entry) -> Bool { left.instant < right.instant }
  }

  private var heap = MinHeap<Entry>()

  var earliest: ContinuousClock.Instant? { heap.first?.instant }

  mutating func add(_ instant: ContinuousClock.Instant, token: Int) {
    heap.add(Entry(instant: instant, token: token))
  }

  /// Removes and returns the token of the earliest entry if it is due.
  mutating func takeDue(at now: ContinuousClock.Instant) -> Int? {
    guard let first = heap.first, first.instant <= now else { return nil }
    heap.takeFirst()
    return first.token
  }
}
