public import Foundation
public import Signals

// The spellings before 1.0, unavailable so that the compiler names those of today.

extension NetworkError.Code {
  /// The former name of ``timedOut``.
  @available(*, unavailable, renamed: "timedOut")
  public static var timeout: NetworkError.Code { .timedOut }
  /// The former name of ``connectionLost``.
  @available(*, unavailable, renamed: "connectionLost")
  public static var networkConnectionLost: NetworkError.Code { .connectionLost }
  /// The former name of ``cannotConnect``.
  @available(*, unavailable, renamed: "cannotConnect")
  public static var cannotConnectToHost: NetworkError.Code { .cannotConnect }
  /// The former name of the network's -1009.
  @available(*, unavailable, message: "use NetworkError.isOffline, or write .unreachable")
  public static var notConnectedToInternet: NetworkError.Code { .unreachable }
  /// The former name of the status 401.
  @available(*, unavailable, message: "write .status(401)")
  public static var unauthorized: NetworkError.Code { .status(401) }
  /// The former name of the status 403.
  @available(*, unavailable, message: "write .status(403)")
  public static var forbidden: NetworkError.Code { .status(403) }
  /// The former name of the status 404.
  @available(*, unavailable, message: "write .status(404)")
  public static var notFound: NetworkError.Code { .status(404) }

  /// The former name of ``number``.
  @available(*, unavailable, renamed: "number")
  public var rawValue: Int { number }
}

extension NetworkError {
  /// The former initializer, whose code did not know its domain.
  @available(*, unavailable, message: "a code knows its domain: NetworkError(.timedOut), NetworkError(.status(503))")
  public init(
    _ domain: Domain, _ code: Code, message: String = "", reason: String = "", request: HTTPRequest? = nil,
    response: Response<Data>? = nil, metrics: Metrics? = nil, underlying: (any Error)? = nil
  ) {
    self.init(code)
  }

  /// The former initializer, whose number did not know its domain.
  @available(*, unavailable, message: "a code knows its domain: NetworkError(.status(503)), NetworkError(.api(1004))")
  public init(
    _ domain: Domain, _ number: Int, message: String = "", reason: String = "", request: HTTPRequest? = nil,
    response: Response<Data>? = nil, metrics: Metrics? = nil, underlying: (any Error)? = nil
  ) {
    self.init(Code(domain, number))
  }
}

// A path in a variable would be sent unchanged, without escaping.
@available(
  *, unavailable,
  message: "write Request(.get, RequestPath(text)); a literal holds only values that are PathComponentConvertible"
)
extension String: RequestConvertible {
  /// Returns a `GET` of the text.
  public func asRequest() -> Request { Request(.get, RequestPath(self)) }
}

@available(*, unavailable, message: "write Request(.get, path)")
extension RequestPath: RequestConvertible {
  /// Returns a `GET` of the path.
  public func asRequest() -> Request { Request(.get, self) }
}

extension NetworkClient {
  /// The former sending of a `GET`.
  @available(*, unavailable, message: "write value(of: \"/users/\\(id)\", as: User.self)")
  public func get<Path, Output>(
    _ path: Path, query: Parameters = [:], parameters: Parameters = [:], headers: HTTPHeaders = [:],
    as type: Output.Type
  ) async throws -> Output { throw NetworkError(.cancelled) }
  /// The former sending of a `POST`.
  @available(*, unavailable, message: "write value(of: Request(.post, path, body: .json(value)), as: User.self)")
  public func post<Path, Output>(
    _ path: Path, query: Parameters = [:], parameters: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .empty, as type: Output.Type = NoContent.self
  ) async throws -> Output { throw NetworkError(.cancelled) }
  /// The former sending of a `PUT`.
  @available(*, unavailable, message: "write value(of: Request(.put, path, body: .json(value)), as: User.self)")
  public func put<Path, Output>(
    _ path: Path, query: Parameters = [:], parameters: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .empty, as type: Output.Type = NoContent.self
  ) async throws -> Output { throw NetworkError(.cancelled) }
  /// The former sending of a `PATCH`.
  @available(*, unavailable, message: "write value(of: Request(.patch, path, body: .json(value)), as: User.self)")
  public func patch<Path, Output>(
    _ path: Path, query: Parameters = [:], parameters: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .empty, as type: Output.Type = NoContent.self
  ) async throws -> Output { throw NetworkError(.cancelled) }
  /// The former sending of a `DELETE`.
  @available(*, unavailable, message: "write send(Request(.delete, path))")
  public func delete<Path, Output>(
    _ path: Path, query: Parameters = [:], parameters: Parameters = [:], headers: HTTPHeaders = [:],
    as type: Output.Type = NoContent.self
  ) async throws -> Output { throw NetworkError(.cancelled) }
  /// The former sending with the method as an argument.
  @available(*, unavailable, message: "write value(of: Request(.post, path, parameters: …), as: User.self)")
  public func request<Path, Output>(
    _ path: Path, method: HTTPMethod = .get, query: Parameters = [:], parameters: Parameters = [:],
    headers: HTTPHeaders = [:], body: RequestBody = .empty, as type: Output.Type
  ) async throws -> Output { throw NetworkError(.cancelled) }
  /// The former response as received.
  @available(
    *, unavailable, message: "write send(request); exchange(request:) does not judge the status"
  )
  public func response<Request>(for request: Request) async throws -> Response<Data> { throw NetworkError(.cancelled) }
  /// The former body and head of a response as received.
  @available(
    *, unavailable, message: "write send(request); exchange(request:) does not judge the status"
  )
  public func data<Request>(for request: Request) async throws -> (Data, HTTPResponse) {
    throw NetworkError(.cancelled)
  }
  /// The name of `URLSession`.
  @available(
    *, unavailable, message: "write send(Request(.get, path)); exchange(request:) does not judge the status"
  )
  public func data<Target>(from target: Target) async throws -> (Data, HTTPResponse) {
    throw NetworkError(.cancelled)
  }
  /// The name of `URLSession`.
  @available(
    *, unavailable, message: "write upload(Request(.post, path, body: .data(data, contentType: …)), as: User.self)"
  )
  public func upload(for request: Any, from body: Any) async throws -> (Data, HTTPResponse) {
    throw NetworkError(.cancelled)
  }
  /// The name of `URLSession`.
  @available(
    *, unavailable, message: "write upload(Request(.post, path, body: .file(url, contentType: …)), as: User.self)"
  )
  public func upload(for request: Any, fromFile file: URL) async throws -> (Data, HTTPResponse) {
    throw NetworkError(.cancelled)
  }
  /// A guess at the body beside the request.
  @available(
    *, unavailable, message: "write upload(Request(.post, path, body: .data(data, contentType: …)), as: User.self)"
  )
  public func upload(_ request: Any, from body: Any, as type: Any? = nil) async throws -> Response<Data> {
    throw NetworkError(.cancelled)
  }
  /// A guess at the body without a request.
  @available(
    *, unavailable, message: "write upload(Request(.post, path, body: .data(data, contentType: …)), as: User.self)"
  )
  public func upload(from body: Any, to target: Any? = nil) async throws -> Response<Data> {
    throw NetworkError(.cancelled)
  }
  /// The former signal of a typed request.
  @available(*, unavailable, renamed: "enqueue(request:)")
  public func enqueue<Output>(_ request: TypedRequest<Output>) -> Signal<Response<Output>, NetworkError>
  where Output: Decodable & Sendable { enqueue(request: request) }

  /// The former initializer with a text.
  @available(*, unavailable, message: "write NetworkClient(baseURL: URL(string: text)) { configuration in … }")
  public convenience init(baseURL: String, _ configure: (inout Configuration) -> Void = { _ in }) { self.init() }
  /// The former initializer with settings as parameters.
  @available(*, unavailable, message: "settings go into the closure: NetworkClient(baseURL: url) { $0.headers = … }")
  public convenience init(
    baseURL: URL?, headers: HTTPHeaders = [:], idleTimeout: Duration = .seconds(60), retry: Retry = .never,
    middleware: [any Middleware] = [], recoveries: [Recovery] = [], monitors: [any Monitor] = [],
    transport: (any Transport)? = nil, _ configure: (inout Configuration) -> Void = { _ in }
  ) { self.init() }
}

extension Request {
  /// The former name of the idle timeout.
  @available(
    *, unavailable, message: "write idleTimeout: for the time without bytes, totalTimeout: for all of it"
  )
  public init(
    _ method: HTTPMethod, _ path: RequestPath, service: ServiceID? = nil, query: Parameters = [:],
    parameters: Parameters = [:], headers: HTTPHeaders = [:], body: RequestBody = .empty, timeout: Duration
  ) { self.init(method, path) }
}

extension RequestOptions {
  /// The former name of ``idleTimeout``.
  @available(*, unavailable, renamed: "idleTimeout")
  public var timeout: Duration? {
    get { idleTimeout }
    set { idleTimeout = newValue }
  }
  /// The former initializer with an idle timeout.
  @available(
    *, unavailable, message: "write .with { $0.idleTimeout = … }, or Request(…, idleTimeout: …)"
  )
  public init(timeout: Duration) { self.init() }
}

extension NetworkClient.Configuration {
  /// The former name of ``idleTimeout``.
  @available(*, unavailable, renamed: "idleTimeout")
  public var timeout: Duration {
    get { idleTimeout }
    set { idleTimeout = newValue }
  }

  /// The former rule for URLs.
  @available(*, unavailable, message: "write makeURL = { path, base in … }")
  public var addressAssembler: (@Sendable (String, URL?) throws(NetworkError) -> URL)? {
    get { makeURL }
    set { makeURL = newValue }
  }
}

extension HTTPRequest {
  /// The former name of ``curlCommand``.
  @available(*, unavailable, renamed: "curlCommand")
  public var curl: String { curlCommand }
}

extension Transfer {
  /// The former name of ``finished``.
  @available(*, unavailable, renamed: "finished")
  public var response: Value? { finished }
}

extension ErrorPresenter {
  /// The former name of ``dialog``.
  @available(*, unavailable, renamed: "dialog")
  public var current: Property<ErrorPresentation?> { dialog }
}

extension HMACSigner {
  /// The former name of ``Location``.
  @available(*, unavailable, renamed: "Location")
  public typealias Place = Location

  /// The former initializer with a place.
  @available(*, unavailable, message: "write location: instead of place:")
  public init(key: Data, place: Location, encoding: Encoding = .hexadecimal) {
    self.init(key: key, location: place, encoding: encoding)
  }
}

extension JSONCoding {
  /// The former initializer with the closures for encoders and decoders.
  @available(*, unavailable, message: "write configureEncoder: and configureDecoder:")
  public init(
    keys: Keys = .asDeclared, dates: Dates = .iso8601, encoder: @escaping @Sendable (JSONEncoder) -> Void = { _ in },
    decoder: @escaping @Sendable (JSONDecoder) -> Void = { _ in }
  ) {
    self.init(keys: keys, dates: dates, configureEncoder: encoder, configureDecoder: decoder)
  }
}

extension ResponseCache {
  /// The former name of ``removeAll(ofService:)``.
  @available(
    *, unavailable,
    message: "write removeAll(ofService: \"shop\"), or client.removeCachedResponses(of: \"/news\") for one API"
  )
  public func removeAll(of service: ServiceID) { removeAll(ofService: service) }
}

/// The former result of an envelope.
@available(*, unavailable, message: "return a tuple of the payload's decoder, the code and the message")
public typealias OpenedEnvelope = (payload: (any Decoder)?, code: String?, message: String?)

/// The former rule for URLs.
@available(*, unavailable, message: "write configuration.makeURL = { path, base in … }")
public typealias AddressAssembler = @Sendable (String, URL?) throws(NetworkError) -> URL

extension Response {
  /// The former second name of a header field.
  @available(*, unavailable, message: "write headers[name]")
  public func header(_ name: String) -> String? { nil }
}

extension Response<Data> {
  /// A former name of ``Response/value``.
  @available(*, unavailable, renamed: "value")
  public var data: Data { value }

  /// A former name of ``Response/value``.
  @available(*, unavailable, renamed: "value")
  public var body: Data { value }
}

extension Multipart {
  /// The former method for a text field.
  @available(*, unavailable, message: "write append(.text(name, text))")
  public mutating func append(_ text: String, name: String) {}

  /// The former method for a file.
  @available(*, unavailable, message: "write append(.file(name, url))")
  public mutating func append(file: URL, name: String, fileName: String? = nil, contentType: String? = nil) {}
}
