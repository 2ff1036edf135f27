import Foundation
import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// Promises 9 to 13: concurrency.
struct ContractConcurrencyTests {
  /// Values of several threads, each with its sender.
  struct Letter: Sendable, Equatable {
    let sender: Int
    let number: Int
  }

  private func isInOrder(_ letters: [Letter], senders: Int, each count: Int) -> Bool {
    (0..<senders).allSatisfy { sender in
      letters.filter { $0.sender == sender }.map(\.number) == Array(0..<count)
    }
  }

  private static let shapes: [@Sendable (Signal<Letter, Fault>) -> Signal<Letter, Fault>] = [
    { $0 }, { $0.map { $0 } }, { $0.flatMap { .just($0) } }, { $0.take(1_000_000) }, { $0.share() },
    { $0.share(replay: 1) }, { $0.merge(.empty) }, { $0.take(until: Numbers.never) }, { $0.observe(on: .immediate) },
    { $0.combineLatest(Numbers.just(0)).map { $0.0 } }, { $0.flatMap(.concat) { .just($0).observe(on: .immediate) } },
  ]

  @Test(arguments: ContractConcurrencyTests.shapes.indices)
  func promise09_deliveriesNeverOverlapAndNoneIsLostOrReordered(shape: Int) async {
    let (senders, count) = (4, 2000)
    let source = Source<Letter>()
    let recorder = SignalRecorder(ContractConcurrencyTests.shapes[shape](source.signal))
    await together(senders) { sender in
      for number in 0..<count { source.send(Letter(sender: sender, number: number)) }
    }
    expect(recorder.violations.isEmpty)
    expectEqual(recorder.values.count, senders * count)
    expect(isInOrder(recorder.values, senders: senders, each: count))
  }

  @Test func promise09_aSubjectDeliversInOneOrderToAll() async {
    let subject = PublishSubject<Letter, Fault>()
    let recorders = (1...3).map { _ in SignalRecorder(subject.signal) }
    await together(4) { sender in
      for number in 0..<1000 { subject.send(Letter(sender: sender, number: number)) }
    }
    expect(isInOrder(recorders[0].values, senders: 4, each: 1000))
    expect(recorders.allSatisfy { $0.values == recorders[0].values && $0.violations.isEmpty })
  }

  @Test func promise09_whoDeliversDoesNotMakeOthersWait() async {
    // The first delivery lasts until the second thread has sent: with a lock, neither would go on.
    let (source, isInside, isSent) = (Source<Int>(), Tally(), Tally())
    let recorder = SignalRecorder(
      source.signal.map { value in
        isInside.arrive()
        if value == 0 { spin { isSent.count > 0 } }
        return value
      })
    await together(2) { thread in
      if thread == 0 { return source.send(0) }
      spin { isInside.count > 0 }
      source.send(1)
      isSent.arrive()
    }
    expectEqual(recorder.values, [0, 1])
  }

  @Test func promise10_reentrantSendsAreDeliveredAfterwardsInOrder() {
    let (source, log) = (Source<Int>(), Log<String>())
    source.signal.subscribe(
      onValue: { value in
        log.add("begin \(value)")
        if value < 3 {
          source.send(value * 2 + 1)
          source.send(value * 2 + 2)
        }
        log.add("end \(value)")
      }, onFailure: { _ in })
    source.send(0)
    expectEqual(log.entries, [0, 1, 2, 3, 4, 5, 6].flatMap { ["begin \($0)", "end \($0)"] })
  }

  @Test func promise10_aMillionReentrantSendsDoNotRecurse() async {
    let (source, count) = (Source<Int>(), Tally())
    source.signal.map { $0 }.subscribe(
      onValue: { value in
        count.arrive()
        if value < 300_000 { source.send(value + 1) }
      }, onFailure: { _ in })
    await onSmallThread { source.send(1) }
    expectEqual(count.count, 300_000)
  }

  @Test func promise10_aTerminalEventSentInsideAHandlerEndsAfterIt() {
    let (source, log) = (Source<Int>(), Log<String>())
    source.signal.map { $0 }.subscribe { event in
      guard case .value(let value) = event else { return log.add("\(event)") }
      log.add("begin \(value)")
      source.send(2)
      source.complete()
      source.send(3)
      if value == 1 { log.add("end 1") }
    }
    source.send(1)
    expectEqual(log.entries, ["begin 1", "end 1", "begin 2", "completed"])
  }

  /// More than a subscribing thread delivers for other threads: at once, and one after the other.
  @Test(arguments: [false, true]) func promise10_aHandlerThatSendsDuringTheReplayKeepsItsThread(isShared: Bool) async {
    let (current, delivered, elsewhere) = (CurrentValue(0), Tally(), Tally())
    let signal = isShared ? current.signal.share(replay: 1) : current.signal
    let first = isShared ? SignalRecorder(signal) : nil
    await onThread {
      let thread = ObjectIdentifier(Thread.current)
      signal.subscribe(onValue: { value in
        delivered.arrive()
        if ObjectIdentifier(Thread.current) != thread { elsewhere.arrive() }
        if value == 0 { for number in 1...100 { current.send(number) } }
        if (100..<100_000).contains(value) { current.send(value + 1) }
      })
      expectEqual(delivered.count, 100_001)
    }
    expectEqual(elsewhere.count, 0)
    withExtendedLifetime(first) {}
  }

  @Test func promise10_aSubjectMayBeFedByItsOwnSubscribers() {
    let (subject, log) = (PublishSubject<Int, Fault>(), Log<Int>())
    subject.signal.subscribe(onValue: { if $0 < 3 { subject.send($0 + 1) } }, onFailure: { _ in })
    subject.signal.subscribe(onValue: { log.add($0) }, onFailure: { _ in })
    subject.send(1)
    expectEqual(log.entries, [1, 2, 3])
  }

  @Test(arguments: Stage.all)
  func promise11_anyOperatorMayBeDisposedAndFedFromInsideItsHandlers(stage: Stage) {
    // A lock that is held while calling out would be taken twice by one thread here.
    let (parts, tokens, calls) = (Parts(), Source<Token>(), Tally())
    let recorder = RawRecorder(stage.apply(tokens.signal, parts).numbers) { _ in
      calls.arrive()
      guard calls.count < 5 else { return false }
      tokens.send(parts.token(calls.count))
      parts.side.send(parts.token(calls.count))
      parts.clock.advance()
      return calls.count == 3
    }
    for number in 1...3 {
      tokens.send(parts.token(number))
      parts.side.send(parts.token(number))
      parts.clock.advance(by: .seconds(1))
    }
    tokens.complete()
    parts.side.complete()
    parts.clock.run()
    expect(calls.count > 0)
    expectEqual(recorder.violations, [])
  }

  #if compiler(>=6.3) && (os(macOS) || os(Linux) || os(Windows))
  @Test func promise11_aValueThatCallsBackWhenItIsFreedFindsNoLockHeld() async {
    await #expect(processExitsWith: .success) {
      let calls = Tally()
      let current = CurrentValue<Farewell?>(nil)
      let handle = current.signal.subscribe { _ in }
      for _ in 1...3 {
        current.value = Farewell { [weak current] in
          calls.arrive()
          current?.signal.take(1).subscribe { _ in }
        }
      }
      handle.dispose()
      precondition(calls.count == 2)
    }
    await #expect(processExitsWith: .success) {
      let (source, calls) = (Source<Farewell>(), Tally())
      let shared = source.signal.share(replay: 1)
      let handle = shared.subscribe { _ in }
      for _ in 1...3 {
        source.send(
          Farewell {
            calls.arrive()
            shared.take(1).subscribe { _ in }
          })
      }
      handle.dispose()
      precondition(calls.count == 3)
    }
  }
  #endif

  @Test func promise12_terminationFromAnotherThreadWhileAValueIsInFlight() async {
    for isFailure in [false, true] {
      let (source, isEnded, isInside) = (Source<Int>(), Tally(), Tally())
      let recorder = SignalRecorder(
        source.signal.map { value in
          isInside.arrive()
          spin { isEnded.count > 0 }
          return value
        })
      await together(2) { thread in
        if thread == 0 { return source.send(1) }
        spin { isInside.count > 0 }
        if isFailure { source.fail() } else { source.complete() }
        isEnded.arrive()
      }
      expectEqual(recorder.events, [.value(1), isFailure ? .failed(.broken) : .completed])
      expectEqual(source.teardownCount, 1)
    }
  }

  @Test func promise13_observeOnIsSerialAndInOrderOnAConcurrentScheduler() async {
    let count = 20_000
    let recorder = SignalRecorder(Signal<Int, Fault>.from(0..<count).observe(on: .global))
    await expect(recorder.waitForEnd())
    expectEqual(recorder.values, Array(0..<count))
    expect(recorder.isCompleted)
    expect(recorder.violations.isEmpty)
  }

  @Test func promise13_queuedEventsAreDroppedOnDisposalAndTheSourceIsStoppedAtOnce() {
    let (clock, source) = (VirtualScheduler(), Source<Int>())
    let recorder = SignalRecorder(source.signal.observe(on: clock))
    source.send(1)
    clock.advance()
    source.send(2)
    source.send(3)
    recorder.dispose()
    expectEqual(source.teardownCount, 1)
    clock.advance()
    expectEqual(recorder.events, [.value(1)])
  }

  @Test func promise13_disposingInTheHandlerDropsTheRestOfTheQueue() {
    let (clock, source, handle) = (VirtualScheduler(), Source<Int>(), Later<Disposable>())
    let log = Log<Int>()
    handle.value = source.signal.observe(on: clock).subscribe(
      onValue: {
        log.add($0)
        handle.value?.dispose()
      }, onFailure: { _ in })
    for value in 1...3 { source.send(value) }
    source.complete()
    clock.run()
    expectEqual(log.entries, [1])
  }
}
