import Signals

/// Inner signals of all kinds for a flattening, each of one value: ready, synchronous and pending.
///
/// A pending one ends when `input` gets a value, and all of them when it completes.
final class Inners: Sendable {
  private struct State {
    var pending: [(value: Int, observer: Observer<Int, Oops>)] = []
    var isDrained = false
    var isLate = false
  }

  let tap: Tap
  private let seed: UInt64
  private let state = Guarded(State())

  init(seed: UInt64, _ ledger: Ledger = Ledger()) {
    self.seed = seed
    tap = Tap(ledger)
  }

  /// Returns the inner signal of a value: always of the same kind for the same seed.
  func make(_ value: Int) -> Signal<Int, Oops> {
    var random = SplitMix(state: seed &+ UInt64(truncatingIfNeeded: value))
    switch random.below(8) {
    case 0: return .just(value)
    case 1: return .deferred { .just(value) }
    case 2: return tap.source { $0.complete(with: value) }
    case 3:
      return tap.source { observer in
        observer.send(value)
        observer.complete()
      }
    case 4: return pending(value).map { $0 }
    default: return pending(value)
    }
  }

  private func pending(_ value: Int) -> Signal<Int, Oops> {
    tap.source { observer in
      let isDrained = self.state.withLock { state in
        if !state.isDrained { state.pending.append((value, observer)) }
        return state.isDrained
      }
      if isDrained { self.finish(value, observer) }
    }
  }

  /// Ends with the value fused with the completion or before it.
  private func finish(_ value: Int, _ observer: Observer<Int, Oops>) {
    if value % 2 == 0 { return observer.complete(with: value) }
    observer.send(value)
    observer.complete()
  }

  private func takeFirst() -> (value: Int, observer: Observer<Int, Oops>)? {
    state.withLock { state in
      guard !state.pending.isEmpty else { return nil }
      let first = state.pending.removeFirst()
      return (state.isLate ? Probe.late : first.value, first.observer)
    }
  }

  var input: Input {
    Input(
      send: { value in
        if value == Probe.late { self.state.withLock { $0.isLate = true } }
        if let (value, observer) = self.takeFirst() { self.finish(value, observer) }
      },
      complete: {
        self.state.withLock { $0.isDrained = true }
        while let (value, observer) = self.takeFirst() { self.finish(value, observer) }
      },
      fail: { self.takeFirst()?.observer.fail(Oops()) })
  }

  /// A rig in which one thread sends to the outer signal and another one ends pending inners.
  static func rig(
    _ strategy: FlattenStrategy, seed: UInt64, losesNone: Bool = true, isOrdered: Bool = true, limit: Int = .max
  ) -> Rig {
    let (outer, inners) = (Tap(), Inners(seed: seed, Ledger(limit: limit)))
    let signal = outer.signal.flatMap(strategy) { inners.make($0) }
    var rig = Rig(signal, [outer.input, inners.input], [outer, inners.tap])
    rig.isOrdered = isOrdered
    if losesNone { rig.expected = { count, _ in count } }
    return rig
  }
}
