// Names that users may try, unavailable so that the compiler suggests the right ones.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation
public import Signals

extension NetworkError.Code {
  @available(*, unavailable, renamed: "timedOut")
  public static var timeout: NetworkError.Code { .timedOut }
  @available(*, unavailable, renamed: "connectionLost")
  public static var networkConnectionLost: NetworkError.Code { .connectionLost }
  @available(*, unavailable, renamed: "cannotConnect")
  public static var cannotConnectToHost: NetworkError.Code { .cannotConnect }
  @available(*, unavailable, message: "use NetworkError.isOffline, or write .unreachable")
  public static var notConnectedToInternet: NetworkError.Code { .unreachable }
  @available(*, unavailable, message: "write .status(401)")
  public static var unauthorized: NetworkError.Code { .status(401) }
  @available(*, unavailable, message: "write .status(403)")
  public static var forbidden: NetworkError.Code { .status(403) }
  @available(*, unavailable, message: "write .status(404)")
  public static var notFound: NetworkError.Code { .status(404) }

  @available(*, unavailable, renamed: "number")
  public var rawValue: Int { number }
}

extension NetworkError {
  @available(*, unavailable, message: "a code knows its domain: NetworkError(.timedOut), NetworkError(.status(503))")
  public init(
    _ domain: Domain, _ code: Code, message: String = "", reason: String = "", request: HTTPRequest? = nil,
    response: Response<Data>? = nil, metrics: Metrics? = nil, underlying: (any Error)? = nil
  ) {
    self.init(code)
  }

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
  public func asRequest() -> Request { Request(.get, RequestPath(self)) }
}

@available(*, unavailable, message: "write Request(.get, path)")
extension RequestPath: RequestConvertible {
  public func asRequest() -> Request { Request(.get, self) }
}

extension NetworkClient {
  @available(*, unavailable, message: "write value(of: \"/users/\\(id)\", as: User.self)")
  public func get<Path, Output>(
    _ path: Path, query: Parameters = [:], parameters: Parameters = [:], headers: HTTPHeaders = [:],
    as type: Output.Type
  ) async throws -> Output { throw NetworkError(.cancelled) }
  @available(*, unavailable, message: "write value(of: Request(.post, path, body: .json(value)), as: User.self)")
  public func post<Path, Output>(
    _ path: Path, query: Parameters = [:], parameters: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .empty, as type: Output.Type = NoContent.self
  ) async throws -> Output { throw NetworkError(.cancelled) }
  @available(*, unavailable, message: "write value(of: Request(.put, path, body: .json(value)), as: User.self)")
  public func put<Path, Output>(
    _ path: Path, query: Parameters = [:], parameters: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .empty, as type: Output.Type = NoContent.self
  ) async throws -> Output { throw NetworkError(.cancelled) }
  @available(*, unavailable, message: "write value(of: Request(.patch, path, body: .json(value)), as: User.self)")
  public func patch<Path, Output>(
    _ path: Path, query: Parameters = [:], parameters: Parameters = [:], headers: HTTPHeaders = [:],
    body: RequestBody = .empty, as type: Output.Type = NoContent.self
  ) async throws -> Output { throw NetworkError(.cancelled) }
  @available(*, unavailable, message: "write send(Request(.delete, path))")
  public func delete<Path, Output>(
    _ path: Path, query: Parameters = [:], parameters: Parameters = [:], headers: HTTPHeaders = [:],
    as type: Output.Type = NoContent.self
  ) async throws -> Output { throw NetworkError(.cancelled) }
  @available(*, unavailable, message: "write value(of: Request(.post, path, parameters: …), as: User.self)")
  public func request<Path, Output>(
    _ path: Path, method: HTTPMethod = .get, query: Parameters = [:], parameters: Parameters = [:],
    headers: HTTPHeaders = [:], body: RequestBody = .empty, as type: Output.Type
  ) async throws -> Output { throw NetworkError(.cancelled) }
  @available(
    *, unavailable, message: "write send(request); exchange(request:) does not judge the status"
  )
  public func response<Request>(for request: Request) async throws -> Response<Data> { throw NetworkError(.cancelled) }
  @available(
    *, unavailable, message: "write send(request); exchange(request:) does not judge the status"
  )
  public func data<Request>(for request: Request) async throws -> (Data, HTTPResponse) {
    throw NetworkError(.cancelled)
  }
  @available(
    *, unavailable, message: "write send(Request(.get, path)); exchange(request:) does not judge the status"
  )
  public func data<Target>(from target: Target) async throws -> (Data, HTTPResponse) {
    throw NetworkError(.cancelled)
  }
  @available(
    *, unavailable, message: "write upload(Request(.post, path, body: .data(data, contentType: …)), as: User.self)"
  )
  public func upload(for request: Any, from body: Any) async throws -> (Data, HTTPResponse) {
    throw NetworkError(.cancelled)
  }
  @available(
    *, unavailable, message: "write upload(Request(.post, path, body: .file(url, contentType: …)), as: User.self)"
  )
  public func upload(for request: Any, fromFile file: URL) async throws -> (Data, HTTPResponse) {
    throw NetworkError(.cancelled)
  }
  @available(
    *, unavailable, message: "write upload(Request(.post, path, body: .data(data, contentType: …)), as: User.self)"
  )
  public func upload(_ request: Any, from body: Any, as type: Any? = nil) async throws -> Response<Data> {
    throw NetworkError(.cancelled)
  }
  @available(
    *, unavailable, message: "write upload(Request(.post, path, body: .data(data, contentType: …)), as: User.self)"
  )
  public func upload(from body: Any, to target: Any? = nil) async throws -> Response<Data> {
    throw NetworkError(.cancelled)
  }
  @available(*, unavailable, renamed: "enqueue(request:)")
  public func enqueue<Output>(_ request: TypedRequest<Output>) -> Signal<Response<Output>, NetworkError>
  where Output: Decodable & Sendable { enqueue(request: request) }

  @available(*, unavailable, message: "write NetworkClient(baseURL: URL(string: text)) { configuration in … }")
  public convenience init(baseURL: String, _ configure: (inout Configuration) -> Void = { _ in }) { self.init() }
  @available(*, unavailable, message: "settings go into the closure: NetworkClient(baseURL: url) { $0.headers = … }")
  public convenience init(
    baseURL: URL?, headers: HTTPHeaders = [:], idleTimeout: Duration = .seconds(60), retry: Retry = .never,
    middleware: [any Middleware] = [], recoveries: [Recovery] = [], monitors: [any Monitor] = [],
    transport: (any Transport)? = nil, _ configure: (inout Configuration) -> Void = { _ in }
  ) { self.init() }
}

extension Request {
  @available(
    *, unavailable, message: "write idleTimeout: for the time without bytes, totalTimeout: for all of it"
  )
  public init(
    _ method: HTTPMethod, _ path: RequestPath, service: ServiceID? = nil, query: Parameters = [:],
    parameters: Parameters = [:], headers: HTTPHeaders = [:], body: RequestBody = .empty, timeout: Duration
  ) { self.init(method, path) }
}

extension RequestOptions {
  @available(*, unavailable, renamed: "idleTimeout")
  public var timeout: Duration? {
    get { idleTimeout }
    set { idleTimeout = newValue }
  }
  @available(
    *, unavailable, message: "write .with { $0.idleTimeout = … }, or Request(…, idleTimeout: …)"
  )
  public init(timeout: Duration) { self.init() }
}

extension NetworkClient.Configuration {
  @available(*, unavailable, renamed: "idleTimeout")
  public var timeout: Duration {
    get { idleTimeout }
    set { idleTimeout = newValue }
  }

  @available(*, unavailable, message: "write makeURL = { path, base in … }")
  public var addressAssembler: (@Sendable (String, URL?) throws(NetworkError) -> URL)? {
    get { makeURL }
    set { makeURL = newValue }
  }
}

extension HTTPRequest {
  @available(*, unavailable, renamed: "curlCommand")
  public var curl: String { curlCommand }
}

extension Transfer {
  @available(*, unavailable, renamed: "finished")
  public var response: Value? { finished }
}

extension ErrorPresenter {
  @available(*, unavailable, renamed: "dialog")
  public var current: Property<ErrorPresentation?> { dialog }
}

extension HMACSigner {
  @available(*, unavailable, renamed: "Location")
  public typealias Place = Location

  @available(*, unavailable, message: "write location: instead of place:")
  public init(key: Data, place: Location, encoding: Encoding = .hexadecimal) {
    self.init(key: key, location: place, encoding: encoding)
  }
}

extension JSONCoding {
  @available(*, unavailable, message: "write configureEncoder: and configureDecoder:")
  public init(
    keys: Keys = .asDeclared, dates: Dates = .iso8601, encoder: @escaping @Sendable (JSONEncoder) -> Void = { _ in },
    decoder: @escaping @Sendable (JSONDecoder) -> Void = { _ in }
  ) {
    self.init(keys: keys, dates: dates, configureEncoder: encoder, configureDecoder: decoder)
  }
}

extension Trust {
  @available(*, unavailable, message: "write identities = [\"api.example.com\": identity]; no other host gets it")
  public var identity: Identity? {
    get { nil }
    set {}
  }
}

extension ResponseCache {
  @available(
    *, unavailable,
    message: "write removeAll(ofService: \"shop\"), or client.removeCachedResponses(of: \"/news\") for one API"
  )
  public func removeAll(of service: ServiceID) { removeAll(ofService: service) }
}

@available(*, unavailable, message: "return a tuple of the payload's decoder, the code and the message")
public typealias OpenedEnvelope = (payload: (any Decoder)?, code: String?, message: String?)

@available(*, unavailable, message: "write configuration.makeURL = { path, base in … }")
public typealias AddressAssembler = @Sendable (String, URL?) throws(NetworkError) -> URL

extension Response {
  @available(*, unavailable, message: "write headers[name]")
  public func header(_ name: String) -> String? { nil }
}

extension Response<Data> {
  @available(*, unavailable, renamed: "value")
  public var data: Data { value }

  @available(*, unavailable, renamed: "value")
  public var body: Data { value }
}

extension Multipart {
  @available(*, unavailable, message: "write append(.text(name, text))")
  public mutating func append(_ text: String, name: String) {}

  @available(*, unavailable, message: "write append(.file(name, url))")
  public mutating func append(file: URL, name: String, fileName: String? = nil, contentType: String? = nil) {}
}
