package import Foundation

/// The builder of HTTP requests: pure, synchronous, with the same result for the same input.
///
/// It looks up the service, joins URL, header fields and parameters, runs the filters, and has the service's signer sign.
/// A request that cannot be sent safely is refused here with a `client` error.
package struct RequestBuilder: Sendable {
  /// What relative paths of requests without a service are below.
  package var baseURL: URL?
  /// Header fields of every request that does not set them itself.
  package var headers: HTTPHeaders
  /// The idle time-out where neither the request nor its service has one.
  package var idleTimeout: Duration
  /// Origins besides those of ``baseURL`` and ``services`` to which what a client or a service adds may go: header fields,
  /// common parameters, filters, middleware and signatures.
  ///
  /// Default: none. See ``owns(_:)``.
  package var trustedOrigins: Set<Origin> = []
  /// What is refused as too much of a response.
  ///
  /// Default: see ``ResponseLimits``.
  package var limits = ResponseLimits()
  /// Makes addresses of paths and base addresses.
  ///
  /// Default: ``PathAddressAssembler``.
  package var addresses: any AddressAssembler = PathAddressAssembler()
  /// The services that requests may name.
  ///
  /// Default: ``ServiceRegistry/shared``.
  package var services = ServiceRegistry.shared
  /// Says which environment is current.
  ///
  /// Default: `nil`; services are then asked for their addresses in ``ServiceEnvironment/release``.
  package var environments: EnvironmentStore?
  /// Change each request before it is signed, before its service's own filters do.
  ///
  /// Default: none.
  package var filters: [any RequestFilter] = []
  /// Where parameters of requests without a service go.
  ///
  /// Default: ``ParameterPlacement/form``.
  package var placement = ParameterPlacement.form
  /// How parameters of requests without a service are written.
  ///
  /// Default: see ``ParameterRules``.
  package var rules = ParameterRules()
  /// Whether requests may go over plain http to addresses that are not a service's; to this very machine they always may.
  ///
  /// Default: `false`.
  package var allowsInsecureHTTP = false

  /// Makes a builder.
  ///
  /// - Parameters:
  ///   - baseURL: what relative paths are below. Default: none, so only absolute addresses work without a service.
  ///   - headers: header fields of every request. Default: none.
  ///   - idleTimeout: The maximum time in which no byte is sent or received. Default: 60 seconds.
  package init(baseURL: URL? = nil, headers: HTTPHeaders = [:], idleTimeout: Duration = .seconds(60)) {
    self.baseURL = baseURL
    self.headers = headers
    self.idleTimeout = idleTimeout
  }

  /// Builds a request.
  ///
  /// - Parameters:
  ///   - convertible: The request.
  ///   - json: The client's rules for JSON.
  /// - Returns: the request for the wire. The same input gives the same bytes, but for what a signer adds and an
  ///   automatic ``IdempotencyKey``.
  /// - Throws: a `client` error; its code says what is wrong: ``NetworkError/Code/invalidURL``, `invalidMethod`, `invalidHeader`,
  ///   `invalidBody`, `invalidParameters`, `unknownService`, `noAddress`, `insecureAddress`, `unknownCommonParameters`,
  ///   `untrustedOrigin` or what a filter or the signer throws.
  package func build(
    _ convertible: some RequestConvertible, json: JSONCoding = JSONCoding()
  ) throws(NetworkError) -> HTTPRequest {
    let request = try convertible.asRequest()
    let context = RequestContext(idempotencyKey: request.options.idempotencyKey?.makeText())
    return try build(try find(request), for: context, json: json)
  }

  /// Finds out which service a request goes to, and in which environment.
  func find(_ request: Request) throws(NetworkError) -> ResolvedRequest {
    var service: (any Service)?
    if let id = request.service { service = try services.service(id) }
    let state = environments?.state ?? EnvironmentStore.State(environment: .release)
    return ResolvedRequest(request, service, state, self)
  }

  /// Builds a request, unsigned if the offline gate refuses it.
  ///
  /// - Parameters:
  ///   - resolved: The request with its service.
  ///   - context: The state that all attempts share.
  ///   - json: The client's rules for JSON.
  ///   - status: Whether there is a network.
  /// - Returns: The request for the wire.
  /// - Throws: A `client` error.
  func build(
    _ resolved: ResolvedRequest, for context: RequestContext, json: JSONCoding = JSONCoding(),
    at status: ReachabilityStatus = .unknown
  ) throws(NetworkError) -> HTTPRequest {
    let (request, service) = (resolved.request, resolved.adding)
    let common = try resolved.common()
    let url = try address(of: request.path, for: resolved)
    try check(assembled: url, resolved)
    var draft = RequestDraft(method: request.method, url: url)
    draft.headers = headers
    // What says nothing of whose client it is.
    if !resolved.isOwn { draft.headers.removeForOtherOrigin(hasBody: false) }
    if let service { draft.headers.merge(service.headers) }
    for set in common { draft.headers.merge(set.headers) }
    draft.headers.merge(request.headers)
    if let key = context.idempotencyKey, draft.headers["Idempotency-Key"] == nil {
      draft.headers["Idempotency-Key"] = key
    }
    let json = request.options.json ?? resolved.service?.json ?? json
    var rules = request.options.rules ?? resolved.service?.rules ?? rules
    rules.follow(json)
    try encode(request.body, rules, json, into: &draft)
    try place(resolved, common, rules, into: &draft)
    if let filters = request.options.filters {
      try run(filters, on: &draft, for: resolved)
    } else {
      if resolved.isOwn { try run(filters, on: &draft, for: resolved) }
      if let service { try run(service.filters, on: &draft, for: resolved) }
    }
    if let signer = resolved.signer, status != .unreachable || draft.url.isLocal { try signer.sign(&draft) }
    return try finish(draft, resolved, context)
  }

  private func run(
    _ filters: [any RequestFilter], on draft: inout RequestDraft, for resolved: ResolvedRequest
  ) throws(NetworkError) {
    if filters.isEmpty { return }
    let start = draft.url
    for filter in filters { try filter.filter(&draft) }
    try check(draft.url, movedFrom: start, resolved)
  }

  /// Puts the parts together and looks at the whole.
  private func finish(
    _ draft: RequestDraft, _ resolved: ResolvedRequest, _ context: RequestContext
  ) throws(NetworkError) -> HTTPRequest {
    var draft = draft
    if !draft.form.isEmpty {
      draft.body = .data(Data(PercentEncoding.form.bytes(draft.form)))
      draft.suggest(contentType: "application/x-www-form-urlencoded")
    }
    let url = try draft.completeURL()
    let allowsInsecureHTTP = resolved.allowsInsecureHTTP(or: allowsInsecureHTTP)
    guard allowsInsecureHTTP || url.isSecureOrLocal else {
      throw NetworkError(.client, .insecureAddress, reason: "\(url.redacted) is plain http, which is not allowed")
    }
    let options = resolved.request.options
    var built = HTTPRequest(
      method: draft.method, url: url, headers: draft.headers, body: draft.body,
      idleTimeout: options.idleTimeout ?? resolved.service?.idleTimeout ?? idleTimeout,
      totalTimeout: context.deadline?.duration ?? options.totalTimeout ?? resolved.service?.totalTimeout,
      limits: options.limits ?? limits,
      isIdempotent: options.isIdempotent ?? (context.idempotencyKey == nil ? nil : true), priority: options.priority,
      context: context)
    if allowsInsecureHTTP { built.allowsInsecureHTTP = true }
    if let redirects = options.redirects { built.redirects = redirects }
    if options.sendsBodyAcrossOrigins { built.sendsBodyAcrossOrigins = true }
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
    NetworkError(.client, .invalidURL, reason: "\(url.redacted) is no address")
  }
}
