// Guesses at our own members, unavailable: the compiler's message says what to write.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

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
}

extension NetworkClient.Configuration {
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
  @available(*, unavailable, message: "Write headers[name] = value of the client, or .header(name) { value }")
  public static func header(_ name: String, _ value: String) -> HeaderMiddleware { .header(name) { value } }
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

extension [WebLink] {
  @available(*, unavailable, message: "Write first { $0.relations.contains(relation) }?.target")
  public subscript(relation: String) -> WebLink? { nil }
}

extension RequestReport {
  @available(*, unavailable, message: "Write response?.statusCode")
  public var statusCode: Int? { nil }
}

extension NetworkError {
  @available(*, unavailable, renamed: "isCancelled")
  public var isCancellation: Bool { isCancelled }
}

extension DownloadOptions {
  @available(*, unavailable, message: "Leave it out: a download resumes; .with { $0.resumes = false } starts anew")
  public init(resume: Any) { self.init() }
}

// `@Defaulted` without the source of its default, unavailable: the compiler's message says what to write.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

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

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

// Of several overloads, none fits a type that does not exist, such as `API.Usr.self`, and the compiler fails to produce a
// diagnostic. These overloads take any type, so that it names the missing one. For an existing type, their message says
// which conformance it lacks.
extension NetworkClient {
  @available(*, unavailable, message: "The type must conform to 'Decodable'")
  public func value(of request: some RequestConvertible, as type: Any) async throws(NetworkError) -> Never {
    throw NetworkError(.unknown)
  }

  @available(*, unavailable, message: "The type must conform to 'Decodable'")
  public func value(of request: Request, as type: Any) async throws(NetworkError) -> Never {
    throw NetworkError(.unknown)
  }

  @available(*, unavailable, message: "The type must conform to 'Decodable'")
  public func send(_ request: some RequestConvertible, as type: Any) async throws(NetworkError) -> Never {
    throw NetworkError(.unknown)
  }

  @available(*, unavailable, message: "The type must conform to 'Decodable'")
  public func send(_ request: Request, as type: Any) async throws(NetworkError) -> Never {
    throw NetworkError(.unknown)
  }
}

extension NetworkClient {
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
