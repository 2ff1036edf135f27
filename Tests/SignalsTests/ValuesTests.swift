import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// `values(buffering:)`: what waits for an async loop, and how the loop ends.
struct ValuesTests {
  private static let policies: [(BufferingPolicy, [Int])] = [
    (.unbounded, [1, 2, 3, 4, 5]), (.newest(2), [4, 5]), (.newest(0), [5]), (.oldest(2), [1, 2]), (.oldest(-1), [1]),
    (.newest(5), [1, 2, 3, 4, 5]), (.oldest(5), [1, 2, 3, 4, 5]),
  ]

  @Test(arguments: policies)
  func aFullBufferDropsValuesInTheOrderOfItsPolicy(policy: BufferingPolicy, expected: [Int]) async throws {
    var values: [Int] = []
    for try await value in Numbers.stubborn(1, 2, 3, 4, 5).values(buffering: policy) { values.append(value) }
    expectEqual(values, expected)
  }

  @Test(arguments: policies)
  func aFailureIsNeverDropped(policy: BufferingPolicy, expected: [Int]) async {
    var values: [Int] = []
    let signal = Numbers.stubborn(1, 2, 3, 4, 5).concat(.fail(.late))
    await #expect(throws: Fault.late) {
      for try await value in signal.values(buffering: policy) { values.append(value) }
    }
    expectEqual(values, expected)
  }

  @Test func droppedValuesAreFreedAtOnce() async {
    let census = Census()
    let subject = PublishSubject<Token, Never>()
    let iterator = Signal<Token, Never>.just(census.token(0)).concat(subject.signal).values(buffering: .newest(2))
      .makeAsyncIterator()
    await expectEqual(iterator.next()?.number, 0)
    for number in 1...5 { subject.send(census.token(number)) }
    expectEqual(census.alive, 2)
    await expectEqual(iterator.next()?.number, 4)
    subject.send(census.token(6))
    await expectEqual(iterator.next()?.number, 5)
    await expectEqual(iterator.next()?.number, 6)
  }

  @Test func aLoopOverAnEndlessSourceMayBeLeft() async {
    let sent = Tally()
    for await value in Signal<Int, Never>.from(0...).on(value: { _ in sent.arrive() }).values {
      expectEqual(value, 0)
      break
    }
    expectEqual(sent.count, Pressure.highCount)
  }

  @Test(arguments: [BufferingPolicy.unbounded, .newest(1), .oldest(1)])
  func aCancelledTaskStartsNoWorkAndFreesTheSignal(policy: BufferingPolicy) async {
    let (source, census) = (Source<Int>(), Census())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      let token = census.token()
      let iterator = source.signal.map { value -> Int in
        token.use()
        return value
      }.values(buffering: policy).makeAsyncIterator()
      let first = try? await iterator.next()
      let second = try? await iterator.next()
      return first == .some(nil) && second == .some(nil)
    }
    await expect(task.value)
    expectEqual(source.subscriptionCount, 0)
    expectEqual(census.alive, 0)
  }

  @Test func aLoopOverADeallocatedSubjectGetsWhatWaitsAndEnds() async {
    var subject: PublishSubject<Int, Never>? = PublishSubject()
    let started = Signal<Int, Never>.just(0)
    let iterator = subject.map { started.concat($0.signal).values.makeAsyncIterator() }
    await expectEqual(iterator?.next(), 0)
    subject?.send(1)
    subject?.send(2)
    subject = nil
    await expectEqual(iterator?.next(), 1)
    await expectEqual(iterator?.next(), 2)
    await expectNil(iterator?.next())
    await expectNil(iterator?.next())
  }

  @Test func aWaitingLoopEndsWhenItsSubjectIsDeallocated() async {
    let (subject, asking) = (Later<PublishSubject<Int, Never>>(), Moment())
    subject.value = PublishSubject()
    let task = Task {
      let iterator = subject.value.map {
        $0.signal.on(start: { asking.arrive() }).values.makeAsyncIterator()
      }
      return await iterator?.next() == nil
    }
    await expect(asking.wait())
    subject.value = nil
    await expect(task.value)
  }

  @Test func aCurrentValueThatIsDeallocatedEndsTheLoopToo() async {
    var current: CurrentValue<Int>? = CurrentValue(1)
    let iterator = current.map { $0.signal.values.makeAsyncIterator() }
    await expectEqual(iterator?.next(), 1)
    current = nil
    await expectNil(iterator?.next())
  }

  @Test func aLoopEndsWithTheOwnerThatItsSignalIsBoundTo() async {
    let (started, source) = (Moment(), Source<Int>())
    var lifetime: Lifetime? = Lifetime()
    let bound = source.signal.bound(to: lifetime!).on(start: { started.arrive() })
    let loop = Task { try? await bound.first() }
    await expect(started.wait())
    lifetime = nil
    await expectNil(loop.value)
    expect(source.isIdle)
  }
}
