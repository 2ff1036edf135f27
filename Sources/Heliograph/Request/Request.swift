public import Foundation

/// A description of a request: method, path and content.
///
/// All other properties have defaults.
///
/// ```swift
/// let search = Request(.get, "/products", parameters: ["q": text, "page": page])
/// let order = Request(.post, "/users/\(id)/orders", body: .json(cart), idleTimeout: .seconds(10))
/// ```
/// A string literal is a `GET`: `client.value(of: "/users/\(id)", as: User.self)`, with the escaping of ``RequestPath``.
/// A `String` variable is not accepted, because its text would not be escaped: write
/// `Request(.get, RequestPath(text))`.
///
/// A request is a value. A ``NetworkClient`` builds an ``HTTPRequest`` from it for each attempt.
public struct Request: Sendable, RequestConvertible, ExpressibleByStringInterpolation {
  /// The result type: `Data`, the body as received.
  public typealias Output = Data

  /// The HTTP method, such as `GET`.
  public var method: HTTPMethod {
    get { contents.value.method }
    set { contents.value.method = newValue }
  }
  /// The path below the base URL of the service or the client, or an absolute URL.
  ///
  /// The path may contain a query. The header fields, parameters and signature of the client or the service are added
  /// to an absolute URL only if its origin is one of the client's own; see ``NetworkClient/Configuration/owns(_:)``.
  public var path: RequestPath {
    get { contents.value.path }
    set { contents.value.path = newValue }
  }
  /// The service that the request is sent to; `nil` for the client's own base URL.
  public var service: ServiceID? {
    get { contents.value.service }
    set { contents.value.service = newValue }
  }
  /// The parameters added to the query, in this order, whatever the method.
  public var query: Parameters {
    get { contents.value.query }
    set { contents.value.query = newValue }
  }
  /// The parameters sent in the query or in the body, depending on method and service; see ``ParameterPlacement``.
  public var parameters: Parameters {
    get { contents.value.parameters }
    set { contents.value.parameters = newValue }
  }
  /// The header fields, which replace common fields with the same names.
  public var headers: HTTPHeaders {
    get { contents.value.headers }
    set { contents.value.headers = newValue }
  }
  /// The body; if it is `.empty`, the parameters may form the body.
  public var body: RequestBody {
    get { contents.value.body }
    set { contents.value.body = newValue }
  }
  /// The settings that override those of the service and the client.
  public var options: RequestOptions {
    _read { yield contents.value.options }
    _modify { yield &contents.value.options }
  }

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - method: The HTTP method.
  ///   - path: The path below the base URL, or an absolute URL; interpolated values are escaped.
  ///   - service: The service. Default: none; the client's own base URL applies.
  ///   - query: The parameters added to the query, whatever the method. Default: none.
  ///   - parameters: The parameters sent in the query or in the body. Default: none.
  ///   - headers: The header fields. Default: only the common fields.
  ///   - body: The body. Default: formed by the parameters.
  ///   - idleTimeout: The maximum time without a byte sent or received. Default: the value in `options`.
  ///   - totalTimeout: The maximum time from subscription to completion. Default: the value in `options`.
  ///   - retry: The rules for retries. Default: the value in `options`.
  ///   - cache: The cache policy. Default: the value in `options`.
  ///   - priority: The priority in queues. Default: the value in `options`.
  ///   - options: All other settings. Default: the settings of the service.
  public init(
    _ method: HTTPMethod, _ path: RequestPath, service: ServiceID? = nil, query: Parameters = Parameters(),
    parameters: Parameters = Parameters(), headers: HTTPHeaders = [:], body: RequestBody = .empty,
    idleTimeout: Duration? = nil, totalTimeout: Duration? = nil, retry: Retry? = nil, cache: CachePolicy = .default,
    priority: RequestPriority? = nil, options: consuming RequestOptions = RequestOptions()
  ) {
    if let idleTimeout = idleTimeout { options.idleTimeout = idleTimeout }
    if let totalTimeout { options.totalTimeout = totalTimeout }
    if let retry { options.retry = retry }
    if cache != .default { options.cache = cache }
    if let priority { options.priority = priority }
    contents = CopyOnWrite(
      Contents(
        method: method, path: path, service: service, query: query, parameters: parameters, headers: headers,
        body: body, options: options))
  }

  /// Creates a request for a URL.
  ///
  /// The parameters are those of the initializer with a path, with the URL in place of the path.
  public init(
    _ method: HTTPMethod, _ url: URL, service: ServiceID? = nil, query: Parameters = Parameters(),
    parameters: Parameters = Parameters(), headers: HTTPHeaders = [:], body: RequestBody = .empty,
    idleTimeout: Duration? = nil, totalTimeout: Duration? = nil, retry: Retry? = nil,
    cache: CachePolicy = .default, priority: RequestPriority? = nil, options: RequestOptions = RequestOptions()
  ) {
    self.init(
      method, RequestPath(url.absoluteString), service: service, query: query, parameters: parameters, headers: headers,
      body: body, idleTimeout: idleTimeout, totalTimeout: totalTimeout, retry: retry, cache: cache,
      priority: priority, options: options)
  }

  /// Creates a `GET` request for a path below the base URL, or for an absolute URL.
  public init(stringLiteral path: String) { self.init(.get, RequestPath(path)) }

  /// Creates a `GET` request for a path with escaped interpolated values; see ``RequestPath``.
  public init(stringInterpolation path: RequestPath.StringInterpolation) {
    self.init(.get, RequestPath(stringInterpolation: path))
  }

  /// Returns the request itself.
  public func asRequest() -> Request { self }

  /// The request as an opaque type, which selects the general overload instead of the one for literals.
  var general: some RequestConvertible<Data> { self }

  private struct Contents: Sendable {
    var method: HTTPMethod
    var path: RequestPath
    var service: ServiceID?
    var query: Parameters
    var parameters: Parameters
    var headers: HTTPHeaders
    var body: RequestBody
    var options: RequestOptions
  }

  private var contents: CopyOnWrite<Contents>
}

extension Request: _Summarized {
  /// The method and the path on one line, without the query, which may be secret.
  public var description: String { "\(method.rawValue.singleLine) \(path)" }
  /// The method, the redacted path, and the names of parameters and header fields, without values and body.
  public var customMirror: Mirror {
    let children: KeyValuePairs<String, Any> = [
      "method": method, "path": path.description, "query": query, "parameters": parameters, "headers": headers,
    ]
    return Mirror(self, children: children, displayStyle: .struct)
  }
}
