public import Foundation

extension NetworkClient {
  /// Creates a client with a base URL and the most frequent settings.
  ///
  /// ```swift
  /// let client = NetworkClient(baseURL: url) { $0.retry = Retry(limit: 2) }
  /// ```
  /// - Parameters:
  ///   - baseURL: The base URL of relative paths. With `nil`, requests need absolute URLs or services.
  ///   - headers: The default header fields of every request. Default: none.
  ///   - idleTimeout: The maximum time without a byte sent or received. Default: 60 seconds.
  ///   - retry: The default rules for retries. Default: never.
  ///   - middleware: The middleware of all requests. Default: none.
  ///   - recoveries: The recoveries. Default: none.
  ///   - monitors: The monitors. Default: none.
  ///   - transport: The transport. Default: the platform's preferred one.
  ///   - configure: Changes any setting. Default: no changes.
  public convenience init(
    baseURL: URL?, headers: HTTPHeaders = [:], idleTimeout: Duration = .seconds(60), retry: Retry = .never,
    middleware: [any Middleware] = [], recoveries: [Recovery] = [], monitors: [any Monitor] = [],
    transport: (any Transport)? = nil, _ configure: (inout Configuration) -> Void = { _ in }
  ) {
    var configuration = Configuration(
      baseURL: baseURL, headers: headers, idleTimeout: idleTimeout, retry: retry, middleware: middleware,
      recoveries: recoveries, monitors: monitors, transport: transport)
    configure(&configuration)
    self.init(configuration)
  }

  /// Creates a client with a base URL from text.
  ///
  /// If the text is not a URL, the client has no base URL, and requests with a relative path fail with
  /// ``NetworkError/Code/invalidURL``.
  /// - Parameters:
  ///   - baseURL: The base URL of relative paths.
  ///   - headers: The default header fields of every request. Default: none.
  ///   - idleTimeout: The maximum time without a byte sent or received. Default: 60 seconds.
  ///   - retry: The default rules for retries. Default: never.
  ///   - middleware: The middleware of all requests. Default: none.
  ///   - recoveries: The recoveries. Default: none.
  ///   - monitors: The monitors. Default: none.
  ///   - transport: The transport. Default: the platform's preferred one.
  ///   - configure: Changes any setting. Default: no changes.
  public convenience init(
    baseURL: String, headers: HTTPHeaders = [:], idleTimeout: Duration = .seconds(60), retry: Retry = .never,
    middleware: [any Middleware] = [], recoveries: [Recovery] = [], monitors: [any Monitor] = [],
    transport: (any Transport)? = nil, _ configure: (inout Configuration) -> Void = { _ in }
  ) {
    self.init(
      baseURL: URL(string: baseURL), headers: headers, idleTimeout: idleTimeout, retry: retry, middleware: middleware,
      recoveries: recoveries, monitors: monitors, transport: transport, configure)
  }
}
