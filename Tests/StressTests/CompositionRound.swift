import Signals
import Synchronization

/// Two random operators, one after the other, fed and ended by three threads: at the end nothing stays alive.
final class CompositionRound: Round {
  /// Where the composition runs.
  enum Position: CaseIterable {
    case root
    /// As the inner signal of a flattening that lives on.
    case inner
    /// Before a successor, which a second completion would start twice.
    case first
  }

  enum Ending: CaseIterable {
    case complete
    case fail
    case dispose
    /// The sources and the subscription are dropped without an event.
    case abandon
  }

  private let probe: Probe
  private let census = Census()
  private let host = Tap()
  private let source = Tap()
  private let other = Tap()
  private let successor = Tap()
  private let position: Position
  private let ending: Ending
  private let isEarly: Bool
  private let isSynchronous: Bool
  private let counts: [Int]
  private let lifetime = LifetimeHolder()
  private let handle: Guarded<Disposable?> = Guarded(nil)

  init(_ name: String, _ random: inout SplitMix, _ log: Log) {
    (position, ending, isEarly) = (random.pick(), random.pick(), !random.oneIn(3))
    counts = [random.below(4), random.below(4)]
    isSynchronous = !random.oneIn(8)
    let stages = isSynchronous ? Stage.synchronous : Stage.synchronous + Stage.scheduled
    let (left, right) = (stages[random.below(stages.count)], stages[random.below(stages.count)])
    probe = Probe("\(name) \(left.name).\(right.name) (\(position), \(ending), \(counts))", log, isOrdered: false)
    let around = Surroundings(
      census: census, other: other.signal, lifetime: lifetime, seed: random.next())
    subscribe(keepsHandle: ending == .dispose || random.oneIn(2)) { [source] in
      right.apply(left.apply(around.source(source.signal), around), around)
    }
  }

  /// The signal itself is freed when this returns.
  private func subscribe(keepsHandle: Bool, _ compose: @escaping @Sendable () -> Signal<Int, Oops>) {
    let signal =
      switch position {
      case .root: compose()
      case .inner: host.signal.flatMap { _ in compose() }
      case .first: compose().concat(successor.signal)
      }
    let handler: @Sendable (Event<Int, Oops>) -> Void = { [probe, token = census.token()] event in
      token.touch()
      probe.take(event)
    }
    let handle = signal.subscribe(handler)
    if keepsHandle { self.handle.withLock { $0 = handle } }
    if position == .inner { host.send(0) }
  }

  func run(_ part: Int) {
    switch part {
    case 0: for index in 0..<counts[0] { source.send(index) }
    case 1: for index in 0..<counts[1] { other.send(Probe.perSender + index) }
    default: if isEarly { end() }
    }
  }

  private func end() {
    switch ending {
    case .complete: complete()
    case .fail:
      source.input.fail()
      other.input.fail()
    case .dispose: handle.withLock { $0 }?.dispose()
    case .abandon: abandon()
    }
  }

  private func complete() { for tap in [source, other, successor] { tap.input.complete() } }

  private func abandon() {
    for tap in [host, source, other, successor] { tap.abandon() }
    lifetime.drop()
  }

  func check() {
    end()
    switch ending {
    case .complete, .fail: checkEnd()
    case .dispose: checkFreed("after the disposal")
    case .abandon:
      handle.withLock { $0 = nil }
      return checkFreed("after their sources were abandoned")
    }
    for tap in [host, source, other, successor] {
      tap.send(Probe.late)
      tap.input.complete()
      tap.ledger.check(probe)
    }
    let starts = successor.ledger.starts.load(ordering: .acquiring)
    probe.check(starts <= 1, "the successor started \(starts) times")
  }

  /// Completes all sources, also those that are started by it, until the composition has ended.
  private func checkEnd() {
    if position == .inner {
      // The flattening lives on; its subscriber has a token.
      probe.eventually(completes { census.alive <= (probe.isFinished ? 0 : 1) }, "\(census.alive) alive of an inner")
      host.input.complete()
    }
    probe.eventually(completes { probe.isFinished }, "did not end")
    checkFreed("after the end")
  }

  private func completes(_ condition: () -> Bool) -> Bool {
    complete()
    return condition()
  }

  private func checkFreed(_ when: String) {
    // A queue may hold a stage until its turn.
    if isSynchronous { return probe.check(census.alive == 0, "\(census.alive) alive \(when)") }
    probe.eventually(census.alive == 0, "\(census.alive) alive \(when)")
  }
}
