import SignalsTestSupport
import TestSupport
import Testing

@testable import Signals

/// The priority queue of timers.
struct TimerQueueTests {
  /// An instant that counts how often it is compared.
  private struct Counted: Comparable, Sendable {
    let value: Int
    let comparisons: Tally

    init(_ value: Int, _ comparisons: Tally) { (self.value, self.comparisons) = (value, comparisons) }

    static func < (left: Counted, right: Counted) -> Bool {
      left.comparisons.arrive()
      return left.value < right.value
    }

    static func == (left: Counted, right: Counted) -> Bool { left.value == right.value }
  }

  @Test func elementsAreTakenByInstantAndThenInTheOrderOfTheirAddition() {
    var queue = TimerQueue<Int, String>()
    for (name, instant) in [("a", 3), ("b", 1), ("c", 3), ("d", 2), ("e", 1)] { queue.add(name, at: instant) }
    expectEqual(queue.earliest, 1)
    expectNil(queue.takeDue(at: 0))
    expectEqual(queue.takeDue(at: 1), "b")
    expectEqual(queue.takeDue(at: 1), "e")
    expectNil(queue.takeDue(at: 1))
    expectEqual((1...3).map { _ in queue.takeDue(at: 9) }, ["d", "a", "c"])
    expectNil(queue.earliest)
    expectEqual(queue.count, 0)
    expectEqual(queue.addedCount, 5)
  }

  @Test func aKeyIsInvalidOnceItsElementWasTakenOrRemoved() {
    var queue = TimerQueue<Int, String>()
    let (first, second) = (queue.add("a", at: 1), queue.add("b", at: 2))
    expectEqual(queue.takeDue(at: 1), "a")
    expectNil(queue.remove(first))
    expectEqual(queue.remove(second), "b")
    expectNil(queue.remove(second))
    // The slots are used again.
    for (name, instant) in [("c", 1), ("d", 2)] { queue.add(name, at: instant) }
    expectNil(queue.remove(first))
    expectNil(queue.remove(second))
    expectEqual(queue.count, 2)
  }

  @Test func aRemovedElementIsFreedAtOnce() {
    let census = Census()
    var queue = TimerQueue<Int, Token>()
    let keys = (0..<1_000).map { queue.add(census.token($0), at: $0 * 7 % 1_000) }
    for key in keys.dropFirst() { expectEqual(queue.remove(key).map { _ in true }, true) }
    expectEqual(census.alive, 1)
    expectEqual(queue.takeDue(at: 0)?.number, 0)
    expectEqual(census.alive, 0)
    // All slots were freed: none of these keys means anything now.
    queue.add(census.token(), at: 5)
    for key in keys { expectNil(queue.remove(key)?.number) }
    expectEqual(queue.count, 1)
  }

  @Test func additionsAndRemovalsInAnyOrderAgreeWithASortedList() {
    var (queue, list) = (TimerQueue<Int, Int>(), [(instant: Int, number: Int, key: TimerQueue<Int, Int>.Key)]())
    var seed: UInt64 = 42
    func random(_ limit: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % limit
    }
    for number in 0..<20_000 {
      // First more additions than removals, then fewer.
      switch random(number < 10_000 ? 3 : 5) {
      case 0 where !list.isEmpty:
        let removed = list.remove(at: random(list.count))
        expectEqual(queue.remove(removed.key), removed.number)
      case 1...2 where number < 10_000 || random(2) == 0:
        let instant = random(500)
        let entry = (instant, number, queue.add(number, at: instant))
        list.insert(entry, at: list.firstIndex { $0.instant > instant } ?? list.count)
      default:
        expectEqual(queue.takeDue(at: 500), list.takeFirst()?.number)
      }
      expectEqual(queue.earliest, list.first?.instant)
    }
    while let next = list.takeFirst() { expectEqual(queue.takeDue(at: 500), next.number) }
    expectEqual(queue.count, 0)
  }

  @Test func additionAndRemovalNeedAFewComparisonsAmong100_000() {
    let comparisons = Tally()
    var queue = TimerQueue<Counted, Int>()
    let keys = (0..<100_000).map { queue.add($0, at: Counted($0 * 7_919 % 100_000, comparisons)) }
    expect(comparisons.count < 100_000 * 10)
    // The earliest goes all the way up, and its removal all the way down.
    for _ in 0..<3 {
      var before = comparisons.count
      let key = queue.add(0, at: Counted(-1, comparisons))
      expect(comparisons.count - before <= 18)
      before = comparisons.count
      expectEqual(queue.remove(key), 0)
      expect(comparisons.count - before <= 2 * 18)
    }
    let before = comparisons.count
    // In an order that is neither that of the instants nor that of the additions.
    for index in keys.indices { expect(queue.remove(keys[index * 104_729 % 100_000]) != nil) }
    expect(comparisons.count - before < 100_000 * 2 * 18)
  }
}
