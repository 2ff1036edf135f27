// The names of Moya, unavailable: the compiler's message says what to write. A file that imports Moya, too, gets its names.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

public import Foundation
public import Signals

@available(*, unavailable, message: "Conform to Endpoint, whose only requirement is var request: Request; the base URL is the client's")
public typealias TargetType = Endpoint

@available(*, unavailable, message: "Use a NetworkClient: client.value(of: API.user(1), as: User.self)")
public typealias MoyaProvider<Target> = NetworkClient

@available(*, unavailable, renamed: "NetworkError")
public typealias MoyaError = NetworkError

@available(*, unavailable, message: "Leave it out: a client takes requests of any type")
public typealias MultiTarget = RequestConvertible

@available(*, unavailable, message: "Use a Monitor to observe, a Middleware to change requests")
public typealias PluginType = Monitor

@available(*, unavailable, message: "Write $0.monitors = [ConsoleMonitor()]")
public typealias NetworkLoggerPlugin = ConsoleMonitor

@available(*, unavailable, message: "Write $0.middleware = [.bearer { token.value }]")
public typealias AccessTokenPlugin = Middleware

@available(*, unavailable, message: "Use an ActivityMonitor")
public typealias NetworkActivityPlugin = ActivityMonitor

extension NetworkClient {
  @available(*, unavailable, message: "Write try await value(of: target, as: User.self)")
  public func request<Target: RequestConvertible>(
    _ target: Target, completion: @escaping (Result<Response<Data>, NetworkError>) -> Void
  ) -> Disposable { Disposable {} }

  @available(*, unavailable, message: "Write enqueue(request: target, resultType: User.self), a signal")
  public func requestPublisher<Target: RequestConvertible>(_ target: Target) -> Signal<Response<Data>, NetworkError> {
    enqueue(request: target, resultType: Data.self)
  }
}
