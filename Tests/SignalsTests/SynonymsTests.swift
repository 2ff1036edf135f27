import Dispatch
import HeliographTesting
import Signals
import Testing

/// Each name of another library behaves as the operator that it stands for.
@Suite struct SynonymsTests {
  /// A name, and an operator under both spellings.
  struct Synonym: Sendable, CustomTestStringConvertible {
    typealias Operator = @Sendable (Numbers, VirtualScheduler) -> Signal<String, Fault>

    let testDescription: String
    let ours: Operator
    let theirs: Operator

    init<A: Sendable, B: Error>(
      _ name: String, _ ours: @escaping @Sendable (Numbers, VirtualScheduler) -> Signal<A, B>,
      _ theirs: @escaping @Sendable (Numbers, VirtualScheduler) -> Signal<A, B>
    ) {
      testDescription = name
      self.ours = { ours($0, $1).map { "\($0)" }.mapError { _ in .broken } }
      self.theirs = { theirs($0, $1).map { "\($0)" }.mapError { _ in .broken } }
    }
  }

  /// The events of an operator while its source sends, pauses and ends.
  private func events(_ apply: Synonym.Operator, _ end: Event<Int, Fault>) -> [Event<String, Fault>] {
    let (source, clock) = (PublishSubject<Int, Fault>(), VirtualScheduler())
    let recorder = SignalRecorder(apply(source.signal, clock))
    for number in [1, 1, 2, 3] {
      source.send(number)
      clock.advance(by: .milliseconds(number == 2 ? 100 : 1))
    }
    if case .failed(let fault) = end { source.fail(fault) } else { source.complete() }
    clock.advance(by: .seconds(1))
    recorder.dispose()
    return recorder.events
  }

  @Test(arguments: combine + rx) func isTheSame(_ synonym: Synonym) {
    for end in [Event<Int, Fault>.completed, .failed(.late)] {
      let expected = events(synonym.ours, end)
      #expect(!expected.isEmpty && events(synonym.theirs, end) == expected)
    }
  }

  private static let tens: @Sendable (Int) -> Numbers = { .from([$0, $0 * 10]) }
  private static let pause = Duration.milliseconds(20)

  private static let combine: [Synonym] = [
    Synonym("receive(on:)", { $0.observe(on: $1) }, { $0.receive(on: $1) }),
    Synonym("replaceError(with:)", { s, _ in s.replaceFailure(with: 7) }, { s, _ in s.replaceError(with: 7) }),
    Synonym("replaceEmpty(with:)", { s, _ in s.skip(9).ifEmpty(7) }, { s, _ in s.skip(9).replaceEmpty(with: 7) }),
    Synonym("removeDuplicates()", { s, _ in s.distinctUntilChanged() }, { s, _ in s.removeDuplicates() }),
    Synonym(
      "removeDuplicates(by:)", { s, _ in s.distinctUntilChanged { $0 < $1 } },
      { s, _ in s.removeDuplicates { $0 < $1 } }),
    Synonym("merge(with:)", { s, _ in s.merge(.just(7), .just(8)) }, { s, _ in s.merge(with: .just(7), .just(8)) }),
    Synonym("switchToLatest()", { s, _ in s.map(tens).flatten(.latest) }, { s, _ in s.map(tens).switchToLatest() }),
    Synonym("prefix(_:)", { s, _ in s.take(2) }, { s, _ in s.prefix(2) }),
    Synonym("dropFirst()", { s, _ in s.skip(1) }, { s, _ in s.dropFirst() }),
    Synonym("debounce(for:scheduler:)", { $0.debounce(pause, on: $1) }, { $0.debounce(for: pause, scheduler: $1) }),
    Synonym("delay(for:scheduler:)", { $0.delay(pause, on: $1) }, { $0.delay(for: pause, scheduler: $1) }),
  ]

  private static let rx: [Synonym] = [
    Synonym("flatMapLatest", { s, _ in s.flatMap(.latest, tens) }, { s, _ in s.flatMapLatest(tens) }),
    Synonym("flatMapFirst", { s, _ in s.flatMap(.exhaust, tens) }, { s, _ in s.flatMapFirst(tens) }),
    Synonym("concatMap", { s, _ in s.flatMap(.concat, tens) }, { s, _ in s.concatMap(tens) }),
    Synonym("startWith", { s, _ in s.prepend(8, 9) }, { s, _ in s.startWith(8, 9) }),
    Synonym(
      "withLatestFrom", { s, _ in s.withLatest(from: .just(7)) }, { s, _ in s.withLatestFrom(.just(7)) }),
    Synonym("catchAndReturn", { s, _ in s.replaceFailure(with: 7) }, { s, _ in s.catchAndReturn(7) }),
    Synonym("toArray()", { s, _ in s.collect() }, { s, _ in s.toArray() }),
    Synonym("debounce(_:scheduler:)", { $0.debounce(pause, on: $1) }, { $0.debounce(pause, scheduler: $1) }),
    Synonym("throttle(_:scheduler:)", { $0.throttle(pause, on: $1) }, { $0.throttle(pause, scheduler: $1) }),
    Synonym("delay(_:scheduler:)", { $0.delay(pause, on: $1) }, { $0.delay(pause, scheduler: $1) }),
    Synonym(
      "repeat(every:)", { $0.take(1).poll(every: pause, until: { _ in false }, on: $1) },
      { $0.take(1).repeat(every: pause, on: $1) }),
    Synonym(
      "interval(_:scheduler:)", { $0.take(until: Numbers.timer(every: pause, on: $1)) },
      { $0.take(until: Numbers.interval(pause, scheduler: $1)) }),
    Synonym("of", { s, _ in s.merge(.from([7, 8])) }, { s, _ in s.merge(.of(7, 8)) }),
    Synonym("error(_:)", { s, _ in s.then(.fail(.broken)) as Numbers }, { s, _ in s.then(.error(.broken)) as Numbers }),
    Synonym(
      "create(_:)", { s, _ in s.merge(.just(7)) },
      { s, _ in
        s.merge(
          .create { observer in
            observer.onNext(7)
            observer.onCompleted()
            return nil
          })
      }),
    Synonym(
      "Signal.zip with a closure", { s, _ in Signal.zip(s, s).map { $0 + $1 } },
      { s, _ in Signal.zip(s, s) { $0 + $1 } }),
    Synonym(
      "Signal.combineLatest with a closure", { s, _ in Signal.combineLatest(s, s).map { $0 + $1 } },
      { s, _ in Signal.combineLatest(s, s) { $0 + $1 } }),
    Synonym("Signal.zip of three", { s, _ in s.zip(s, s) }, { s, _ in Signal.zip(s, s, s) }),
    Synonym(
      "Signal.combineLatest of three", { s, _ in s.combineLatest(s, s) }, { s, _ in Signal.combineLatest(s, s, s) }),
  ]

  @Test func sideEffectsAreTheSame() {
    let (ours, theirs, rx) = (Log<String>(), Log<String>(), Log<String>())
    for signal in [Numbers.just(1), .fail(.broken), .never] {
      SignalRecorder(
        signal.on(
          value: { ours.add("\($0)") }, failure: { ours.add("\($0)") }, completion: { ours.add("end") },
          dispose: { ours.add("cancel") })
      ).dispose()
      SignalRecorder(
        signal.handleEvents(
          receiveOutput: { theirs.add("\($0)") },
          receiveCompletion: { if case .failure(let fault) = $0 { theirs.add("\(fault)") } else { theirs.add("end") } },
          receiveCancel: { theirs.add("cancel") })
      ).dispose()
      SignalRecorder(
        signal.do(onNext: { rx.add("\($0)") }, onError: { rx.add("\($0)") }, onCompleted: { rx.add("end") })
      ).dispose()
    }
    #expect(ours.entries == ["1", "end", "broken", "cancel"])
    #expect(theirs.entries == ours.entries && rx.entries == ours.entries.dropLast())
  }

  @Test func subscribersGetTheSame() {
    let log = Log<String>()
    for signal in [Numbers.just(1), .fail(.broken)] {
      signal.subscribe(onNext: { log.add("\($0)") }, onError: { log.add("\($0)") }, onCompleted: { log.add("end") })
      signal.sink(
        receiveCompletion: { if case .failure(let fault) = $0 { log.add("\(fault)") } else { log.add("end") } },
        receiveValue: { log.add("\($0)") }
      ).cancel()
    }
    #expect(log.entries == ["1", "end", "1", "end", "broken", "broken"])
    let plain = Log<Int>()
    let signal = Signal<Int, Never>.just(1)
    signal.subscribe(onNext: { plain.add($0) })
    signal.sink { plain.add($0) }.cancel()
    #expect(plain.entries == [1, 1])
  }

  @Test func aTrailingClosureStillGetsTheEvent() {
    let log = Log<String>()
    Signal<Int, Never>.just(1).subscribe { log.add("\(type(of: $0))") }
    Signal<String, Never>.just("a").subscribe { log.add($0.uppercased()) }
    #expect(log.entries == ["Event<Int, Never>", "Event<Int, Never>", "A"])
  }

  @Test func sendingIsTheSame() {
    let subject = PublishSubject<Int, Fault>()
    let recorder = SignalRecorder(subject.signal)
    subject.onNext(1)
    subject.onError(.broken)
    #expect(recorder.events == [.value(1), .failed(.broken)])
    let (one, two, three) = (PublishSubject<Void, Fault>(), PublishSubject<Int, Fault>(), PublishSubject<Int, Fault>())
    let (first, second, third) = (SignalRecorder(one.signal), SignalRecorder(two.signal), SignalRecorder(three.signal))
    one.send()
    one.onCompleted()
    two.send(completion: .finished)
    three.send(completion: .failure(.late))
    #expect(first.values.count == 1 && first.isCompleted && second.events == [.completed])
    #expect(third.events == [.failed(.late)])
    let failing = Numbers.create { observer in
      observer.onError(.late)
      return nil
    }
    #expect(SignalRecorder(failing).events == [.failed(.late)])
  }

  @MainActor @Test func sourcesAreSubscribedTo() async {
    final class Screen { var number = 0 }
    let (value, copy, words) = (CurrentValue(1), CurrentValue(0), PublishSubject<Int, Never>())
    let (log, screen) = (Log<Int>(), Screen())
    let handles = [
      value.subscribe(onValue: { log.add($0) }), words.subscribe(onValue: { log.add($0) }),
      value.signal.bind(to: copy), value.signal.bind(to: \.number, on: screen),
      value.subscribeOnMain(onValue: { log.add($0 * 100) }),
    ]
    value.accept(2)
    value.onNext(3)
    words.onNext(10)
    #expect(log.entries == [1, 2, 3, 10] && copy.value == 3 && screen.number == 3)
    await mainQueueTurn()
    #expect(log.entries.last == 300)
    for handle in handles { handle.cancel() }
    value.accept(4)
    #expect(copy.value == 3 && handles.allSatisfy { $0.isDisposed })
  }

  @Test func aQueueIsAScheduler() async {
    let queue = DispatchQueue(label: "queue")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let isThere = { @Sendable (_: Int) in DispatchQueue.getSpecific(key: key) == true }
    let one = Signal<Int, Never>.just(1)
    #expect(await one.observe(on: queue).map(isThere).first() == true)
    #expect(await one.receive(on: queue).map(isThere).first() == true)
    let open = one.merge(.never)  // whose completion does not send what waits
    #expect(await open.debounce(for: .milliseconds(1), scheduler: queue).map(isThere).first() == true)
    // The schedulers of the library are still found by their short names.
    #expect(await one.observe(on: .global).receive(on: .global).map(isThere).first() == false)
  }
}

/// The handle of `sink` cancels when it is dropped, as in Combine.
@Suite struct SinkTests {
  private let source = Source<Int>()

  @Test func droppingTheHandleCancels() {
    var handle: DisposeBag? = source.signal.sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    #expect(handle != nil && !source.isIdle)
    handle = nil
    #expect(source.isIdle)
  }

  @Test func aBagKeepsIt() {
    var bag: DisposeBag? = DisposeBag()
    if let bag { source.signal.sink(receiveCompletion: { _ in }, receiveValue: { _ in }).store(in: bag) }
    #expect(!source.isIdle)
    bag = nil
    #expect(source.isIdle)
  }

  @Test func aHandleThatABagKeepsStillCancels() {
    let bag = DisposeBag()
    let handle = source.signal.sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    handle.disposed(by: bag)
    handle.cancel()
    #expect(source.isIdle && !bag.isDisposed)
  }

  @Test func aBagThatIsDisposedCancelsItAtOnce() {
    let bag = DisposeBag()
    bag.cancel()
    source.signal.sink(receiveCompletion: { _ in }, receiveValue: { _ in }).store(in: bag)
    source.signal.subscribe { _ in }.store(in: bag)
    #expect(source.isIdle)
  }

  @Test func aBagDoesNotGrowByHandlesThatHaveEnded() {
    let bag = DisposeBag()
    for _ in 0..<1_000 { Signal<Int, Never>.just(1).observe(on: .immediate).sink { _ in }.store(in: bag) }
    #expect(bag.count <= 17)
  }
}
