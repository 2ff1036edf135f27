public import Foundation

/// Builds what is sent from a caller's request: pure, synchronous, and the same for the same input.
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
  /// Origins besides those of ``baseURL`` and ``services`` to which what a client or a service adds may go: header fields,
  /// common parameters, filters, middleware and signatures.
  ///
  /// Default: none. See ``owns(_:)``.
  public var trustedOrigins: Set<Origin> = []
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
  /// Default: `nil`; services are then asked for their addresses in ``ServiceEnvironment/release``.
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
  /// Whether requests may go over plain http to addresses that are not a service's; to this very machine they always may.
  ///
  /// Default: `false`.
  public var allowsInsecureHTTP = false

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
  /// - Returns: the request for the wire. The same input gives the same bytes, but for what a signer adds and an
  ///   automatic ``IdempotencyKey``.
  /// - Throws: a `client` error; its code says what is wrong: ``NetworkError/Code/invalidURL``, `invalidMethod`, `invalidHeader`,
  ///   `invalidBody`, `invalidParameters`, `unknownService`, `noAddress`, `insecureAddress`, `unknownCommonParameters`,
  ///   `untrustedOrigin` or what a filter or the signer throws.
  public func build(_ convertible: some RequestConvertible) throws(NetworkError) -> HTTPRequest {
    let request = try convertible.asRequest()
    let context = RequestContext(idempotencyKey: request.options.idempotencyKey?.makeText())
    return try build(try find(request), for: context)
  }

  /// Finds out which service a request goes to, and in which environment.
  func find(_ request: Request) throws(NetworkError) -> ResolvedRequest {
    var service: (any Service)?
    if let id = request.service { service = try services.service(id) }
    let state = environments?.state ?? EnvironmentStore.State(environment: .release)
    return ResolvedRequest(request, service, state, self)
  }

  /// Builds a request, unsigned if the offline gate refuses it.
  func build(
    _ resolved: ResolvedRequest, for context: RequestContext, at status: ReachabilityStatus = .unknown
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
    try encode(request.body, request.options.rules ?? resolved.service?.rules ?? rules, into: &draft)
    try place(resolved, common, into: &draft)
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
      timeout: options.timeout ?? resolved.service?.timeout ?? timeout,
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
