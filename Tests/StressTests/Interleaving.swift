import Signals
import Synchronization

/// One subscription to a rig: two threads send, the third ends it or interferes.
final class Interleaving: Round {
  /// What the third thread does.
  enum Ending: Int, CaseIterable {
    /// Nothing, so that every value must arrive.
    case afterwards
    case dispose
    case disposeTwice
    case complete
    case completeBoth
    case fail
    case extra
    case subscribe
    case subscribeAndDispose
  }

  private let rig: Rig
  private let ending: Ending
  private let counts: [Int]
  private let probe: Probe
  private let handle = Guarded<Disposable?>(nil)

  init(_ name: String, _ rig: Rig, _ random: inout SplitMix, _ log: Log) {
    self.rig = rig
    var ending = random.pick(Ending.self)
    if ending == .extra && rig.extra == nil { ending = .dispose }
    self.ending = ending
    counts = [1 + random.below(3), 1 + random.below(3)]
    probe = Probe("\(name) (\(ending))", log, isOrdered: rig.isOrdered)
    if ending != .subscribe && ending != .subscribeAndDispose { subscribe() }
  }

  private func subscribe() {
    let handle = rig.start(probe)
    self.handle.withLock { $0 = handle }
  }

  private func dispose() { handle.withLock { $0 }?.dispose() }

  /// Waits for the source of a rig that starts on another thread.
  func awaitStart() {
    guard rig.startsLater, handle.withLock({ $0 }) != nil, let tap = rig.taps.first else { return }
    probe.eventually(tap.ledger.starts.load(ordering: .acquiring) > 0, "never started")
  }

  func run(_ part: Int) {
    guard part == 2 else {
      for index in 0..<counts[part] { rig.inputs[part].send(part * Probe.perSender + index) }
      return
    }
    switch ending {
    case .afterwards: break
    case .dispose: dispose()
    case .disposeTwice: for _ in 0..<2 { dispose() }
    case .complete: rig.inputs[0].complete()
    case .completeBoth: for input in rig.inputs { input.complete() }
    case .fail: rig.inputs[1].fail()
    case .extra: rig.extra?()
    case .subscribe: subscribe()
    case .subscribeAndDispose:
      subscribe()
      dispose()
    }
  }

  func check() {
    if ending == .afterwards { checkNothingIsLost() }
    dispose()
    dispose()
    if rig.finishesLater { probe.eventually(probe.isFinished, "the task hangs") }
    for input in rig.inputs {
      input.send(Probe.late)
      input.complete()
      input.fail()
    }
    // A start on a scheduler's thread is torn down there.
    for tap in rig.taps { tap.ledger.check(probe) }
    rig.finally?(probe)
  }

  private func checkNothingIsLost() {
    guard rig.completes else { return }
    for input in rig.inputs { input.complete() }
    probe.eventually(probe.isFinished, "did not end")
    guard let expected = rig.expected?(counts[0], counts[1]) else { return }
    let count = probe.valueCount
    probe.check(count == expected, "\(count) values of \(expected), sent \(counts)")
  }
}
