import Dispatch
import Heliograph
import HeliographTesting
import Testing

extension FirstGuessTests {
  // Guesses about signals.

  @Test("Signal.zip([a, b])") func zipArray() async { #expect(await Signal.zip([one, two]).first() == [1, 2]) }

  @Test("asResult()") func asResult() async { #expect(await one.asResult().first() == .success(1)) }

  @Test("poll(every:until:)") func poll() async {
    #expect(await one.poll(every: .milliseconds(1), until: { $0 == 1 }).first() == 1)
  }

  @Test("Signal.task { try await load() }") func task() async throws {
    let load = { @Sendable () async throws(NetworkError) -> Int in 1 }
    #expect(try await Signal<Int, NetworkError>.task { try await load() }.first() == 1)
  }

  @Test("sink { }") func sink() {
    let log = Lines()
    let handle = one.sink { log.add("\($0)") }
    #expect(log.all == ["1"])
    handle.cancel()
  }

  @Test("receive(on: DispatchQueue.main)") func receiveOn() async {
    #expect(await one.receive(on: DispatchQueue.main).first() == 1)
  }

  @Test("observe(on: DispatchQueue.main)") func observeOn() async {
    #expect(await one.observe(on: DispatchQueue.main).first() == 1)
  }

  @Test("store(in:)") func storeIn() {
    let bag = DisposeBag()
    Signal<Int, Never>.never.sink { _ in }.store(in: bag)
    bag.dispose()
  }

  @Test("retry(3)") func retry() async { #expect(await one.retry(3).first() == 1) }

  @Test("Signal.zip(a, b)") func staticZip() async {
    #expect(await Signal.zip(one, two).map { $0 + $1 }.first() == 3)
  }

  @Test("Signal.combineLatest(a, b)") func staticCombineLatest() async {
    #expect(await Signal.combineLatest(one, two).map { $0 + $1 }.first() == 3)
  }

  @Test("merge(with:)") func mergeWith() async {
    #expect(await one.merge(with: two).collect().first() == [1, 2])
  }

  @Test("Signal.merge(a, b)") func staticMerge() async {
    #expect(await Signal.merge(one, two).collect().first() == [1, 2])
  }

  @Test("interval") func interval() async {
    #expect(await Signal<Int, Never>.interval(.milliseconds(1)).first() == 0)
  }

  @Test("startWith") func startWith() async { #expect(await one.startWith(0).collect().first() == [0, 1]) }

  @Test("do(onNext:)") func doOnNext() async {
    let log = Lines()
    #expect(await one.do(onNext: { log.add("\($0)") }).first() == 1 && log.all == ["1"])
  }

  @Test("handleEvents(receiveOutput:)") func handleEvents() async {
    let log = Lines()
    #expect(await one.handleEvents(receiveOutput: { log.add("\($0)") }).first() == 1 && log.all == ["1"])
  }

  @Test("replaceError(with:)") func replaceError() async {
    #expect(await Signal<Int, NetworkError>.fail(NetworkError(.server, 500)).replaceError(with: 7).first() == 7)
  }

  @Test("repeat") func repeatForever() async {
    #expect(await one.repeat().take(3).collect().first() == [1, 1, 1])
  }

  @Test("take(until: { })") func takeUntil() async { #expect(await one.take(until: { $0 == 1 }).first() == 1) }

  @MainActor @Test("assign(to:on:)") func assign() {
    let screen = Screen()
    one.assign(to: \.number, on: screen)
    #expect(screen.number == 1)
  }

  @MainActor @Test("bind(to:on:)") func bind() {
    let screen = Screen()
    one.bind(to: \.number, on: screen)
    #expect(screen.number == 1)
  }

  @Test("flatMapLatest") func flatMapLatest() async {
    #expect(await one.flatMapLatest { .just($0 + 1) }.first() == 2)
  }

  @Test("subject.onNext") func onNext() {
    let (subject, log) = (PublishSubject<Int, Never>(), Lines())
    subject.subscribe(onValue: { log.add("\($0)") })
    subject.onNext(1)
    #expect(log.all == ["1"])
  }

  @Test("CurrentValue.subscribe") func subscribeToAValue() {
    let log = Lines()
    CurrentValue(1).subscribe(onValue: { log.add("\($0)") }).dispose()
    #expect(log.all == ["1"])
  }

  @MainActor private final class Screen { var number = 0 }
  private var one: Signal<Int, Never> { .just(1) }
  private var two: Signal<Int, Never> { .just(2) }
}
