import Foundation
import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// Promise 31 for signals that end while they are being started: the next one starts after their teardown.
struct StartOrderTests {
  enum Form: CaseIterable {
    case concat, then, `catch`, flatteningConcat, maxConcurrent, retry
  }

  private let log = Log<String>()
  private let clock = VirtualScheduler()
  private let running = Later<Observer<Int, Fault>>()
  private let mayReturn = Tally()
  private let hasReturned = Tally()

  /// A signal that logs its start and its teardown, and ends inside its start as told.
  private func logged(_ number: Int, _ end: @escaping @Sendable (Observer<Int, Fault>) -> Void = { _ in }) -> Numbers {
    Signal { [log] observer in
      log.add("start \(number)")
      end(observer)
      return Disposable { log.add("stop \(number)") }
    }
  }

  /// Both signals in order; the first one must end as the form needs it.
  private func ordered(_ first: Numbers, _ second: Numbers, by form: Form) -> Numbers {
    switch form {
    case .concat: first.concat(second)
    case .then: first.then(second)
    case .catch: first.catch { (_: Fault) in second }
    case .flatteningConcat: Signal.from([first, second]).flatten(.concat)
    case .maxConcurrent: Signal.from([first, second]).flatten(.merge(maxConcurrent: 1))
    case .retry:
      Numbers.deferred { [log] in log.entries.contains("start 1") ? second : first }.retry(1)
    }
  }

  private func end(_ observer: Observer<Int, Fault>, for form: Form) {
    switch form {
    case .catch, .retry: observer.fail(.broken)
    default: observer.complete()
    }
  }

  @Test(arguments: Form.allCases, [false, true])
  func promise31_aStartOnASchedulerEndsBeforeTheNextSignalStarts(form: Form, isOtherThread: Bool) async {
    let first = logged(1) { observer in
      if !isOtherThread { return end(observer, for: form) }
      Thread {
        end(observer, for: form)
        hasReturned.arrive()
      }.start()
      spin { hasReturned.count > 0 }
    }
    let recorder = SignalRecorder(ordered(first.subscribe(on: clock), logged(2), by: form))
    await onThread { clock.run() }
    expectEqual(log.entries, ["start 1", "stop 1", "start 2"])
    recorder.dispose()
    expectEqual(log.entries.last, "stop 2")
  }

  @Test func valuesOfAStartOnASchedulerPassAtOnceAndTheLastOneFollowsTheStart() {
    let source = Numbers { [log] observer in
      observer.send(1)
      observer.complete(with: 2)
      log.add("started")
      return nil
    }
    let recorder = SignalRecorder(source.on(value: { [log] in log.add("\($0)") }).subscribe(on: clock))
    let numbers = SignalRecorder(source.subscribe(on: clock).on(value: { [log] in log.add("value \($0)") }))
    clock.run()
    expectEqual(log.entries, ["1", "2", "started", "value 1", "started", "value 2"])
    expectEqual(recorder.events, [.value(1), .value(2), .completed])
    expectEqual(numbers.events, [.value(1), .value(2), .completed])
  }

  @Test func anEndThatIsHeldIsDroppedAtTheDisposal() {
    let handle = Later<Disposable>()
    let source = Numbers { observer in
      observer.complete(with: 1)
      handle.value?.dispose()
      return nil
    }
    let recorder = SignalRecorder(source.subscribe(on: clock))
    handle.value = recorder.subscription
    clock.run()
    expectEqual(recorder.events, [])
  }

  @Test(arguments: Form.allCases.filter { $0 != .retry })
  func promise31_aSharedSourceIsTornDownBeforeTheSuccessorOfALateSubscriberStarts(form: Form) {
    let late = Later<SignalRecorder<Int, Fault>>()
    let shared = logged(1) { observer in
      observer.send(1)
      end(observer, for: form)
    }.share()
    let second = logged(2)
    let first = SignalRecorder(
      shared.on(value: { _ in late.value = SignalRecorder(ordered(shared, second, by: form)) }))
    expect(first.hasEnded)
    expectEqual(log.entries, ["start 1", "stop 1", "start 2"])
    late.value?.dispose()
  }

  /// The outer signal ends with a value while another thread still starts an inner signal that has ended already.
  @Test(arguments: [false, true])
  func promise31_theLastInnerSignalWaitsForAnotherThatIsBeingStarted(isReady: Bool) async {
    let (outer, zero) = (Source<Int>(), Source<Int>())
    let first = logged(1) { observer in
      running.value = observer
      spin { mayReturn.count > 0 }
    }
    let last = isReady ? Numbers.just(2) : logged(2)
    let flattened = outer.signal.flatMap(.concat) { number in [zero.signal, first, last][number] }
    let recorder = SignalRecorder(isReady ? flattened.concat(logged(2)) : flattened)
    let before = await onThread {
      outer.send(0)
      outer.send(1)
      Thread {
        zero.complete()
        hasReturned.arrive()
      }.start()
      spin { running.value != nil }
      running.value?.complete()
      outer.complete(with: 2)
      let entries = log.entries
      mayReturn.arrive()
      spin { hasReturned.count > 0 }
      return entries
    }
    expectEqual(before, ["start 1"])
    expectEqual(log.entries, ["start 1", "stop 1", "start 2"])
    expectEqual(recorder.values, isReady ? [2] : [])
  }
}
