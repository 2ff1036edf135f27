/// A binary heap of instants, earliest first, each with the token of a connection.
///
/// An entry is never removed early; a connection that no longer waits ignores it. Adding and taking are O(log n).
struct LoopbackTimers {
  private typealias Entry = (instant: ContinuousClock.Instant, token: Int)

  private var heap: [Entry] = []

  var earliest: ContinuousClock.Instant? { heap.first?.instant }

  mutating func add(_ instant: ContinuousClock.Instant, token: Int) {
    heap.append((instant, token))
    var child = heap.count - 1
    while child > 0, heap[child].instant < heap[(child - 1) / 2].instant {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Removes and returns the token of the earliest entry if it is due.
  mutating func takeDue(at now: ContinuousClock.Instant) -> Int? {
    guard let first = heap.first, first.instant <= now else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var smallest = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
        if heap[child].instant < heap[smallest].instant { smallest = child }
      }
      guard smallest != parent else { return first.token }
      heap.swapAt(parent, smallest)
      parent = smallest
    }
  }
}
