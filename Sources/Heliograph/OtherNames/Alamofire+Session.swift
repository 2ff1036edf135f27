// More names of Alamofire, unavailable: the compiler's message says what to write.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation
public import Signals

@available(*, unavailable, message: "Use a NetworkClient(baseURL: url), whose closure has the settings")
public final class Session: Sendable {
  public static let `default` = Session()

  public init(
    configuration: Any? = nil, interceptor: Any? = nil, serverTrustManager: Any? = nil, eventMonitors: [Any] = []
  ) {}

  @available(*, unavailable, message: "Write value(of: Request(.post, path, parameters: …), as: User.self)")
  public func request<Target>(
    _ target: Target, method: HTTPMethod = .get, parameters: [String: Any]? = nil, encoding: Any? = nil,
    headers: HTTPHeaders? = nil, interceptor: Any? = nil
  ) -> Request { "" }

  @available(*, unavailable, message: "Write value(of: Request(.post, path, body: .json(value)), as: User.self)")
  public func request<Target, Value: Encodable, Encoder>(
    _ target: Target, method: HTTPMethod = .get, parameters: Value, encoder: Encoder, headers: HTTPHeaders? = nil
  ) -> Request { "" }

  @available(*, unavailable, message: "Write try await client.download(request, to: file)")
  public func download<Target>(_ target: Target) -> Request { "" }

  @available(*, unavailable, message: "Write upload(Request(.post, path, body: .multipart([…])), as: User.self)")
  public func upload<Target>(
    multipartFormData: (inout Multipart) -> Void, to target: Target, method: HTTPMethod = .post,
    headers: HTTPHeaders? = nil
  ) -> Request { "" }
}

@available(*, unavailable, message: "Use a Middleware to change requests, a Retry and a Recovery to send them again")
public struct Interceptor: Sendable {
  public init(adapters: [Any] = [], retriers: [Any] = [], interceptors: [Any] = []) {}
}

@available(*, unavailable, message: "Use Retry(limit:), and a Recovery for a fresh token")
public enum RetryResult: Sendable {
  case retry, doNotRetry
  case retryWithDelay(Double)
  case doNotRetryWithError(any Error)
}

@available(*, unavailable, message: "Write $0.retry = Retry(limit: 3)")
public struct RetryPolicy: Sendable {
  public init(retryLimit: UInt = 2, exponentialBackoffBase: UInt = 2, exponentialBackoffScale: Double = 0.5) {}
}

@available(*, unavailable, message: "Set the trust of TransportSettings")
public struct PinnedCertificatesTrustEvaluator: Sendable { public init() {} }

@available(*, unavailable, message: "Set the trust of TransportSettings")
public struct PublicKeysTrustEvaluator: Sendable { public init() {} }

@available(*, unavailable, message: "Set the trust of TransportSettings")
public struct DisabledTrustEvaluator: Sendable { public init() {} }

@available(*, unavailable, message: "Write body: .json(value)")
public typealias JSONParameterEncoder = ParameterPlacement

@available(*, unavailable, message: "Write parameters: of a GET, its query, or of a POST, a form")
public typealias URLEncodedFormParameterEncoder = ParameterPlacement

extension Response {
  @available(*, unavailable, message: "Write do { … } catch { … } around the call: a failure is thrown")
  public var result: Result<Value, NetworkError> { .success(value) }
}

extension Request {
  @available(*, unavailable, message: "Leave it out: each response is validated; exchange(request:) does not")
  public func validate() -> Request { self }

  @available(*, unavailable, message: "Set options.stages.baseValidators = [StatusValidator(accepted: 200..<300)]")
  public func validate<Codes>(statusCode: Codes) -> Request { self }

  @available(*, unavailable, message: "Set options.stages.baseValidators = [ContentTypeValidator(…)]")
  public func validate(contentType: [String]) -> Request { self }

  @available(*, unavailable, message: "Write try await client.send(request)")
  @discardableResult
  public func response(completionHandler: @escaping (Response<Data>) -> Void) -> Request { self }

  @available(*, unavailable, message: "Write try await client.value(of: request, as: User.self)")
  @discardableResult
  public func responseDecodable<Value>(
    of type: Value.Type, queue: DispatchQueue = .main, decoder: Any? = nil,
    completionHandler: @escaping (Response<Value>) -> Void
  ) -> Request { self }

  @available(*, unavailable, message: "Write client.enqueue(request: request, resultType: User.self)")
  public func publishDecodable<Value: Sendable>(type: Value.Type) -> Signal<Value, NetworkError> { .empty }
}
