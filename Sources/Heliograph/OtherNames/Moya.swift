// The names of Moya, unavailable: the compiler's message says what to write. A file that imports Moya, too, gets its names.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

public import Foundation
public import Signals

@available(
  *, unavailable,
  message: "Conform to Endpoint, whose only requirement is var request: Request; the base URL is the client's"
)
public typealias TargetType = Endpoint

@available(*, unavailable, message: "Use a NetworkClient: client.value(of: API.user(1), as: User.self)")
public final class MoyaProvider<Target>: Sendable {
  public enum StubBehavior: Sendable {
    case never, immediate
    case delayed(seconds: Double)
  }
  public static func neverStub(_ target: Target) -> StubBehavior { .never }
  public static func immediatelyStub(_ target: Target) -> StubBehavior { .immediate }
  public static func delayedStub(_ seconds: Double) -> (Target) -> StubBehavior { { _ in .never } }

  public init(
    endpointClosure: (Target) -> Any = { $0 }, session: Any? = nil, plugins: [Any] = [], trackInflights: Bool = false
  ) {}

  @available(*, unavailable, message: "Test with a TestKit: kit.stub.on(.get, path, .json(value)), and kit.client")
  public init(
    endpointClosure: (Target) -> Any = { $0 }, stubClosure: (Target) -> StubBehavior, session: Any? = nil,
    plugins: [Any] = []
  ) {}

  @available(*, unavailable, message: "Leave it out: enqueue(request:resultType:) returns a signal")
  public var rx: MoyaProvider { self }

  @available(*, unavailable, message: "Write client.enqueue(request: target, resultType: User.self), a signal")
  public func request(_ target: Target) -> Signal<Response<Data>, NetworkError> { .empty }

  @available(*, unavailable, message: "Write try await client.value(of: target, as: User.self)")
  public func request(
    _ target: Target, completion: @escaping (Result<Response<Data>, NetworkError>) -> Void
  ) -> Disposable { Disposable {} }

  @available(*, unavailable, message: "Write client.enqueue(request: target, resultType: User.self), a signal")
  public func requestPublisher(_ target: Target) -> Signal<Response<Data>, NetworkError> { .empty }
}

@available(*, unavailable, renamed: "NetworkError")
public typealias MoyaError = NetworkError

@available(*, unavailable, message: "Leave it out: a client takes requests of any type")
public typealias MultiTarget = RequestConvertible

@available(*, unavailable, message: "Use a Monitor to observe, a Middleware to change requests")
public typealias PluginType = Monitor

@available(*, unavailable, message: "Write $0.monitors = [ConsoleMonitor()]")
public struct NetworkLoggerPlugin: Sendable {
  public struct Configuration: Sendable {
    public struct Formatter: Sendable { public init() {} }
    public struct LogOptions: Sendable {
      public static let `default` = LogOptions()
      public static let verbose = LogOptions()
    }
    public init(formatter: Formatter = Formatter(), logOptions: LogOptions = .default) {}
  }
  public init(configuration: Configuration = Configuration()) {}
}

@available(*, unavailable, message: "Write $0.middleware = [.bearer { token.value }]")
public struct AccessTokenPlugin: Sendable {
  public init(tokenClosure: (Any) -> String) {}
}

@available(*, unavailable, message: "Use an ActivityMonitor")
public typealias NetworkActivityPlugin = ActivityMonitor

extension NetworkClient {
  @available(*, unavailable, message: "Leave it out: enqueue(request:resultType:) returns a signal")
  public var rx: NetworkClient { self }

  @available(*, unavailable, message: "Write enqueue(request: target, resultType: User.self), a signal")
  public func request<Target: RequestConvertible>(_ target: Target) -> Signal<Response<Data>, NetworkError> {
    enqueue(request: target, resultType: Data.self)
  }

  @available(*, unavailable, message: "Write try await value(of: target, as: User.self)")
  public func request<Target: RequestConvertible>(
    _ target: Target, completion: @escaping (Result<Response<Data>, NetworkError>) -> Void
  ) -> Disposable { Disposable {} }

  @available(*, unavailable, message: "Write enqueue(request: target, resultType: User.self), a signal")
  public func requestPublisher<Target: RequestConvertible>(_ target: Target) -> Signal<Response<Data>, NetworkError> {
    enqueue(request: target, resultType: Data.self)
  }
}

extension Signal {
  @available(*, unavailable, message: "Leave it out: a status outside 200…299 is an error, and redirects are followed")
  public func filterSuccessfulStatusCodes<Body>() -> Signal where Value == Response<Body> { self }

  @available(*, unavailable, message: "Leave it out: a status outside 200…299 is an error, and redirects are followed")
  public func filterSuccessfulStatusAndRedirectCodes<Body>() -> Signal where Value == Response<Body> { self }
}

extension NSObject {
  @available(
    *, unavailable,
    message:
      "Write bound(to: self) in the chain, assign(to:on:) for a binding, a DisposeBag of your own for rx.disposeBag; the action of a control calls send(()) of a PublishSubject for rx.tap"
  )
  public var rx: Reactive<NSObject> { Reactive() }
}

/// The member after `rx.`: an event of a control, a binder or a bag.
@available(*, unavailable, message: "Write an extension of the type itself: there is no rx")
@dynamicMemberLookup
public struct Reactive<Base>: Sendable {
  public subscript(dynamicMember name: String) -> Signal<Void, Never> { .empty }
  public subscript<Value: Sendable>(dynamicMember name: String) -> Binder<Value> { Binder(Oblivion()) { _, _ in } }
  public subscript(dynamicMember name: String) -> DisposeBag { DisposeBag() }
}

private final class Oblivion {}

extension Signal where Value == Response<Data> {
  // The last parameter takes a trailing closure, so that the one of a real operator is not read as the first argument.
  @available(
    *, unavailable, message: "Set options.stages.baseValidators = [StatusValidator(accepted: 200..<300)] of the request"
  )
  public func filter(statusCode: Int, _ noTrailingClosure: () -> Void = {}) -> Signal { self }

  @available(
    *, unavailable, message: "Set options.stages.baseValidators = [StatusValidator(accepted: 200..<300)] of the request"
  )
  public func filter<Codes>(statusCodes: Codes, _ noTrailingClosure: () -> Void = {}) -> Signal { self }

  @available(*, unavailable, message: "Write enqueue(request: request, resultType: JSON.self)")
  public func mapJSON(failsOnEmptyData: Bool = true) -> Signal<JSON, Failure> { .empty }

  @available(
    *, unavailable,
    message: "Write enqueue(request: request, resultType: String.self); a key path is a KeyedEnvelope(payload: path)"
  )
  public func mapString(atKeyPath keyPath: String? = nil) -> Signal<String, Failure> { .empty }

  // Only with `atKeyPath:`: without a label of its own it would be tried for each `map(\.value)` whose chain has a mistake.
  @available(
    *, unavailable,
    message:
      "Set stages.envelope = KeyedEnvelope(payload: path), then write enqueue(request: request, resultType: User.self)"
  )
  public func map<Output: Decodable & Sendable>(
    _ type: Output.Type, atKeyPath keyPath: String, using decoder: JSONDecoder = JSONDecoder(),
    failsOnEmptyData: Bool = true
  ) -> Signal<Output, Failure> { .empty }

  @available(*, unavailable, message: "Write enqueue(request: request, resultType: User.self)")
  public func decode<Output: Decodable & Sendable, Decoder>(
    type: Output.Type, decoder: Decoder
  ) -> Signal<Output, Failure> { .empty }
}

extension Signal where Value == Data {
  @available(*, unavailable, message: "Write enqueue(request: request, resultType: User.self)")
  public func decode<Output: Decodable & Sendable, Decoder>(
    type: Output.Type, decoder: Decoder
  ) -> Signal<Output, Failure> { .empty }
}

extension Signal where Failure == NetworkError {
  @available(
    *, unavailable,
    message:
      "The closure throws any Error: write flatMap { value in Signal.task { try … } }, or enqueue(request:transform:)"
  )
  public func tryMap<Output: Sendable>(
    _ transform: @escaping @Sendable (Value) throws -> Output
  ) -> Signal<Output, NetworkError> { .empty }
}

extension Response where Value == Data {
  @available(*, unavailable, message: "Leave it out: send(_:) throws for a status outside 200…299")
  public func filterSuccessfulStatusCodes() throws -> Response { self }

  @available(*, unavailable, message: "Write value(of: request, as: JSON.self), or decode(as: JSON.self) of an error")
  public func mapJSON(failsOnEmptyData: Bool = true) throws -> JSON { .null }

  @available(
    *, unavailable,
    message: "Write value(of: request, as: String.self); a key path is a KeyedEnvelope(payload: path)"
  )
  public func mapString(atKeyPath keyPath: String? = nil) throws -> String { "" }

  @available(
    *, unavailable,
    message: "Set stages.envelope = KeyedEnvelope(payload: path), then write value(of: request, as: User.self)"
  )
  public func map<Output: Decodable & Sendable>(
    _ type: Output.Type, atKeyPath keyPath: String, using decoder: JSONDecoder = JSONDecoder(),
    failsOnEmptyData: Bool = true
  ) throws -> Output { throw CancellationError() }

  @available(*, unavailable, message: "Write send(request, as: User.self), or enqueue(request:resultType:)")
  public func decode<Output: Decodable & Sendable>(as type: Output.Type) throws -> Output { throw CancellationError() }

  @available(*, unavailable, message: "Write send(request, as: User.self), or enqueue(request:resultType:)")
  public func decode<Output: Decodable & Sendable>(_ type: Output.Type) throws -> Output { throw CancellationError() }
}

extension Response where Value == JSON {
  @available(*, unavailable, message: "Write response.value[name]")
  public subscript(name: String) -> JSON { .null }
}

extension NetworkClient.Configuration {
  @available(
    *, unavailable, message: "Set monitors for plug-ins that observe, middleware for those that change requests"
  )
  public var plugins: [Any] {
    get { [] }
    set {}
  }
}

@available(
  *, unavailable,
  message: "Leave it out: 200 to 299 are successes; others by stages.baseValidators = [StatusValidator(accepted: …)]"
)
public typealias ValidationType = StatusValidator

extension StatusValidator {
  @available(*, unavailable, message: "Leave it out: 200 to 299 are successes")
  public static var successCodes: StatusValidator { StatusValidator() }

  @available(*, unavailable, message: "Write StatusValidator(accepted: 200..<400)")
  public static var successAndRedirectCodes: StatusValidator { StatusValidator() }
}

extension RequestOptions {
  @available(*, unavailable, message: "Set stages.baseValidators = [StatusValidator(accepted: …)]")
  public var validationType: StatusValidator {
    get { StatusValidator() }
    set {}
  }
}
