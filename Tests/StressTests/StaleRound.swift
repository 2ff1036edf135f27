import Signals
import Synchronization

/// `.latest` with inners that fail, of which many are replaced: no event of a replaced inner may be delivered.
///
/// The outer signal sends 0, 1, 2 and so on; an inner's value and its failure carry its number.
final class StaleRound: Round {
  private struct Pending {
    let number: Int
    let observer: Observer<Int, Oops>
  }

  private let probe: Probe
  private let outer = Tap()
  private let inners = Tap()
  private let pending = Guarded<[Pending]>([])
  private let handle: Guarded<Disposable?> = Guarded(nil)
  private let newest = Atomic<Int>(-1)
  /// How many inners are certainly replaced: the outer's `send` of a later one has returned.
  private let replacedCount = Atomic<Int>(0)
  private let kinds: UInt64
  private let count: Int
  private let ending: Int
  private let interference: Int

  init(_ name: String, _ random: inout SplitMix, _ log: Log) {
    kinds = random.next()
    count = 2 + random.below(6)
    ending = random.below(3)
    interference = random.below(4)
    probe = Probe("\(name) (ending \(ending), interference \(interference), \(count) inners)", log, isOrdered: false)
    let signal = outer.signal.flatMap(.latest) { [self] in inner($0) }
    let handle = signal.subscribe { [self] in take($0) }
    self.handle.withLock { $0 = handle }
    outer.send(0)
  }

  private func inner(_ number: Int) -> Signal<Int, Oops> {
    // The first one is pending, so that it can fail at any moment; later ones are mostly ready.
    switch number == 0 ? 7 : (kinds >> (number * 3)) & 7 {
    case 0, 1, 2, 3: return .just(number)
    case 4:
      return inners.source { observer in
        observer.send(number)
        observer.complete()
      }
    case 5: return inners.source { $0.complete(with: number) }
    default:
      return inners.source { [self] observer in
        pending.withLock { $0.append(Pending(number: number, observer: observer)) }
      }
    }
  }

  private func take(_ event: Event<Int, Oops>) {
    switch event {
    case .value(let number):
      let before = newest.exchange(number, ordering: .relaxed)
      probe.check(before <= number, "a value of inner \(number) after one of inner \(before)")
      probe.next(number)
    case .failed(let failure):
      let newest = newest.load(ordering: .relaxed)
      probe.check(failure.number >= 0, "the failure of inner \(~failure.number), which was replaced before")
      probe.check(
        failure.number < 0 || newest <= failure.number,
        "inner \(failure.number) failed after a value of inner \(newest)")
      probe.end()
    case .completed: probe.end()
    }
  }

  private func fail(_ one: Pending) {
    // Negative: it is stale already, and must not be delivered.
    let isStale = one.number < replacedCount.load(ordering: .acquiring)
    one.observer.fail(Oops(number: isStale ? ~one.number : one.number))
  }

  func run(_ part: Int) {
    switch part {
    case 0:
      for _ in 0..<3 { if let one = pending.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { fail(one) } }
    case 1:
      for number in 1..<count {
        outer.send(number)
        replacedCount.store(number, ordering: .releasing)
      }
      if ending == 1 { outer.input.complete() }
      if ending == 2 { outer.complete(with: count) }
    default: interfere()
    }
  }

  private func interfere() {
    let last = { self.pending.withLock { $0.last } }
    switch interference {
    case 0: if let one = last() { fail(one) }
    case 1: if let one = last() { one.observer.complete(with: one.number) }
    case 2: if let one = last() { for _ in 0..<2 { one.observer.send(one.number) } }
    default: handle.withLock { $0 }?.dispose()
    }
  }

  func check() {
    handle.withLock { $0.take() }?.dispose()
    outer.send(count)
    for one in pending.withLock({ $0 }) { one.observer.send(Probe.late) }
    outer.ledger.check(probe)
    inners.ledger.check(probe)
  }
}
