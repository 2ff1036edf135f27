import Foundation
import Signals
import Synchronization

/// An action that is executed, cancelled and disposed at once; afterwards it must accept another run.
final class ActionRound: Round {
  /// How the last run ends before the action is asked again.
  enum Ending: CaseIterable {
    case complete
    case fail
    case cancel
    case dispose
  }

  /// What the third thread does.
  enum Interference: CaseIterable {
    case cancel
    case cancelTwice
    case dispose
    case execute
    case nothing
  }

  private let probe: Probe
  private let states: Probe
  private let tap = Tap()
  private let seed: UInt64
  private let ending: Ending
  private let interference: Interference
  private let action: Guarded<Action<Int, Int, Oops>?> = Guarded(nil)
  private let pending = Guarded<[Observer<Int, Oops>]>([])
  private let runs = Guarded<[Disposable]>([])
  private let bag = DisposeBag()
  private let isExecuting = Atomic<Bool>(true)

  init(_ name: String, _ random: inout SplitMix, _ log: Log) {
    (seed, ending, interference) = (random.next(), random.pick(), random.pick())
    probe = Probe("\(name) (\(interference), then \(ending))", log, isOrdered: false)
    states = probe.another("isExecuting", isOrdered: false)
    let action = Action<Int, Int, Oops> { [self] in work($0) }
    self.action.withLock { $0 = action }
    action.values.subscribe(onValue: { [probe] in probe.next($0) }).disposed(by: bag)
    action.isExecuting.subscribe(onValue: { [self] in changed(to: $0) }).disposed(by: bag)
  }

  private func changed(to value: Bool) {
    states.pass()
    let before = isExecuting.exchange(value, ordering: .relaxed)
    states.check(before != value, "\(value) twice")
  }

  private var current: Action<Int, Int, Oops>? { action.withLock { $0 } }

  private func work(_ input: Int) -> Signal<Int, Oops> {
    if input == ActionRound.last { return .just(input) }
    var random = SplitMix(state: seed &+ UInt64(input))
    // Lets the others cancel before the run has started.
    if random.oneIn(2) { sched_yield() }
    switch random.below(8) {
    case 0: return .just(input)
    case 1: return .fail(Oops())
    case 2: return .empty
    case 3:
      current?.cancel()
      return .just(input)
    case 4: return tap.source { $0.complete(with: input) }
    case 5: return tap.source { $0.fail(Oops()) }
    default: return tap.source { [self] observer in pending.withLock { $0.append(observer) } }
    }
  }

  private func execute(_ input: Int) {
    if let run = current?.execute(input) { runs.withLock { $0.append(run) } }
  }

  private func endPending(_ body: (Observer<Int, Oops>) -> Void) {
    while let observer = pending.withLock({ $0.popLast() }) { body(observer) }
  }

  func run(_ part: Int) {
    switch part {
    case 0: for input in 0..<2 { execute(input) }
    case 1:
      execute(3)
      endPending { $0.complete(with: 3) }
      execute(4)
    default: interfere()
    }
  }

  private func interfere() {
    switch interference {
    case .cancel: current?.cancel()
    case .cancelTwice: for _ in 0..<2 { current?.cancel() }
    case .dispose: runs.withLock { $0.last }?.dispose()
    case .execute: for input in 5..<7 { execute(input) }
    case .nothing: break
    }
  }

  private static let last = 99

  func check() {
    guard let action = current else { return }
    switch ending {
    case .complete: endPending { $0.complete() }
    case .fail: endPending { $0.fail(Oops()) }
    case .cancel: action.cancel()
    case .dispose: for run in runs.withLock({ $0 }) { run.dispose() }
    }
    probe.check(!isExecuting.load(ordering: .relaxed), "isExecuting stays true")
    tap.ledger.check(probe)
    let count = probe.valueCount
    probe.check(action.execute(ActionRound.last) != nil, "refuses a run although none is in flight")
    probe.check(probe.valueCount == count + 1, "a run without its value")
    probe.check(!isExecuting.load(ordering: .relaxed), "isExecuting stays true")
    probe.check(action.isExecuting.signal.firstNow == false, "isExecuting starts with true")
    probe.check(action.isEnabled.signal.firstNow == true, "isEnabled starts with false")
    self.action.withLock { $0 = nil }
    bag.dispose()
  }
}

extension Signal where Failure == Never {
  /// The value that a new subscriber gets at once.
  var firstNow: Value? {
    let value = Guarded<Value?>(nil)
    take(1).subscribe(onValue: { first in value.withLock { $0 = first } }).dispose()
    return value.withLock { $0 }
  }
}
