/// Guesses of two ports of apps with RxSwift, Moya, Alamofire and Combine.
extension OtherName {
  static let guessPrelude = """
    import Foundation
    import Heliograph
    struct Oops: Error {}
    struct User: Codable, Sendable { var name = "" }
    @MainActor final class Screen: NSObject { var title = 0 }
    enum API: Endpoint {
      case user(Int)
      var request: Request { "/users" }
    }
    let client = NetworkClient()
    let file = URL(fileURLWithPath: "/tmp/film")
    let request = Request(.get, "/users")
    let users = client.enqueue(request: request, resultType: User.self).map(\\.value)
    let numbers: Signal<Int, Never> = .just(1)
    let texts: Signal<String, Oops> = .just("a")
    let subject = PublishSubject<Int, Oops>()
    let words = PublishSubject<String, Oops>()
    let names: Signal<String, NetworkError> = .just("a")
    let action = Action<Int, Int, Oops> { .just($0) }
    let handle = Disposable {}
    let bag = DisposeBag()
    func show(_ value: Any) {}

    """

  static let signalGuesses = [
    OtherName(
      "show(Single.zip(texts, texts, texts))",
      "Write Signal<Value, Failure>", "Write Signal.zip(a, b, c)"),
    OtherName(
      "show(Observable.combineLatest(texts, texts, texts))",
      "Write Signal<Value, Failure>: the type of the failure", "Write Signal.combineLatest(a, b, c)"),
    OtherName(
      "show(Single.zip(texts, texts, texts) { $0 + $1 + $2 })",
      "Write Signal<Value, Failure>", "Write Signal.zip(a, b, c).map { … }"),
    OtherName(
      "show(Driver.combineLatest(numbers, numbers, numbers) { $0 + $1 + $2 })",
      "Write Signal<Value, Never> with share(replay: 1), which a", "Write Signal.combineLatest(a, b, c).map { … }"),
    OtherName(
      "show(Single.zip([texts, texts]))",
      "Write Signal<Value, Failure>", "Write Signal.zip([a, b])"),
    OtherName(
      "show(Observable.combineLatest([texts, texts]))",
      "Write Signal<Value, Failure>: the type of the failure", "Write Signal.combineLatest([a, b])"),
    OtherName(
      "show(zip(texts, texts, texts))",
      "Write Signal.zip(a, b, c)"),
    OtherName(
      "show(combineLatest(texts, texts, texts))",
      "Write Signal.combineLatest(a, b, c)"),
    OtherName(
      "let _: Signal<(String, String, String), Oops> = Observable.zip(texts, texts, texts)",
      "Write Signal<Value, Failure>: the type of the failure", "Write Signal.zip(a, b, c)"),
    OtherName(
      "show(texts.catch { _ in .just(\"\") })",
      "State the failure: Signal<Value, Never>.just(value)"),
    OtherName(
      "show(texts.trackActivity(1))",
      "Write on(start:) and finally { … }; load(into:on:) stores"),
    OtherName(
      "show(texts.trackError(1))",
      "Write on(failure:); load(into:on:) stores the error"),
    OtherName(
      "show(texts.materialize().elements())",
      "Write compactMap { $0.value }"),
    OtherName(
      "show(texts.materialize().errors())",
      "Write compactMap { $0.failure }"),
    OtherName(
      "let _: Signal<User, Oops> = users.observe(on: .main).catchAndReturn(User())",
      "renamed to 'replaceFailure(with:)'"),
    OtherName(
      "let _: Signal<User, Oops> = users.observe(on: .main).catchErrorJustReturn(User())",
      "renamed to 'replaceFailure(with:)'"),
    OtherName(
      "show(texts.single())",
      "Write try await signal.value()"),
    OtherName(
      "texts.map { _ in }.subscribe(onCompleted: { show(1) }, onError: { show($0) })",
      "renamed to 'subscribe(onValue:onFailure:onCompletion:)'"),
    OtherName(
      "bag.insert(handle, handle)",
      "renamed to 'add(_:)'"),
    OtherName(
      "show(texts.toBlocking(timeout: 1))",
      "Write try await signal.first() in an async test, or a SignalRecorder"),
    OtherName(
      "let subject = ReplaySubject<Int>.create(bufferSize: 1); subject.onNext(1); subject.onCompleted()",
      "Write CurrentValue(value) for one value; share(replay: count)"),
    OtherName(
      "show(subject.asDriver(onErrorJustReturn: 1))",
      "Write signal.replaceFailure(with: value).share(replay: 1),"),
    OtherName(
      "show(texts.asDriver())",
      "Write signal.replaceFailure(with: value).share(replay: 1),"),
    OtherName(
      "let _ = Deferred { Future<Int, Never> { promise in promise(.success(1)) } }",
      "Write .deferred { … }", "Write Signal { observer in … } or Signal.task { … }: the work"),
    OtherName(
      "func f() -> AnyPublisher<User, any Error> { Future { promise in promise(.success(User())) }.eraseToAnyPublisher() }",
      "renamed to 'Signal'", "Write Signal { observer in … } or Signal.task { … }: the work"),
    OtherName(
      "show(Publishers.CombineLatest3(texts, texts, texts))",
      "Write Signal.merge, Signal.zip or Signal.combineLatest"),
    OtherName(
      "numbers.assign(to: &screen.title)",
      "Write assign(to: \\.property, on: self)"),
  ]

  static let clientGuesses = [
    OtherName(
      "let _ = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub)",
      "Use a NetworkClient: client.value(of: API.user(1), as: User.self)",
      "Test with a TestKit: kit.stub.on(.get, path, .json(value)),",
      "Use a NetworkClient: client.value(of: API.user(1), as: User.self)"),
    OtherName(
      "let _ = MoyaProvider<API>(endpointClosure: { $0 }, stubClosure: MoyaProvider.delayedStub(1))",
      "Use a NetworkClient: client.value(of: API.user(1), as: User.self)",
      "Test with a TestKit: kit.stub.on(.get, path, .json(value)),",
      "Use a NetworkClient: client.value(of: API.user(1), as: User.self)"),
    OtherName(
      "let _ = MoyaProvider<API>(plugins: [AccessTokenPlugin { _ in \"a\" }])",
      "Use a NetworkClient: client.value(of: API.user(1), as: User.self)",
      "Write $0.middleware = [.bearer { token.value }]"),
    OtherName(
      "func f(_ provider: MoyaProvider<API>) { show(provider.rx.request(.user(1))) }",
      "Use a NetworkClient: client.value(of: API.user(1), as: User.self)",
      "Leave it out: enqueue(request:resultType:) returns a signal",
      "Write client.enqueue(request: target, resultType: User.self), a signal"),
    OtherName(
      "func f(_ provider: MoyaProvider<API>) { show(provider.request(.user(1)) { show($0) }) }",
      "Use a NetworkClient: client.value(of: API.user(1), as: User.self)",
      "Write try await client.value(of: target, as: User.self)"),
    OtherName(
      "func f(_ provider: MoyaProvider<API>) { show(provider.requestPublisher(.user(1))) }",
      "Use a NetworkClient: client.value(of: API.user(1), as: User.self)",
      "Write client.enqueue(request: target, resultType: User.self), a signal"),
    OtherName(
      "screen.rx.tap.subscribe(onNext: { show(1) }).disposed(by: bag)",
      "Write bound(to: self) in the chain, assign(to:on:) for a",
      "renamed to 'subscribe(onValue:onFailure:onCompletion:)'"),
    OtherName(
      "numbers.bind(to: screen.rx.title).disposed(by: bag)",
      "Write bound(to: owner).subscribeOnMain(onValue: { [weak",
      "Write bound(to: self) in the chain, assign(to:on:) for a"),
    OtherName(
      "let _: Reactive<Screen>? = nil",
      "Write an extension of the type itself: there is no rx"),
    OtherName(
      "let _ = Session(interceptor: Interceptor(adapters: [], retriers: []))",
      "Use a NetworkClient(baseURL: url), whose closure has the settings",
      "Use a Middleware to change requests, a Retry and a Recovery"),
    OtherName(
      "AF.request(file, method: .post, parameters: [\"a\": 1], encoding: JSONEncoding.default).response { show($0) }",
      "Create a NetworkClient(baseURL: url) and pass it on",
      "Write value(of: Request(.post, path, parameters: …), as: User.self)",
      "Write body: .json(value), or options.placement = .json for parameters",
      "Leave it out: the method decides; .json sends JSON", "Write try await client.send(request)"),
    OtherName(
      "AF.request(file, method: .post, parameters: User(), encoder: JSONParameterEncoder.default).responseJSON { show($0) }",
      "Create a NetworkClient(baseURL: url) and pass it on",
      "Write value(of: Request(.post, path, body: .json(value)), as:", "Write body: .json(value)",
      "Leave it out: the method decides; .json sends JSON", "Write try await client.value(of: request, as: JSON.self)"),
    OtherName(
      "AF.request(file).validate(statusCode: 200..<300).validate(contentType: [\"text/csv\"]).responseData { show($0) }",
      "Create a NetworkClient(baseURL: url) and pass it on",
      "Write value(of: Request(.post, path, parameters: …), as: User.self)", "Set options.stages.baseValidators =",
      "Set options.stages.baseValidators = [ContentTypeValidator(…)]",
      "Write try await client.send(request), which returns the body"),
    OtherName(
      "AF.request(file).responseDecodable(of: User.self, queue: .main) { show($0.result) }",
      "Create a NetworkClient(baseURL: url) and pass it on",
      "Write value(of: Request(.post, path, parameters: …), as: User.self)",
      "Write try await client.value(of: request, as: User.self)",
      "Write do { … } catch { … } around the call: a failure is thrown"),
    OtherName(
      "show(AF.request(file).publishDecodable(type: User.self))",
      "Create a NetworkClient(baseURL: url) and pass it on",
      "Write value(of: Request(.post, path, parameters: …), as: User.self)",
      "Write client.enqueue(request: request, resultType: User.self)"),
    OtherName(
      "show(AF.download(file))",
      "Create a NetworkClient(baseURL: url) and pass it on", "Write try await client.download(request, to: file)"),
    OtherName(
      "let _: URLEncodedFormParameterEncoder? = nil",
      "Write parameters: of a GET, its query, or of a POST, a form"),
    OtherName(
      "let _: RetryResult = .doNotRetry",
      "Use Retry(limit:), and a Recovery for a fresh token"),
    OtherName(
      "let _ = RetryPolicy(retryLimit: 3)",
      "Write $0.retry = Retry(limit: 3)"),
    OtherName(
      "let _ = ServerTrustManager(evaluators: [\"a\": PinnedCertificatesTrustEvaluator()])",
      "Set the trust of TransportSettings", "Set the trust of TransportSettings"),
    OtherName(
      "let _ = [PublicKeysTrustEvaluator()]",
      "Set the trust of TransportSettings"),
    OtherName(
      "let _ = DisabledTrustEvaluator()",
      "Set the trust of TransportSettings"),
    OtherName(
      "show(request.with { $0.timeoutInterval = 5 })",
      "renamed to 'idleTimeout'"),
    OtherName(
      "show(request.with { $0.cachePolicy = .reload })",
      "renamed to 'cache'"),
    OtherName(
      "show(request.with { $0.envelope = KeyedEnvelope(code: \"code\", payload: \"data\") })",
      "renamed to 'stages.envelope'"),
    OtherName(
      "show(request.with { $0.httpMethod = \"POST\" })",
      "Write Request(.post, path)"),
    OtherName(
      "show(request.with { $0.httpBody = Data() })",
      "Write body: .json(value) or .data(data, contentType: …) of the Request"),
    OtherName(
      "show(request.with { $0.setValue(\"a\", forHTTPHeaderField: \"b\") })",
      "Write headers: [name: value] of the Request"),
    OtherName(
      "let _ = KeyedEnvelope(code: \"code\", message: \"msg\", data: \"data\")",
      "renamed to 'init(code:message:payload:)'"),
    OtherName(
      "show(NetworkClient(baseURL: file) { $0.envelope = KeyedEnvelope(code: \"code\") })",
      "renamed to 'stages.envelope'"),
    OtherName(
      "show(NetworkClient(baseURL: file) { $0.decoder = JSONDecoder() })",
      "Set json = JSONCoding(…)"),
    OtherName(
      "show(NetworkClient(baseURL: file) { $0.jsonDecoder = JSONDecoder() })",
      "Set json = JSONCoding(…)"),
    OtherName(
      "show(NetworkClient(baseURL: file) { $0.timeoutInterval = 5 })",
      "renamed to 'idleTimeout'"),
    OtherName(
      "show(NetworkClient(baseURL: file) { $0.httpHeaders = [:] })",
      "renamed to 'headers'"),
    OtherName(
      "func f(_ r: HTTPRequest) { show(r.path) }",
      "renamed to 'url.path'"),
    OtherName(
      "func f(_ r: Response<Data>) { show(r.links.first { $0.rel == \"next\" }) }",
      "Write relations.contains(relation)"),
    OtherName(
      "func f(_ l: WebLink) { show(l.relation) }",
      "Write relations.contains(relation)"),
    OtherName(
      "func f(_ r: HTTPRequest) { show(r.query) }",
      "renamed to 'url.query'"),
    OtherName(
      "func f(_ r: RequestReport) { show(r.statusCode) }",
      "Write response?.statusCode"),
    OtherName("func f(_ error: NetworkError) { show(error.isCancellation) }", "renamed to 'isCancelled'"),
    OtherName("show(DownloadOptions(resume: true))", "Write .with { $0.id = id }; leave out resume: a download"),
    OtherName("show(client.download(request: request, to: file, options: .init(resume: Data())))", "Write .with {"),
    OtherName(
      "show(NetworkClient(baseURL: file) { $0.middlewares = [] })",
      "renamed to 'middleware'"),
    OtherName(
      "show(NetworkClient(baseURL: file) { $0.middleware = [.header(\"A\", \"b\")] })",
      "Write headers[name] = value of the client; .header(name, isSecret: false) { value } if it changes"),
  ]

  static let memberGuesses = [
    OtherName("show(Lane(.latest))", "renamed to 'latestWins(debounce:)'"),
    OtherName("show(Lane(.concurrent(10)))", "renamed to 'limit(_:)'"),
    OtherName("client.cache.removeAll()", "renamed to 'configuration.cache'"),
    OtherName(
      "show(client.signal(of: \"/a\", as: User.self))", "Write enqueue(request: request, resultType: User.self)"),
    OtherName("show(client.signal(of: request))", "Write enqueue(request: request)"),
    OtherName(
      "Task { show(try await client.values(of: [API.user(1), API.user(2)])) }",
      "Write Batch(requests.map { client.enqueue(request: $0) }, concurrencyLimit: 10), whose signal sends the batch"),
    OtherName("show(Retry(limit: 3, delay: .seconds(1)))", "Write Retry(limit: count, backoff: .constant(delay))"),
    OtherName("let _: Retry = .exponential(3)", "Write Retry(limit: count)"),
    OtherName("show(Retry.times(3, delay: .seconds(1)))", "Write Retry(limit: count, backoff: .constant(delay))"),
    OtherName(
      "show(NetworkClient(baseURL: file) { $0.middleware = [.observe { _ in }] })", "Write a Monitor to observe; a"),
    OtherName("func f(_ pager: Pager<User, [User]>) { pager.reload() }", "renamed to 'refresh()'"),
    OtherName("func f(_ pager: Pager<User, [User]>) { pager.loadNext() }", "renamed to 'loadMore()'"),
    OtherName("func f(_ error: NetworkError) -> Bool { error.status == 404 }", "renamed to 'statusCode'"),
    OtherName("func f(_ error: NetworkError) -> Data? { error.body }", "Write response?.value"),
  ]

  static let testingPrelude = """
    import HeliographTesting
    let kit = TestKit()

    """

  static let testingGuesses = [
    OtherName("kit.stub.get(\"/users\", .json(\"[]\"))", "Write on(.get, path, .json(value))"),
    OtherName("kit.stub.on(.get, \"/a\", .error(Oops()))", "Write .failure(NetworkError(code))"),
    OtherName("kit.stub.on(.get, \"/a\", .error(.timedOut))", "Write .failure(NetworkError(code))"),
    OtherName(
      "kit.stub.on(.get, \"/a\", .json([\"id\": 1, \"name\": \"Ada\"]))", "Write .json(text), with a JSON value"),
    OtherName("Task { await kit.advance(by: .seconds(1)) }", "Write await kit.clock.advance(by: duration)"),
  ]
}
