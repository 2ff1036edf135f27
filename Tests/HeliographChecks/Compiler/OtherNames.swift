/// A line of code with a name of another library, and the compiler's answer.
struct OtherName {
  let code: String
  /// A part of each error, in the order of their columns.
  let errors: [String]

  init(_ code: String, _ errors: String...) {
    self.code = code
    self.errors = errors
  }

  /// What the lines use.
  static let prelude = """
    import Signals
    struct Oops: Error {}
    @MainActor final class Screen { var title = 0 }
    let numbers: Signal<Int, Never> = .just(1)
    let texts: Signal<String, Oops> = .just("a")
    let signals: Signal<Signal<String, Oops>, Never> = .just(texts)
    let optionals: Signal<Int?, Never> = .just(nil)
    let subject = PublishSubject<Int, Oops>()
    let current = CurrentValue(1)
    let property = current.property
    let handle = Disposable {}
    let bag = DisposeBag()
    let action = Action<Int, Int, Never> { .just($0) }
    let observe: @Sendable (Observer<Int, Oops>) -> Disposable? = { _ in nil }
    func after(_ text: String) {}
    @Sendable func load() async throws -> Int { 1 }
    @Sendable func half(_ number: Int) throws -> Int { number / 2 }
    @Sendable func search(_ number: Int) -> Signal<String, Oops> { texts }

    """

  static let combine = [
    OtherName("let _: AnyPublisher<Int, Never> = numbers", "renamed to 'Signal'"),
    OtherName("let _ = PassthroughSubject<Int, Never>()", "renamed to 'PublishSubject'"),
    OtherName("let _ = CurrentValueSubject<Int, Never>(1)", "Write CurrentValue(value), which has no failure type"),
    OtherName("var _: Set<AnyCancellable> = []", "Use a DisposeBag, or bound(to: owner)"),
    OtherName("let _ = Just(1).map { $0 + 1 }", "Write .just(value)"),
    OtherName("let _ = Empty<Int, Never>()", "Write .empty, a property", "Write Signal.empty"),
    OtherName("let _ = Fail<Int, Oops>(error: Oops())", "Write .fail(error)", "Write Signal.fail(error)"),
    OtherName("let _ = Fail(outputType: Int.self, failure: Oops())", "Write .fail(error)", "Write Signal.fail(error)"),
    OtherName("let _ = Deferred { texts }.map { $0.count }", "Write .deferred { … }"),
    OtherName("let _ = Future<Int, Never> { promise in promise(.success(1)) }", "Signal.task { … }"),
    OtherName("let _ = Publishers.self", "Write Signal.merge, Signal.zip or Signal.combineLatest"),
    OtherName("let _: Subscribers.Completion<Oops>? = nil", "Use Event, or onFailure: and onCompletion:"),
    OtherName(
      "numbers.sink { print($0 + 1) }", "Write subscribe(onValue:), for a view model subscribeOnMain(onValue:)"),
    OtherName(
      "current.sink(receiveValue: { screen.title = $0 })", "Write subscribe(onValue:), for a view model subscribeOnMain"
    ),
    OtherName(
      "texts.sink(receiveCompletion: { if case .failure(let oops) = $0 { print(oops) } }, receiveValue: { after($0) })",
      "Write subscribe(onValue:onFailure:onCompletion:), for a view model subscribeOnMain"),
    OtherName("texts.sink { after($0) }", "Write subscribe(onValue:onFailure:), for a view model subscribeOnMain: the"),
    OtherName(
      "let _ = numbers.tryMap { try half($0) }.map { $0 + 1 }",
      "The signal cannot fail: write flatMap { value in Signal<Output, any Error>.task { try … } }"),
    OtherName("texts.receive(on: .main).subscribe { _ in }", "Write observe(on:); for a view model, subscribeOnMain"),
    OtherName("texts.receive(on: 1).subscribe { _ in }", "Write observe(on: .main); for a view model, subscribeOnMain"),
    OtherName(
      "let _ = texts.handleEvents(receiveOutput: { after($0) })", "Write on(value:failure:completion:dispose:), where"),
    OtherName("let _ = texts.map { $0.count }.eraseToAnyPublisher()", "Leave it out: a Signal is the same type"),
    OtherName("let _ = texts.replaceError(with: \"\").map { $0.count }", "renamed to 'replaceFailure(with:)'"),
    OtherName("let _ = texts.replaceEmpty(with: \"\")", "renamed to 'ifEmpty(_:)'"),
    OtherName("let _ = optionals.replaceNil(with: 1).map { $0 + 1 }", "Write map { $0 ?? value }"),
    OtherName("let _ = texts.removeDuplicates().map { $0.count }", "renamed to 'distinctUntilChanged()'"),
    OtherName("let _ = texts.removeDuplicates { $0.count == $1.count }", "renamed to 'distinctUntilChanged(by:)'"),
    OtherName("let _ = texts.merge(with: texts)", "renamed to 'merge(_:)'"),
    OtherName("let _ = signals.switchToLatest().map { $0.count }", "Write flatten(.latest)"),
    OtherName(
      "let _ = texts.flatMap(maxPublishers: .max(2)) { Signal<Int, Oops>.just($0.count) }",
      "Write flatMap(.merge(maxConcurrent: n))"),
    OtherName("let _ = texts.ignoreOutput()", "Write then(.empty)"),
    OtherName("let _ = texts.prefix(3)", "renamed to 'take(_:)'"),
    OtherName("let _ = texts.prefix(while: { $0.isEmpty })", "renamed to 'take(while:)'"),
    OtherName("let _ = texts.prefix(untilOutputFrom: subject)", "renamed to 'take(until:)'"),
    OtherName("let _ = texts.dropFirst()", "Write skip(count), or skip(1) for dropFirst()"),
    OtherName("let _ = texts.drop(while: { $0.isEmpty })", "renamed to 'skip(while:)'"),
    OtherName("let _ = texts.drop(untilOutputFrom: subject)", "renamed to 'skip(until:)'"),
    OtherName("let _ = texts.first { $0.isEmpty }", "Write filter { … }.first()"),
    OtherName("let _ = texts.last { $0.isEmpty }", "Write filter { … }.last()"),
    OtherName("let _ = texts.collect(3)", "renamed to 'collect(count:)'"),
    OtherName("let _ = texts.debounce(for: .seconds(1), scheduler: 1)", "renamed to 'debounce(_:on:)'"),
    OtherName("let _ = texts.delay(for: .seconds(1), scheduler: 1)", "renamed to 'delay(_:on:)'"),
    OtherName(
      "let _ = texts.throttle(for: .seconds(1), scheduler: 1, latest: true)", "Write throttle(interval, on: scheduler)"),
    OtherName(
      "let _ = texts.timeout(.seconds(1), scheduler: 1)", "Write timeout(interval, failing: error, on: scheduler)"),
    OtherName("subject.send(completion: .finished)", "Write complete() or fail(error)"),
    OtherName("let _ = subject.eraseToAnyPublisher().map { $0 + 1 }", "renamed to 'signal'"),
    OtherName("handle.cancel()", "renamed to 'dispose()'"),
    OtherName("handle.store(in: bag)", "renamed to 'disposed(by:)'"),
    OtherName(
      "var handles: Set<Disposable> = []; handle.store(in: &handles)", "Write disposed(by: bag) with a DisposeBag"),
  ]

  static let reactiveSwift = [
    OtherName("let _: SignalProducer<Int, Never> = numbers", "renamed to 'Signal'"),
    OtherName("let _ = MutableProperty(1)", "renamed to 'CurrentValue'"),
    OtherName("let _: AnyProperty<Int> = current.property", "renamed to 'Property'"),
    OtherName("let _ = numbers.observe(on: UIScheduler())", "Write .mainImmediate, or subscribeOnMain(onValue:)"),
    OtherName("let _ = numbers.observe(on: QueueScheduler.main)", "renamed to 'DispatchScheduler'"),
    OtherName("let _ = ScopedDisposable()", "renamed to 'DisposeBag'"),
    OtherName("let _ = signals.flatten(.race)", "Write Signal.amb([…])"),
    OtherName("let _ = Signal<Int, Oops>.pipe()", "Create a PublishSubject: subject.signal, subject.send(_:)"),
    OtherName("let _ = numbers.producer.map { $0 + 1 }", "Leave it out: a Signal is cold"),
    OtherName("texts.start()", "Write subscribe { event in … }"),
    OtherName("let _ = texts.start(on: .main)", "renamed to 'subscribe(on:)'"),
    OtherName("texts.startWithResult { print($0) }", "Write asResult().subscribe(onValue:)"),
    OtherName("numbers.startWithValues { print($0 + 1) }", "renamed to 'subscribe(onValue:)'"),
    OtherName("numbers.observeValues { print($0 + 1) }", "renamed to 'subscribe(onValue:)'"),
    OtherName("let _ = texts.flatMapError { _ in texts }", "renamed to 'catch(_:)'"),
    OtherName("let _ = texts.attemptMap { .success($0.count) }", "Write tryMap { (value) throws(Failure) in … }"),
    OtherName("let _ = texts.skipRepeats().map { $0.count }", "renamed to 'distinctUntilChanged()'"),
    OtherName("let _ = texts.skipRepeats { $0.count == $1.count }", "renamed to 'distinctUntilChanged(by:)'"),
    OtherName("let _ = optionals.skipNil().map { $0 + 1 }", "Write compactMap { $0 }"),
    OtherName("let _ = texts.combinePrevious()", "renamed to 'pairwise()'"),
    OtherName("let _ = texts.take(first: 3)", "renamed to 'take(_:)'"),
    OtherName("let _ = texts.skip(first: 3)", "renamed to 'skip(_:)'"),
    OtherName("let _ = texts.take(last: 1)", "Write last() for take(last: 1)"),
    OtherName("let _ = texts.sample(with: numbers)", "Write sample(on: sampler)"),
    OtherName("let _ = texts.take(duringLifetimeOf: screen)", "Write bound(to: owner), which ends"),
    OtherName("let _ = texts.logEvents(identifier: \"a\")", "renamed to 'debug(_:)'"),
    OtherName("let _ = texts.retry(upTo: 3)", "renamed to 'retry(_:)'"),
    OtherName(
      "let _ = texts.retry(upTo: 3, interval: .seconds(1), on: .main)",
      "Write retry(count, .constant(interval), on: scheduler)"),
    OtherName("let _ = numbers.promoteError(Oops.self)", "Leave it out: a signal that cannot fail combines"),
    OtherName("subject.send(value: 1)", "renamed to 'send(_:)'"),
    OtherName("subject.send(error: Oops())", "renamed to 'fail(_:)'"),
    OtherName("subject.sendCompleted()", "renamed to 'complete()'"),
    OtherName("let _ = action.apply(1)", "Write execute(input), which starts at once and returns a handle"),
    OtherName("let _ = Lifetime.of(screen)", "Write bound(to: object) in the chain"),
    OtherName("let _ = numbers.take(during: screen)", "Write bound(to: owner), which ends"),
    OtherName("numbers.subscribe(onValue: { print($0) }).bound(to: screen)", "Write bound(to: owner) in the chain"),
    OtherName("let _ = Signal { try await load() }", "Write Signal.task { … }"),
    OtherName("let _: Signal<Int, any Error> = Signal { try await load() }", "Write Signal.task { … }"),
    OtherName("let _ = Signal.timer(every: .seconds(1))", "Write Signal<Int, Never>.timer(every: interval)"),
    OtherName("let _ = combineLatest(numbers, current) { $0 + $1 }", "Write Signal.combineLatest(a, b).map { … }"),
    OtherName("let _ = combineLatest(numbers, current).map { $0 + $1 }", "Write Signal.combineLatest(a, b)"),
    OtherName("let _ = zip(numbers, current).map { $0 + $1 }", "Write Signal.zip(a, b)"),
    OtherName("let _ = merge(numbers, current).map { $0 + 1 }", "Write Signal.merge(a, b)"),
    OtherName("let _ = texts.poll(every: .seconds(1), limit: 3)", "Write poll(every: interval, until: isLast)"),
    OtherName(
      "let _ = texts.poll(every: .seconds(1), until: { $0.isEmpty }, limit: 3)",
      "Write poll(every: interval, until: isLast).take(limit)"),
    OtherName("subject.finish()", "renamed to 'complete()'"),
    OtherName("let _ = Signal<Int, Never> { $0.finish(); return nil }", "renamed to 'complete()'"),
    OtherName("let _ = action.enabled.map { !$0 }", "renamed to 'isEnabled'"),
    OtherName("let _ = action.executing.map { !$0 }", "renamed to 'isExecuting'"),
    OtherName("let _ = action.elements.map { $0 + 1 }", "renamed to 'values'"),
    OtherName("let _ = action.errors", "renamed to 'failures'"),
  ]

  /// Mistakes in the library's own names, whose errors do not speak of other libraries.
  static let mistakes = [
    OtherName("let _ = texts.map { $0.size }", "value of type 'String' has no member 'size'"),
    OtherName("let _ = texts.flatMap { text in Signal<Int, Never>.just(text.size) }", "has no member 'size'"),
    OtherName("let _ = numbers.flatMap { number -> Signal<Int, Oops> in .just(number.half) }", "has no member 'half'"),
    OtherName("let _ = texts.debounce(.seconds(1), on: \"main\")", "'String' conform to 'SignalScheduler'"),
    OtherName("let _ = texts.withLatest(from: 1)", "'Int' conform to 'SignalConvertible'"),
    OtherName("let _ = numbers.merge(1)", "cannot convert value of type 'Int' to expected argument type"),
    OtherName("let _: Signal<Int, Oops> = .emty", "has no member 'emty'"),
    OtherName("numbers.subscribe(onValue: { $0.foo() })", "value of type 'Int' has no member 'foo'"),
    OtherName("let _: Signal<Int, Never> = texts.map { $0.count }", "cannot assign value of type"),
    OtherName("let _ = Signal.zip(numbers, texts)", "The failure types differ: write a.zip(b), or setFailureType(to:)"),
    OtherName("let _ = Signal.combineLatest(numbers, texts, numbers)", "The failure types differ"),
    OtherName("let _ = current.signal.filter { $0 + 1 }", "cannot convert value of type 'Int' to closure result type"),
    OtherName("let _ = texts.on(valu: { after($0) })", "incorrect argument label in call (have 'valu:'"),
    OtherName("texts.subscribe { if case .value(let text) = $0 { after(text.size) } }", "has no member 'size'"),
    OtherName("let _: Signal<Int, any Error> = .just(\"\")", "cannot convert value of type 'String'"),
    OtherName(
      "let _ = texts.map { $0.count }.filter { $0 > 0 }.debounce(.seconds(1)).flatMap { search($0) }.map { $0.count }.replaceFailure(with: 0).map { $0.foo }",
      "value of type 'Int' has no member 'foo'"),
    OtherName("let _ = texts.retry(3, .exponental())", "has no member 'exponental'"),
  ]
}
