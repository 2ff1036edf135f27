// The names of Alamofire, unavailable: the compiler's message says what to write. A file that imports Alamofire, too, gets its names.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

public import Foundation

@available(*, unavailable, message: "Create a NetworkClient(baseURL: url) and pass it on")
public var AF: Session { Session() }

@available(*, unavailable, renamed: "NetworkError")
public typealias AFError = NetworkError

@available(*, unavailable, renamed: "Request")
public typealias DataRequest = Request

@available(*, unavailable, message: "Write Response<User>; a failure is thrown")
public typealias AFDataResponse<Value> = Response<Value>

@available(*, unavailable, message: "Write Response<User>; a failure is thrown")
public typealias DataResponse<Value, Failure> = Response<Value>

@available(*, unavailable, renamed: "RequestConvertible")
public typealias URLRequestConvertible = RequestConvertible

@available(*, unavailable, renamed: "HTTPHeaders.Field")
public typealias HTTPHeader = HTTPHeaders.Field

@available(*, unavailable, renamed: "Multipart")
public typealias MultipartFormData = Multipart

@available(*, unavailable, message: "Use a Middleware to change requests, a Retry and a Recovery to send them again")
public typealias RequestInterceptor = Middleware

@available(*, unavailable, renamed: "Middleware")
public typealias RequestAdapter = Middleware

@available(*, unavailable, message: "Use Retry(limit:), and a Recovery for a fresh token")
public typealias RequestRetrier = Middleware

@available(*, unavailable, message: "Write .bearer { session.value?.token } and a Recovery")
public typealias AuthenticationInterceptor<Authenticator> = Recovery

@available(*, unavailable, renamed: "Monitor")
public typealias EventMonitor = Monitor

@available(*, unavailable, renamed: "Reachability")
public typealias NetworkReachabilityManager = Reachability

@available(*, unavailable, message: "Set the trust of TransportSettings")
public struct ServerTrustManager: Sendable {
  public init(allHostsMustBeEvaluated: Bool = true, evaluators: [String: Any]) {}
}

@available(*, unavailable, message: "parameters: go into the query or a form; options.placement = .json sends JSON")
public typealias ParameterEncoding = ParameterPlacement

@available(*, unavailable, message: "parameters: of a GET are its query, of a POST a form; query: is always the query")
public typealias URLEncoding = ParameterPlacement

extension ParameterPlacement {
  @available(*, unavailable, message: "Set options.parameterRules = ParameterRules(arrays: …, booleans: …)")
  public init(
    destination: ParameterPlacement = .query, arrayEncoding: ParameterRules.ArrayNotation = .brackets,
    boolEncoding: ParameterRules.Booleans = .digits
  ) { self = .query }

  @available(*, unavailable, message: "Leave it out: the method decides; .json sends JSON")
  public static var `default`: ParameterPlacement { .form }

  @available(*, unavailable, renamed: "query")
  public static var queryString: ParameterPlacement { .query }

  @available(*, unavailable, renamed: "form")
  public static var httpBody: ParameterPlacement { .form }
}

extension ParameterRules.ArrayNotation {
  @available(*, unavailable, renamed: "repeated")
  public static var noBrackets: Self { .repeated }
}

extension ParameterRules.Booleans {
  @available(*, unavailable, renamed: "trueFalse")
  public static var literal: Self { .trueFalse }

  @available(*, unavailable, renamed: "digits")
  public static var numeric: Self { .digits }
}

@available(*, unavailable, message: "Write body: .json(value), or options.placement = .json for parameters")
public typealias JSONEncoding = ParameterPlacement

extension NetworkClient {
  @available(*, unavailable, message: "Write value(of: Request(.post, path, parameters: …), as: User.self)")
  public func request<Target>(
    _ target: Target, method: HTTPMethod = .get, parameters: Parameters? = nil, headers: HTTPHeaders? = nil
  ) -> Request { "" }

  @available(*, unavailable, message: "Write value(of: Request(.post, path, parameters: …), as: User.self)")
  public func request<Target, Encoding: Equatable>(
    _ target: Target, method: HTTPMethod = .get, parameters: Parameters? = nil, encoding: Encoding,
    headers: HTTPHeaders? = nil
  ) -> Request { "" }

  @available(*, unavailable, message: "Write value(of: Request(.post, path, body: .json(value)), as: User.self)")
  public func request<Target, Value: Encodable, Encoder>(
    _ target: Target, method: HTTPMethod = .get, parameters: Value, encoder: Encoder, headers: HTTPHeaders? = nil
  ) -> Request { "" }

  @available(*, unavailable, message: "Write stream(request:), lines(request:) or events(request:)")
  public func streamRequest<Target>(_ target: Target) -> Request { "" }

  @available(*, unavailable, message: "Write upload(Request(.post, path, body: .multipart([…])), as: User.self)")
  public func upload<Target>(
    multipartFormData: (inout Multipart) -> Void, to target: Target, method: HTTPMethod = .post,
    headers: HTTPHeaders? = nil
  ) -> Request { "" }

  @available(*, unavailable, message: "Write upload(Request(.post, path, body: .data(data, contentType: …)), as: …)")
  public func upload<Target>(
    _ data: Data, to target: Target, method: HTTPMethod = .post, headers: HTTPHeaders? = nil
  ) -> Request { "" }

  @available(*, unavailable, message: "Write upload(Request(.post, path, body: .file(url, contentType: …)), as: …)")
  public func upload<Target>(
    _ file: URL, to target: Target, method: HTTPMethod = .post, headers: HTTPHeaders? = nil
  ) -> Request { "" }
}

extension NetworkClient.Configuration {
  @available(*, unavailable, message: "Set middleware to change requests, retry and recoveries to send them again")
  public var interceptors: [Any] {
    get { [] }
    set {}
  }

  @available(*, unavailable, renamed: "monitors")
  public var eventMonitors: [Any] {
    get { [] }
    set {}
  }

  @available(*, unavailable, renamed: "json")
  public var jsonCoding: JSONCoding {
    get { json }
    set {}
  }

  @available(*, unavailable, renamed: "idleTimeout")
  public var timeoutIntervalForRequest: Double {
    get { 0 }
    set {}
  }

  @available(*, unavailable, renamed: "totalTimeout")
  public var timeoutIntervalForResource: Double {
    get { 0 }
    set {}
  }
}

extension RequestDraft {
  @available(*, unavailable, message: "Append to query or form: the parameters are in one of them already")
  public var parameters: Parameters {
    get { [:] }
    set {}
  }
}

extension JSONCoding {
  @available(*, unavailable, message: "Write makeDecoder().decode(User.self, from: data)")
  public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    throw CancellationError()
  }

  @available(*, unavailable, message: "Write makeEncoder().encode(value)")
  public func encode(_ value: some Encodable) throws -> Data { Data() }
}

extension Request {
  @available(*, unavailable, message: "Write body: .json(value), or options: .with { $0.placement = .json }")
  public init(
    _ method: HTTPMethod, _ path: RequestPath, parameters: Parameters = [:], encoding: ParameterPlacement,
    headers: HTTPHeaders = [:]
  ) { self.init(method, path) }

  @available(*, unavailable, message: "Write body: .json(value), or options: .with { $0.placement = .json }")
  public init(
    _ method: HTTPMethod, _ path: RequestPath, parameters: Parameters = [:], parameterEncoding: ParameterPlacement,
    headers: HTTPHeaders = [:]
  ) { self.init(method, path) }

  @available(*, unavailable, message: "Write headers[name] = value")
  public mutating func setValue(_ value: String?, forHTTPHeaderField name: String) {}

  @available(*, unavailable, message: "Write headers.add(value, for: name)")
  public mutating func addValue(_ value: String, forHTTPHeaderField name: String) {}

  @available(*, unavailable, message: "Write Request(.get, path)")
  public static func get(_ path: RequestPath) -> Request { Request(.get, path) }

  @available(*, unavailable, message: "Write Request(.post, path, body: .json(value))")
  public static func post(_ path: RequestPath) -> Request { Request(.post, path) }

  @available(*, unavailable, message: "Write body: .json(value)")
  public init<Value: Encodable & Sendable>(_ method: HTTPMethod, _ path: RequestPath, json: Value) {
    self.init(method, path)
  }

  @available(*, unavailable, message: "Write parameters: Parameters(values)")
  public init(
    _ method: HTTPMethod, _ path: RequestPath, service: ServiceID? = nil, query: Parameters = [:],
    parameters: some Encodable & Sendable, headers: HTTPHeaders = [:], body: RequestBody = .empty
  ) { self.init(method, path) }

  @available(*, unavailable, message: "Write HTTPHeaders in place of [String: String]")
  public init(
    _ method: HTTPMethod, _ path: RequestPath, service: ServiceID? = nil, query: Parameters = [:],
    parameters: Parameters = [:], headers: [String: String]?, body: RequestBody = .empty
  ) { self.init(method, path) }

  @available(*, unavailable, message: "Write try await client.send(request), which returns the body as received")
  @discardableResult
  public func responseData(completionHandler: @escaping (Response<Data>) -> Void) -> Request { self }

  @available(*, unavailable, message: "Write try await client.value(of: request, as: String.self)")
  @discardableResult
  public func responseString(completionHandler: @escaping (Response<String>) -> Void) -> Request { self }

  @available(*, unavailable, message: "Write try await client.value(of: request, as: JSON.self)")
  @discardableResult
  public func responseJSON(completionHandler: @escaping (Response<JSON>) -> Void) -> Request { self }

  @available(*, unavailable, message: "Write try await client.value(of: request, as: User.self)")
  public func serializingDecodable<Value: Sendable>(_ type: Value.Type) -> Task<Value, any Error> {
    Task { throw CancellationError() }
  }

  @available(*, unavailable, message: "Write try await client.value(of: request, as: Data.self)")
  public func serializingData() -> Task<Data, any Error> { Task { throw CancellationError() } }

  @available(*, unavailable, message: "Write try await client.value(of: request, as: String.self)")
  public func serializingString() -> Task<String, any Error> { Task { throw CancellationError() } }

  @available(*, unavailable, message: "Write client.upload(request, as: …) { progress in … }")
  public func uploadProgress(closure: @escaping (TransferProgress) -> Void) -> Request { self }

  @available(*, unavailable, message: "Write client.download(request, to: file) { progress in … }")
  public func downloadProgress(closure: @escaping (TransferProgress) -> Void) -> Request { self }

  @available(*, unavailable, message: "Set headers: [.authorization(username: …, password: …)]")
  public func authenticate(username: String, password: String) -> Request { self }
}

extension HTTPRequest {
  @available(*, unavailable, message: "Write curlCommand; it has no secrets")
  public func cURLDescription() -> String { curlCommand }

  @available(*, unavailable, message: "Write headers[name] = value")
  public mutating func setValue(_ value: String?, forHTTPHeaderField name: String) {}

  @available(*, unavailable, message: "Write headers.add(value, for: name)")
  public mutating func addValue(_ value: String, forHTTPHeaderField name: String) {}

  @available(*, unavailable, renamed: "body")
  public var httpBody: HTTPBody? { body }

  @available(*, unavailable, renamed: "headers")
  public var allHTTPHeaderFields: HTTPHeaders? { headers }
}

extension Multipart {
  @available(*, unavailable, message: "Write append(.data(name, data, fileName: …, contentType: …))")
  public mutating func append(_ data: Data, withName name: String, fileName: String? = nil, mimeType: String? = nil) {}

  @available(*, unavailable, message: "Write append(.file(name, url, fileName: …, contentType: …))")
  public mutating func append(_ file: URL, withName name: String, fileName: String? = nil, mimeType: String? = nil) {}
}

extension HTTPHeaders {
  @available(*, unavailable, message: "Write headers[name]")
  public func value(for name: String) -> String? { self[name] }

  @available(*, unavailable, message: "Write add(value, for: name)")
  public mutating func add(name: String, value: String) {}
}

extension Result where Failure == NetworkError {
  @available(*, unavailable, message: "Write try? get(), or switch over the result")
  public var value: Success? { try? get() }

  @available(*, unavailable, message: "Write switch, or if case .failure(let error) = result")
  public var error: NetworkError? { nil }
}

extension Pager {
  @available(*, unavailable, message: "Write isRefreshing for the first page, isLoadingMore for the next one")
  public var isLoading: Bool { isRefreshing }
}
