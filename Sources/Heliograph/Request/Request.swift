/// What a caller wants: a method, a place, and what to send there.
///
/// All that is not said has a default.
///
/// ```swift
/// let search = Request(.get, "/products", parameters: ["q": "lamp", "page": 2])
/// ```
/// It is a value without behaviour; ``RequestBuilder`` makes it into an ``HTTPRequest``.
public struct Request: Sendable, RequestConvertible {
  /// The method.
  public var method: HTTPMethod
  /// A path below the service's address, or an absolute address.
  ///
  /// It may have a query of its own. To an absolute address of another origin than the service's own, nothing is sent of
  /// what the service adds.
  public var path: String
  /// Which service it goes to; `nil` means the client's own base address.
  public var service: ServiceID?
  /// What is added to the query, in this order, whatever the method.
  public var query: Parameters
  /// What is sent in the query or in the body, as the method and the service have it; see ``ParameterPlacement``.
  public var parameters: Parameters
  /// Header fields; they replace common ones of the same name.
  public var headers: HTTPHeaders
  /// The body; `.empty` means what the parameters make.
  public var body: RequestBody
  /// How it is to be sent, where not as its service says.
  public var options: RequestOptions

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - method: the method.
  ///   - path: a path below the service's address, or an absolute address.
  ///   - service: which service it goes to. Default: none, so the client's own base address counts.
  ///   - query: what is added to the query, whatever the method. Default: nothing.
  ///   - parameters: what is sent in the query or in the body. Default: nothing.
  ///   - headers: header fields. Default: the common ones.
  ///   - body: the body. Default: what the parameters make.
  ///   - options: how it is to be sent. Default: as the service says.
  public init(
    _ method: HTTPMethod, _ path: String, service: ServiceID? = nil, query: Parameters = Parameters(),
    parameters: Parameters = Parameters(), headers: HTTPHeaders = [:], body: RequestBody = .empty,
    options: RequestOptions = RequestOptions()
  ) {
    self.method = method
    self.path = path
    self.service = service
    self.query = query
    self.parameters = parameters
    self.headers = headers
    self.body = body
    self.options = options
  }

  /// The request itself.
  public func asRequest() -> Request { self }
}
