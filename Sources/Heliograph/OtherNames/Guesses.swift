// Guesses at our own members, unavailable: the compiler's message says what to write.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

public import Foundation
public import Signals

extension RequestOptions {
  @available(*, unavailable, renamed: "idleTimeout")
  public var timeoutInterval: Double {
    get { 0 }
    set {}
  }

  @available(*, unavailable, renamed: "cache")
  public var cachePolicy: CachePolicy {
    get { cache }
    set {}
  }

  @available(*, unavailable, renamed: "stages.envelope")
  public var envelope: (any Envelope)? {
    get { nil }
    set {}
  }

  @available(
    *, unavailable, message: "Set stages.baseValidators, which replace the check of the status, or stages.validators"
  )
  public var validators: [any Validator] {
    get { [] }
    set {}
  }

  @available(*, unavailable, message: "Write Request(.post, path)")
  public var httpMethod: String? {
    get { nil }
    set {}
  }

  @available(*, unavailable, message: "Write body: .json(value) or .data(data, contentType: …) of the Request")
  public var httpBody: Data? {
    get { nil }
    set {}
  }

  @available(*, unavailable, message: "Write headers: [name: value] of the Request")
  public mutating func setValue(_ value: String?, forHTTPHeaderField name: String) {}
}

extension NetworkClient.Configuration {
  @available(*, unavailable, renamed: "idleTimeout")
  public var timeoutInterval: Double {
    get { 0 }
    set {}
  }

  @available(*, unavailable, renamed: "stages.envelope")
  public var envelope: (any Envelope)? {
    get { nil }
    set {}
  }

  @available(
    *, unavailable, message: "Set stages.baseValidators, which replace the check of the status, or stages.validators"
  )
  public var validators: [any Validator] {
    get { [] }
    set {}
  }

  @available(*, unavailable, message: "Set json = JSONCoding(…)")
  public var decoder: JSONDecoder {
    get { JSONDecoder() }
    set {}
  }

  @available(*, unavailable, message: "Set json = JSONCoding(…)")
  public var jsonDecoder: JSONDecoder {
    get { JSONDecoder() }
    set {}
  }

  @available(*, unavailable, renamed: "headers")
  public var httpHeaders: HTTPHeaders {
    get { headers }
    set {}
  }

  @available(*, unavailable, renamed: "middleware")
  public var middlewares: [any Middleware] {
    get { middleware }
    set {}
  }

  @available(*, unavailable, message: "Set stages.baseValidators = [StatusValidator(accepted: …)]")
  public var validationType: StatusValidator {
    get { StatusValidator() }
    set {}
  }
}

extension KeyedEnvelope {
  @available(*, unavailable, renamed: "init(code:message:payload:)")
  public init(code: String? = nil, message: String? = nil, data: String) { self.init() }
}

extension Middleware where Self == HeaderMiddleware {
  @available(
    *, unavailable,
    message: "Write headers[name] = value of the client; .header(name, isSecret: false) { value } if it changes"
  )
  public static func header(_ name: String, _ value: String) -> HeaderMiddleware { .header(name) { value } }

  @available(*, unavailable, message: "Write a Monitor to observe; a Middleware may change the response")
  public static func observe(_ body: (MonitorEvent) -> Void) -> HeaderMiddleware { .header("") { nil } }
}

extension HTTPRequest {
  @available(*, unavailable, renamed: "url.path")
  public var path: String { url.path }

  @available(*, unavailable, renamed: "url.query")
  public var query: String? { url.query }
}

extension WebLink {
  @available(*, unavailable, message: "Write relations.contains(relation)")
  public var rel: String { "" }

  @available(*, unavailable, message: "Write relations.contains(relation)")
  public var relation: String { "" }
}

extension RequestReport {
  @available(*, unavailable, message: "Write response?.statusCode")
  public var statusCode: Int? { nil }
}

extension NetworkError {
  @available(*, unavailable, renamed: "isCancelled")
  public var isCancellation: Bool { isCancelled }

  @available(*, unavailable, renamed: "statusCode")
  public var status: Int? { statusCode }

  @available(*, unavailable, message: "Write response?.value")
  public var body: Data? { response?.value }
}

extension Lane.Policy {
  @available(*, unavailable, renamed: "latestWins(debounce:)")
  public static var latest: Lane.Policy { .latestWins() }

  @available(*, unavailable, renamed: "limit(_:)")
  public static func concurrent(_ count: Int) -> Lane.Policy { .limit(count) }
}

extension Pager {
  @available(*, unavailable, renamed: "refresh()")
  public func reload() {}

  @available(*, unavailable, renamed: "loadMore()")
  public func loadNext() {}
}

extension Retry {
  @available(*, unavailable, message: "Write Retry(limit: count, backoff: .constant(delay))")
  public init(limit: Int, delay: Duration) { self.init(limit: limit) }

  @available(*, unavailable, message: "Write Retry(limit: count)")
  public static func exponential(_ limit: Int) -> Retry { Retry(limit: limit) }

  @available(*, unavailable, message: "Write Retry(limit: count, backoff: .constant(delay))")
  public static func times(_ limit: Int, delay: Duration = .zero) -> Retry { Retry(limit: limit) }
}

extension DownloadOptions {
  @available(
    *, unavailable,
    message: "Write .with { $0.id = id }; leave out resume: a download resumes, unless $0.resumes is false"
  )
  public init(resume: Any) { self.init() }
}

// `@Defaulted` without the source of its default.
extension Defaulted {
  @available(*, unavailable, message: "Write @Defaulted<ZeroValue>")
  public init<Value>(_ value: Value) where Source == ZeroValue<Value> { wrappedValue = value }

  @available(*, unavailable, message: "Write @Defaulted<ZeroValue>")
  public init<Value>(wrappedValue value: Value) where Source == ZeroValue<Value> { wrappedValue = value }

  @available(*, unavailable, message: "Write @Defaulted<EmptyValue>")
  public init<Value>(_ value: Value) where Source == EmptyValue<Value> { wrappedValue = value }

  @available(*, unavailable, message: "Write @Defaulted<EmptyValue>")
  public init<Value>(wrappedValue value: Value) where Source == EmptyValue<Value> { wrappedValue = value }

  @available(*, unavailable, message: "Write @Defaulted<FalseValue> or @Defaulted<TrueValue>")
  public init(_ value: Bool) where Source == FalseValue { wrappedValue = value }

  @available(*, unavailable, message: "Write @Defaulted<FalseValue> or @Defaulted<TrueValue>")
  public init(wrappedValue value: Bool) where Source == FalseValue { wrappedValue = value }

  @available(*, unavailable, message: "Write @Defaulted<NilValue>")
  public init<Value>(_ value: Value?) where Source == NilValue<Value> { wrappedValue = value }

  @available(*, unavailable, message: "Write @Defaulted<NilValue>")
  public init<Value>(wrappedValue value: Value?) where Source == NilValue<Value> { wrappedValue = value }

  @available(*, unavailable, message: "Write @Defaulted<Kind>, with a Kind that conforms to DefaultValue")
  public init(wrappedValue value: Source) where Source.Value == Source { wrappedValue = value }

  @available(*, unavailable, message: "Write @Defaulted<Kind>, with a Kind that conforms to DefaultValue")
  public init(_ value: Source) where Source.Value == Source { wrappedValue = value }
}

// For a type that does not exist, such as `API.Usr.self`, the generic overloads alone fail to produce a diagnostic; with
// these, the compiler names the missing type. No payload conforms to the three protocols, and each lacking conformance
// counts against the overload: other mistakes are diagnosed as if these overloads did not exist.
extension NetworkClient {
  @available(*, unavailable)
  public func value(
    of request: some RequestConvertible, as type: any (Transport & Middleware & Monitor).Type
  ) async throws(NetworkError) -> Never { throw NetworkError(.unknown) }

  @available(*, unavailable)
  public func value(
    of request: Request, as type: any (Transport & Middleware & Monitor).Type
  ) async throws(NetworkError) -> Never { throw NetworkError(.unknown) }

  @available(*, unavailable)
  public func send(
    _ request: some RequestConvertible, as type: any (Transport & Middleware & Monitor).Type
  ) async throws(NetworkError) -> Response<Never> { throw NetworkError(.unknown) }

  @available(*, unavailable)
  public func send(
    _ request: Request, as type: any (Transport & Middleware & Monitor).Type
  ) async throws(NetworkError) -> Response<Never> { throw NetworkError(.unknown) }
}

extension NetworkClient {
  @available(*, unavailable, renamed: "configuration.cache")
  public var cache: ResponseCache { configuration.cache }

  @available(*, unavailable, message: "Write enqueue(request: request, resultType: User.self)")
  public func signal<Target, Output>(of request: Target, as type: Output.Type) -> Signal<Output, NetworkError> {
    .empty
  }

  @available(*, unavailable, message: "Write enqueue(request: request)")
  public func signal<Target>(of request: Target) -> Signal<Data, NetworkError> { .empty }

  @available(
    *, unavailable,
    message:
      "Write Batch(requests.map { client.enqueue(request: $0) }, concurrencyLimit: 10), whose signal sends the batch"
  )
  public func values<Targets>(of requests: Targets, limit: Int? = nil) async throws -> [Data] { [] }

  @available(*, unavailable, message: "Write upload(request: request, resultType: Output.self): it takes the type")
  public func upload<Output>(
    request: TypedRequest<Output>
  ) -> Signal<Transfer<Response<Output>>, NetworkError> { .empty }

  @available(*, unavailable, message: "Write upload(request, as: Output.self): it always takes the type")
  public func upload<Output>(
    _ request: TypedRequest<Output>, progress: (TransferProgress) -> Void = { _ in }
  ) async throws(NetworkError) -> Response<Output> { throw NetworkError(.cancelled) }

  @available(*, unavailable, message: "Write outcomes(of: request, as: Output.self): they always take the type")
  public func outcomes<Output>(of request: TypedRequest<Output>) -> Signal<Outcome<Output>, NetworkError> { .empty }
}
