public import Foundation

/// Makes a wish into a request for the wire: pure, synchronous, and the same for the same input.
///
/// It looks up the service, puts address, header fields and parameters together, runs the filters, and lets the service's
/// signer sign. What cannot be sent safely is refused here, with a `client` error, before anything goes out.
public struct RequestBuilder: Sendable {
  /// What relative paths of requests without a service are below.
  public var baseURL: URL?
  /// Header fields of every request that does not set them itself.
  public var headers: HTTPHeaders
  /// How long an exchange may be silent, if neither the request nor its service says.
  public var timeout: Duration
  /// What is refused as too much of a response.
  ///
  /// Default: see ``ResponseLimits``.
  public var limits = ResponseLimits()
  /// Makes addresses of paths and base addresses.
  ///
  /// Default: ``PathAddressAssembler``. Requirement S4-6.
  public var addresses: any AddressAssembler = PathAddressAssembler()
  /// The services that requests may name.
  ///
  /// Default: ``ServiceRegistry/shared``.
  public var services = ServiceRegistry.shared
  /// Says which environment is current.
  ///
  /// Default: `nil`; services are then asked for their addresses in ``Environment/release``.
  public var environments: EnvironmentStore?
  /// Change each request before it is signed, before its service's own filters do.
  ///
  /// Default: none.
  public var filters: [any RequestFilter] = []
  /// Where parameters of requests without a service go.
  ///
  /// Default: ``ParameterPlacement/form``.
  public var placement = ParameterPlacement.form
  /// How parameters of requests without a service are written.
  ///
  /// Default: see ``ParameterRules``.
  public var rules = ParameterRules()
  /// Whether requests without a service may go over plain http; to this very machine they always may.
  ///
  /// Default: `false`. Requirement S1-36.
  public var allowsPlainHTTP = false

  /// Makes a builder.
  ///
  /// - Parameters:
  ///   - baseURL: what relative paths are below. Default: none, so only absolute addresses work without a service.
  ///   - headers: header fields of every request. Default: none.
  ///   - timeout: how long an exchange may be silent. Default: 60 seconds.
  public init(baseURL: URL? = nil, headers: HTTPHeaders = [:], timeout: Duration = .seconds(60)) {
    self.baseURL = baseURL
    self.headers = headers
    self.timeout = timeout
  }

  /// Builds a request.
  ///
  /// - Parameter convertible: what the caller wants.
  /// - Returns: the request for the wire. The same input gives the same bytes, but for what a signer adds.
  /// - Throws: a `client` error; its code says what is wrong: ``NetworkError/Code/badURL``, `badMethod`, `badHeader`,
  ///   `badBody`, `badParameters`, `unknownService`, `noAddress`, `insecureAddress`, `unknownCommonParameters` or what a
  ///   filter or the signer throws.
  public func build(_ convertible: some RequestConvertible) throws(NetworkError) -> HTTPRequest {
    try build(try find(try convertible.asRequest()))
  }

  /// Finds out which service a request goes to, and in which environment.
  func find(_ request: Request) throws(NetworkError) -> ServiceRequest {
    var service: (any Service)?
    if let id = request.service { service = try services.service(id) }
    return ServiceRequest(request, service, environments?.state ?? EnvironmentStore.State(environment: .release))
  }

  /// Builds a request, which is not signed where an offline gate refuses it: so a signer is not asked in vain.
  func build(
    _ wish: ServiceRequest, at status: ReachabilityStatus = .unknown
  ) throws(NetworkError) -> HTTPRequest {
    let (request, service) = (wish.request, wish.adding)
    let common = try wish.common()
    var draft = RequestDraft(method: request.method, url: try address(of: request.path, for: wish))
    draft.headers = headers
    if let service { draft.headers.merge(service.headers) }
    for set in common { draft.headers.merge(set.headers) }
    draft.headers.merge(request.headers)
    try encode(request.body, request.options.rules ?? service?.rules ?? rules, into: &draft)
    try place(wish, common, into: &draft)
    if let filters = request.options.filters {
      for filter in filters { try filter.filter(&draft) }
    } else {
      for filter in filters { try filter.filter(&draft) }
      if let service { for filter in service.filters { try filter.filter(&draft) } }
    }
    if let signer = wish.signer, status != .unreachable || draft.url.isLocal { try signer.sign(&draft) }
    return try finish(draft, wish)
  }

  /// Puts the parts together and looks at the whole.
  private func finish(_ draft: RequestDraft, _ wish: ServiceRequest) throws(NetworkError) -> HTTPRequest {
    var draft = draft
    if !draft.form.isEmpty {
      draft.body = .data(Data(PercentEncoding.form.bytes(draft.form)))
      draft.suggest(contentType: "application/x-www-form-urlencoded")
    }
    let url = try draft.completeURL()
    guard url.isSecureOrLocal || wish.allowsPlainHTTP(or: allowsPlainHTTP) else {
      throw NetworkError(.client, .insecureAddress, reason: "\(url.redacted) is plain http, which is not allowed")
    }
    let options = wish.request.options
    let built = HTTPRequest(
      method: draft.method, url: url, headers: draft.headers, body: draft.body,
      timeout: options.timeout ?? wish.service?.timeout ?? timeout, deadline: options.deadline, limits: limits,
      isRepeatable: options.isRepeatable, priority: options.priority)
    try built.check()
    return built
  }
}

extension RequestDraft {
  /// The address with the query.
  fileprivate func completeURL() throws(NetworkError) -> URL {
    if query.isEmpty { return url }
    let text = url.absoluteString
    if !text.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }),
      let url = URL(string: text + "?" + PercentEncoding.query.encode(query))
    {
      return url
    }
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { throw .malformed(url) }
    let own = parts.percentEncodedQuery ?? ""
    parts.percentEncodedQuery = (own.isEmpty ? "" : own + "&") + PercentEncoding.query.encode(query)
    guard let url = parts.url else { throw .malformed(url) }
    return url
  }
}

extension NetworkError {
  fileprivate static func malformed(_ url: URL) -> NetworkError {
    NetworkError(.client, .badURL, reason: "\(url.redacted) is no address")
  }
}

extension URL {
  /// Whether nobody on the way can read or change what is sent there.
  fileprivate var isSecureOrLocal: Bool {
    let text = absoluteString
    // What nearly all addresses begin with; taking one apart costs more than ten of these.
    if text.hasPrefix("https://") { return true }
    // What stands before an `@` is a user, and not the host.
    if text.hasPrefix("http://127.0.0.1:") || text.hasPrefix("http://localhost:"), !text.utf8.contains(0x40) {
      return true
    }
    return scheme?.lowercased() == "https" || isLocal
  }
}
