import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

struct ActionTests {
  let source = Source<Int>()

  private func action(enabledIf isEnabled: Signal<Bool, Never> = .just(true)) -> Action<Int, Int, Fault> {
    Action(enabledIf: isEnabled) { [source] input in source.signal.map { $0 + input } }
  }

  @Test func runsAndSaysHowItGoes() {
    let action = action()
    let (values, running) = (SignalRecorder(action.values), SignalRecorder(action.isExecuting.signal))
    expect(action.execute(10) != nil)
    source.send(1)
    source.complete(with: 2)
    expectEqual(values.values, [11, 12])
    expectEqual(running.values, [false, true, false])
  }

  @Test func refusesASecondRunWhileOneIsUnderWay() {
    let action = action()
    let enabled = SignalRecorder(action.isEnabled.signal)
    action.execute(1)
    expectNil(action.execute(2))
    expectEqual(source.subscriptionCount, 1)
    source.complete()
    expect(action.execute(3) != nil)
    expectEqual(enabled.values, [true, false, true, false])
  }

  @Test func refusesWhileItIsNotEnabled() {
    let isEnabled = CurrentValue(false)
    let action = action(enabledIf: isEnabled.signal)
    expect(!action.isEnabled.value)
    expectNil(action.execute(1))
    isEnabled.value = true
    expect(action.isEnabled.value)
    expect(action.execute(1) != nil)
    expect(action.isExecuting.value)
    expect(!action.isEnabled.value)
    source.complete()
    expect(!action.isExecuting.value)
    expect(action.isEnabled.value)
  }

  @Test func itsPropertiesOutliveIt() {
    var action = Optional(action())
    let isExecuting = action?.isExecuting
    let running = isExecuting.map { SignalRecorder($0.signal) }
    action?.execute(1)
    expectEqual(isExecuting?.value, true)
    action = nil
    expectEqual(isExecuting?.value, false)
    expectEqual(running?.values, [false, true, false])
  }

  @Test func oneOfManyThreadsWins() async {
    for _ in 1...100 {
      let (action, accepted) = (action(), Tally())
      await together(4) { if action.execute($0) != nil { accepted.arrive() } }
      expectEqual(accepted.count, 1)
    }
  }

  @Test func aFailureEndsTheRunNotTheAction() {
    let action = action()
    let (failures, running) = (SignalRecorder(action.failures), SignalRecorder(action.isExecuting.signal))
    action.execute(1)
    source.fail(.late)
    expectEqual(failures.events, [.value(.late)])
    expectEqual(running.values, [false, true, false])
    expect(action.execute(1) != nil)
  }

  @Test func aRetryFromTheFailureIsAccepted() {
    let action = action()
    action.failures.subscribe(onValue: { [weak action] _ in action?.execute(2) })
    action.execute(1)
    source.fail()
    expectEqual(source.subscriptionCount, 2)
    expectEqual(source.teardownCount, 1)
  }

  /// A run that ends inside its start is torn down when that start has returned.
  @Test(arguments: [false, true], [false, true])
  func theNextRunStartsAfterTheTeardownOfTheLast(isFailure: Bool, isInStart: Bool) {
    let log = Log<String>()
    let running = Later<Observer<Int, Fault>>()
    let end: @Sendable (Observer<Int, Fault>?) -> Void = { isFailure ? $0?.fail(.broken) : $0?.complete() }
    let action = Action<Int, Int, Fault> { number in
      Signal { observer in
        log.add("start \(number)")
        if number == 1 { running.value = observer }
        if number == 1, isInStart { end(observer) }
        return Disposable { log.add("stop \(number)") }
      }
    }
    let next: @Sendable () -> Void = { [weak action] in action?.execute(2) }
    if isFailure {
      action.failures.subscribe(onValue: { _ in next() })
    } else {
      action.isExecuting.signal.skip(1).filter { !$0 }.take(1).subscribe(onValue: { _ in next() })
    }
    action.execute(1)
    end(running.value)
    expectEqual(log.entries, isInStart ? ["start 1", "start 2", "stop 1"] : ["start 1", "stop 1", "start 2"])
    expect(action.isExecuting.value)
  }

  @Test func aRetryFromAFailureThatCameAtOnceKeepsRunning() {
    let action = Action<Int, Int, Fault> { [source] in $0 == 1 ? .fail(.broken) : source.signal }
    let (values, running) = (SignalRecorder(action.values), SignalRecorder(action.isExecuting.signal))
    action.failures.subscribe(onValue: { [weak action] _ in action?.execute(2) })
    action.execute(1)
    expectEqual(source.teardownCount, 0)
    source.send(5)
    expectEqual(values.values, [5])
    expectEqual(running.values.last, true)
  }

  @Test func theNextRunMayStartWhenAnotherEndsAtOnce() {
    let action = Action<Int, Int, Fault> { [source] in $0 == 1 ? .just(1) : source.signal }
    let values = SignalRecorder(action.values)
    action.isExecuting.signal.skip(1).filter { !$0 }.take(1)
      .subscribe(onValue: { [weak action] _ in action?.execute(2) })
    action.execute(1)
    expectEqual(source.subscriptionCount, 1)
    expectEqual(source.teardownCount, 0)
    source.send(5)
    expectEqual(values.values, [1, 5])
  }

  @Test func cancelStopsTheRun() {
    let action = action()
    let (values, running) = (SignalRecorder(action.values), SignalRecorder(action.isExecuting.signal))
    action.execute(1)
    action.cancel()
    source.send(1)
    expect(source.isIdle)
    expect(values.events.isEmpty)
    expectEqual(running.values, [false, true, false])
    expect(action.execute(1) != nil)
  }

  @Test func cancelStopsARunThatSendsAtOnce() {
    let action = Action<Int, Int, Fault> { _ in .from(0..<10) }
    let values = SignalRecorder(
      action.values.map { [weak action] value in
        if value == 2 { action?.cancel() }
        return value
      })
    action.execute(1)
    expectEqual(values.values, [0, 1, 2])
    expect(action.execute(1) != nil)
  }

  @Test func theHandleStopsItsRunOnly() {
    let action = action()
    let first = action.execute(1)
    source.complete()
    action.execute(2)
    first?.dispose()
    expectEqual(source.teardownCount, 1)
    expectNil(action.execute(3))
  }

  @Test func theRunEndsWithTheAction() {
    do {
      let action = action(enabledIf: source.signal.map { $0 > 0 }.catch { _ in .just(true) })
      action.execute(1)
      expectEqual(source.subscriptionCount, 2)
    }
    expect(source.isIdle)
  }
}
