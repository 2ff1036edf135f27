/// The types of RxSwift, its static members, its events, and closures that its operators take and ours do not.
extension OtherName {
  private static let observable = "Write Signal<Value, Failure>: the type of the failure is part of it"
  private static let create = "Write Signal { observer in … }, which sends with send(_:), fail(_:) and complete()"
  private static let disposables = "Write Disposable { … }, or return nil"

  static let rxTypes = [
    OtherName("let _: AnyObserver<Int>? = nil", "Write PublishSubject<Value, Failure>; in Signal { observer in … }"),
    OtherName("let _: (any ObservableType)? = nil", "Write Signal in an extension or a type"),
    OtherName("let _: Signal<Int, Oops>.Element = 1", "renamed to 'Value'"),
    OtherName("let _: (any ObservableConvertibleType)? = nil", "Write Signal in an extension or a type"),
    OtherName("func f<O: ObserverType>(_ o: O) where O.Element == Int {}", "Write PublishSubject<Value, Failure> or"),
    OtherName("let _: PrimitiveSequence<Int, Int>? = nil", "Write extension Signal where Failure == …, Value == …"),
    OtherName("let _: SingleTrait? = nil", "Leave it out: there is no trait, a Signal is the only type"),
    OtherName("let _: (any PrimitiveSequenceType)? = nil", "Write extension Signal where Failure == …, Value == …"),
    OtherName("let _: SharedSequence<Int, Int>? = nil", "Write Signal<Value, Never> with share(replay: 1)"),
    OtherName("let _ = Binder<Int>(screen) { $0.title = $1 }", "Write assign(to: \\.property, on: object), or"),
    OtherName("let _: any SchedulerType = .main", "renamed to 'SignalScheduler'"),
    OtherName("let _: any ImmediateSchedulerType = .main", "renamed to 'SignalScheduler'"),
    OtherName(
      "let _ = texts.observe(on: ConcurrentMainScheduler.instance)", "Write .mainImmediate, or subscribeOnMain"),
    OtherName(
      "let _ = texts.observe(on: ConcurrentDispatchQueueScheduler(qos: .background))", "Write .global; or Dispatch",
      "Write DispatchScheduler(queue), with a queue of this class"),
    OtherName(
      "let _ = texts.observe(on: ConcurrentDispatchQueueScheduler(queue: 1))", "Write .global; or Dispatch",
      "renamed to 'init(_:)'"),
    OtherName(
      "let _ = texts.observe(on: SerialDispatchQueueScheduler(internalSerialQueueName: \"a\"))",
      "Write .serial(label)", "Write .serial(label)"),
    OtherName(
      "let _ = texts.observe(on: OperationQueueScheduler(operationQueue: 1))",
      "Write .global, and flatMap(.merge(maxConcurrent: count)) for a limit", "Write .global"),
    OtherName("let _ = SerialDisposable()", "Write a variable of the type Disposable?, and dispose"),
    OtherName("let _ = SingleAssignmentDisposable()", "Write a variable of the type Disposable?"),
    OtherName("let _: Cancelable? = handle", "renamed to 'Disposable'"),
    OtherName("let _ = Disposables.create { print(1) }", disposables),
    OtherName("let _ = Disposables.create(handle, handle)", disposables),
  ]

  /// A signal whose failure is known is expected.
  static let rxStatics = [
    OtherName("let _: Signal<Int, Oops> = Observable.just(1)", observable, "Write .just(value)"),
    OtherName("let _: Signal<Int, Oops> = Single.just(1)", "Write Signal<Value, Failure>", "Write .just(value)"),
    OtherName("let _: Signal<Int, Oops> = Observable.error(Oops())", observable, "renamed to 'fail(_:)'"),
    OtherName("let _: Signal<Int, Oops> = Observable.empty()", observable, "Write .empty, a property"),
    OtherName("let _: Signal<Int, Oops> = Observable<Int>.never()", observable, "Write .never, a property"),
    OtherName("let _: Signal<Int, Oops> = Observable.of(1, 2)", observable, "Write .from([a, b])"),
    OtherName("let _: Signal<Int, Oops> = Observable.from([1])", observable, "Write .from(values)"),
    OtherName("let _: Signal<String, Oops> = Observable.deferred { texts }", observable, "Write .deferred { … }"),
    OtherName(
      "let _: Signal<Int, Oops> = Observable.create { $0.send(1); return nil }", observable,
      "Write Signal { observer in … }"),
    OtherName(
      "let _: Signal<String, Oops> = Observable.merge(texts, texts)", observable, "Write Signal.merge(a, b) or"),
    OtherName("let _: Signal<String, Oops> = Observable.merge([texts])", observable, "Write Signal.merge(a, b) or"),
    OtherName("let _: Signal<String, Oops> = Observable.concat(texts, texts)", observable, "Write a.concat(b) or"),
    OtherName("let _: Signal<String, Oops> = Observable.concat([texts])", observable, "Write a.concat(b) or"),
    OtherName("let _ = Observable.zip(texts, texts).map { $0 + $1 }", observable, "Write Signal.zip(a, b)"),
    OtherName("let _ = Observable.zip(texts, texts) { $0 + $1 }", observable, "Write Signal.zip(a, b).map { … }"),
    OtherName(
      "let _ = Observable.combineLatest(texts, texts).map { $0 + $1 }", observable, "Signal.combineLatest(a, b)"),
    OtherName(
      "let _ = Observable.combineLatest(texts, texts) { $0 + $1 }", observable, "Signal.combineLatest(a, b).map { … }"),
    OtherName(
      "let _ = Observable<Int>.timer(.seconds(1), scheduler: .main)", observable,
      "Write Signal<Void, Never>.timer(after: interval, on: scheduler)"),
    OtherName(
      "let _ = Observable<Int>.timer(.seconds(1), period: .seconds(1), scheduler: .main)", observable,
      "Write .timer(every: interval, on: scheduler), which has no delay of its own"),
    OtherName("let _ = texts.flatMap { Observable.just($0) }", observable, "Write .just(value)"),
    OtherName(
      "let _: Signal<Int, Oops> = Single.create { $0(.success(1)); return Disposables.create() }",
      "Write Signal<Value, Failure>", create, disposables),
    OtherName(
      "let _ = Completable.create { $0(.completed); return Disposables.create() }", "Write Signal<Void, Failure>",
      create, disposables),
    OtherName("let _: Signal<Int, Oops> = .create { $0(.failure(Oops())); return nil }", create),
  ]

  static let rxEvents = [
    OtherName(
      "texts.subscribe { event in switch event { case .next(let text): after(text); case .error, .completed: break } }",
      "Write case .value(let value), .failed(let error) and .completed"),
    OtherName(
      "texts.subscribe { event in if case .success(let text) = event { after(text) } }",
      "Write case .value(let value), .failed(let error) and .completed"),
    OtherName("texts.subscribe { print($0.element ?? \"\") }", "renamed to 'value'"),
    OtherName("texts.subscribe { event in print(event.error == nil) }", "renamed to 'failure'"),
    OtherName("let _: RxEvent<Int, Oops>? = nil", "Write Event: its cases are value, failed and completed"),
    OtherName("let _: RxResult<Int, Oops>? = nil", "Write observer.send(value), observer.fail(error) or"),
    OtherName("subject.on(.next(1))", "Write send(value), fail(error) or complete()"),
    OtherName("subject.on(.error(Oops()))", "Write send(value), fail(error) or complete()"),
    OtherName("current.on(.next(1))", "Write send(value): a CurrentValue does not end"),
    OtherName("let _ = Signal<Int, Oops> { $0.on(.completed); return nil }", "Write send(value), fail(error) or"),
    OtherName("let _ = subject.asObserver()", "Leave it out: a subject has send(_:), fail(_:) and complete()"),
    OtherName("let _ = current.asObserver()", "Leave it out: a CurrentValue has send(_:)"),
  ]

  static let rxClosures = [
    OtherName("let _ = numbers.flatMap(search).map { $0.count }", "Write flatMap { f($0) }, or the strategy first:"),
    OtherName(
      "let _ = texts.flatMap { text -> Observable<Int> in .just(1) }", "The failures differ: write", observable),
    OtherName(
      "let _: Signal<Int, Oops> = texts.flatMap { text -> Observable<Int> in .error(Oops()) }",
      "The failures differ: write Signal<Output, Failure>", observable, "renamed to 'fail(_:)'"),
    OtherName("let _ = texts.do(onSuccess: { screen.title = $0.count })", "for a view model subscribeOnMain(onValue:)"),
    OtherName("let _ = texts.do(onNext: { _ = try half($0.count) }, onDispose: {})", "Write on(start:value:failure:"),
    OtherName(
      "texts.subscribe(onNext: { screen.title = $0.count }, onDisposed: {})", "for a view model subscribeOnMain("),
    OtherName(
      "texts.subscribe(onSuccess: { screen.title = $0.count }, onError: { print($0) })", "for a view model sub"),
    OtherName("texts.subscribeOnMain { screen.title = $0.count }", "Write subscribeOnMain(onValue:onFailure:): the"),
    OtherName(
      "let _ = numbers.withUnretained(screen).map { $1 + 1 }", "Write bound(to: owner).subscribeOnMain(onValue"),
    OtherName("let _ = numbers.withUnretained(screen) { $1 + 1 }", "Write bound(to: owner), and [weak owner] in the"),
    OtherName("let _ = numbers.map { _ in }.andThen(texts).map { $0.count }", "renamed to 'then(_:)'"),
    OtherName("let _ = signals.merge()", "Write flatten(.merge), or flatMap { … }"),
    OtherName("let _ = signals.concat()", "Write flatten(.concat), or flatMap(.concat) { … }"),
    OtherName("let _ = texts.retry()", "Write retry(when: { _, _ in true })"),
    OtherName("let _ = texts.asMaybe()", "Leave it out: a Signal is the only type; first() takes one value"),
    OtherName("let _ = texts.asCompletable()", "Write map { _ in }, or then(.empty) for the completion alone"),
    OtherName(
      "numbers.bind(to: Binder(screen) { $0.title = $1 })", "Write bound(to: owner).subscribeOnMain(onValue:",
      "Write assign(to: \\.property, on: object), or"),
    OtherName("func f(_ binder: Binder<Int>) { numbers.drive(binder) }", "Write assign(to:", "Write bound(to: owner)."),
    OtherName(
      "texts.map { $0.count }.assign(to: \\.title, on: screen)", "The signal can fail: write load(into:on:), or"),
    OtherName("numbers.drive()", "Write subscribe(onValue: { _ in })"),
    OtherName("let _ = texts.asDriver(onErrorDriveWith: .empty)", "Write catch { _ in other }.share(replay: 1), with"),
    OtherName("let _ = texts.asDriver { _ in .empty }", "Write catch { error in … }.share(replay: 1), and"),
    OtherName("let _ = texts.asSignal(onErrorJustReturn: \"\")", "Write replaceFailure(with: value).share(), and"),
    OtherName(
      "let _ = texts.asSignal(onErrorSignalWith: .empty)", "Write catch { _ in other }.share(), with .empty or"),
    OtherName("let _ = texts.asInfallible(onErrorJustReturn: \"\")", "renamed to 'replaceFailure(with:)'"),
  ]
}
