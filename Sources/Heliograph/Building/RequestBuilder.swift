package import Foundation

/// A builder of HTTP requests: pure and synchronous.
///
/// It resolves the service, joins URL, header fields and parameters, runs the filters, and signs with the service's
/// signer. A request that cannot be sent safely is rejected with a `client` error.
package struct RequestBuilder: Sendable {
  // The settings, as `NetworkClient.Configuration` documents them.
  package var baseURL: URL?
  package var headers: HTTPHeaders { didSet { clientProvenance = CopyOnWrite(RequestProvenance(client: headers)) } }
  /// The provenance of requests below ``baseURL``, which share it until a stage changes their header fields.
  private var clientProvenance: CopyOnWrite<RequestProvenance>
  package var idleTimeout: Duration
  package var totalTimeout: Duration?
  package var trustedOrigins: Set<Origin> = []
  package var limits = ResponseLimits()
  package var makeURL: (@Sendable (_ path: String, _ base: URL?) throws(NetworkError) -> URL)?
  package var services = ServiceRegistry.shared
  package var environments: EnvironmentStore?
  package var filters: [any RequestFilter] = []
  package var placement = ParameterPlacement.form
  package var parameterRules = ParameterRules()
  package var allowsInsecureHTTP = false
  package var allowedCosts = NetworkCosts.all
  package var cachePolicy = CachePolicy.none

  package init(baseURL: URL? = nil, headers: HTTPHeaders = [:], idleTimeout: Duration = .seconds(60)) {
    self.baseURL = baseURL
    self.headers = headers
    clientProvenance = CopyOnWrite(RequestProvenance(client: headers))
    self.idleTimeout = idleTimeout
  }

  /// Builds a request.
  ///
  /// - Returns: The request to send. The same input gives the same bytes, except for the additions of a signer and an
  ///   automatic ``IdempotencyKey``.
  /// - Throws: A `client` error with one of the codes ``NetworkError/Code/invalidURL``, `invalidMethod`, `invalidHeader`,
  ///   `invalidBody`, `invalidParameters`, `unknownService`, `noAddress`, `insecureAddress`, `unknownCommonParameters`,
  ///   `untrustedOrigin`, or the error of a filter or the signer.
  package func build(
    _ convertible: some RequestConvertible, json: JSONCoding = JSONCoding()
  ) throws(NetworkError) -> HTTPRequest {
    let request = try convertible.asRequest()
    return try build(
      try resolve(request), for: RequestContext(idempotencyKey: request.options.idempotencyKey?.makeText()), json: json)
  }

  /// Resolves the service of a request, its address and its cache policy, in the environment of its identity: by default
  /// the current one, or without any, ``ServiceEnvironment/release``.
  ///
  /// - Throws: A `client` error with the code ``NetworkError/Code/unknownService``.
  func resolve(
    _ request: Request, in environment: EnvironmentStore.State? = nil
  ) throws(NetworkError) -> ResolvedRequest {
    let state = environment ?? environments?.state ?? EnvironmentStore.State(environment: .release)
    // A path below the service's or the client's own base URL needs no check. Without any origins, the URL is that of
    // `makeURL`, and no more the client's own than an absolute one.
    guard let id = request.service else {
      let trust = request.namedAddress.map { originTrust(of: $0, nil, state) } ?? (hasOrigins ? .own : .crossOrigin)
      return ResolvedRequest(request, nil, state, trust, inheriting: cachePolicy)
    }
    let service = try services.service(id)
    let trust = request.namedAddress.map { originTrust(of: $0, service, state) } ?? .own
    let ofService = trust == .own ? service.cache : .default
    return ResolvedRequest(request, service, state, trust, inheriting: ofService.or(cachePolicy))
  }

  /// Builds a request; if the offline gate will reject it, it is signed only for the key of its stored response.
  func build(
    _ resolved: ResolvedRequest, for context: consuming RequestContext, json: JSONCoding = JSONCoding(),
    at status: ReachabilityStatus = .unknown
  ) throws(NetworkError) -> HTTPRequest {
    let request = resolved.request
    let common = try resolved.commonParameters()
    var draft = RequestDraft(method: request.method, url: try address(of: request.path, for: resolved))
    draft.headers = headers
    // Only fields that may be sent to another origin remain.
    if !resolved.isOwn { draft.headers.removeForOtherOrigin(hasBody: false) }
    var provenance: CopyOnWrite<RequestProvenance>?
    if context.isObserved {
      provenance =
        !resolved.hasService && resolved.isOwn && request.namedAddress == nil
        ? clientProvenance : CopyOnWrite(RequestProvenance(resolved, draft.headers, of: headers))
    }
    if resolved.hasAdditions, let service = resolved.service { draft.headers.merge(service.headers) }
    provenance?.record(draft.headers, after: .service)
    for set in common { draft.headers.merge(set.headers) }
    provenance?.record(draft.headers, after: .common)
    draft.headers.merge(request.headers)
    provenance?.record(draft.headers, after: .request)
    // Without quotes, as servers expect today, although the IETF draft makes it a structured string.
    if let key = context.idempotencyKey, draft.headers["Idempotency-Key"] == nil {
      draft.headers["Idempotency-Key"] = key
    }
    // With a blank key, the server would take each attempt for a new order.
    if context.idempotencyKey != nil, draft.headers["Idempotency-Key"]?.allSatisfy(\.isWhitespace) == true {
      throw NetworkError(.invalidHeader, reason: "empty idempotency key")
    }
    let json = request.options.json ?? resolved.ofService { $0.json } ?? json
    var rules = request.options.parameterRules ?? resolved.ofService { $0.parameterRules } ?? parameterRules
    rules.adopt(json)
    try encode(request, rules, json, into: &draft)
    try writeParameters(of: resolved, common, rules, into: &draft)
    provenance?.record(draft.headers, after: .library)
    if let filters = request.options.filters {
      try run(filters, on: &draft, for: resolved)
    } else {
      if resolved.isOwn { try run(filters, on: &draft, for: resolved) }
      if resolved.hasAdditions, let service = resolved.service {
        try run(service.filters, on: &draft, for: resolved)
      }
    }
    provenance?.record(draft.headers, after: .filters)
    // Before the signature, which may cover it.
    draft.suggestContentType()
    provenance?.record(draft.headers, after: .library)
    // As its signature will, so that offline, without one, the cache finds what was stored.
    if resolved.signer is HMACSigner { try draft.capitalizeEscapes() }
    let isOffline = status == .unreachable && !draft.url.isLocal
    let signer = isOffline ? resolved.keySigner(isStreamed: context.isStreamed) : resolved.signer
    guard let signer else { return try finish(draft, resolved, context, provenance) }
    if request.options.isCoalesced { context.unsigned = try finish(copy draft, resolved, copy context, nil) }
    context.unsignedFields = draft.headers
    let start = draft.url
    try signer.sign(&draft)
    try check(draft.url, movedFrom: start, resolved)
    if let signer = signer as? HMACSigner, signer.location == .header { context.signatureFields = signer.names.all }
    provenance?.record(draft.headers, after: .signer)
    return try finish(draft, resolved, context, provenance)
  }

  private func run(
    _ filters: [any RequestFilter], on draft: inout RequestDraft, for resolved: ResolvedRequest
  ) throws(NetworkError) {
    if filters.isEmpty { return }
    let start = draft.url
    for filter in filters { try filter.filter(&draft) }
    try check(draft.url, movedFrom: start, resolved)
  }

  private func finish(
    _ draft: consuming RequestDraft, _ resolved: ResolvedRequest, _ context: consuming RequestContext,
    _ provenance: CopyOnWrite<RequestProvenance>?
  ) throws(NetworkError) -> HTTPRequest {
    if !draft.form.isEmpty { draft.body = .data(Data(PercentEncoding.form.bytes(draft.form))) }
    // The signer may have added the first field of a form.
    draft.suggestContentType()
    let url = try draft.completeURL()
    // A service decides for its own addresses, the client for all others.
    let service = resolved.hasAdditions ? resolved.service : nil
    let allowsInsecureHTTP =
      service?.allowsInsecureHTTP(in: resolved.environment.environment) ?? allowsInsecureHTTP
    guard allowsInsecureHTTP || url.isSecureOrLocal else {
      let setting = service.map { "let `allowsInsecureHTTP(in:)` of the service \($0.id) return true" }
      throw NetworkError(
        .insecureAddress,
        reason: "plain HTTP to \(url.redacted) is blocked: use https, or \(setting ?? "set `allowsInsecureHTTP`")")
    }
    // The options are read in place: a constant would be a copy.
    let request = resolved.request
    var built = HTTPRequest(
      method: draft.method, url: url, headers: draft.headers, body: draft.body,
      idleTimeout: request.options.idleTimeout ?? resolved.ofService { $0.idleTimeout } ?? idleTimeout,
      totalTimeout: context.deadline?.duration ?? request.options.totalTimeout
        ?? resolved.ofService { $0.totalTimeout } ?? totalTimeout, limits: request.options.limits ?? limits,
      isIdempotent: request.options.isIdempotent ?? (context.idempotencyKey == nil ? nil : true),
      priority: request.options.priority, context: context)
    if let provenance { built.provenance = provenance }
    if allowsInsecureHTTP { built.allowsInsecureHTTP = true }
    let costs = request.options.allowedCosts ?? resolved.ofService { $0.allowedCosts } ?? allowedCosts
    if costs != .all { built.allowedCosts = costs }
    // A filter or the signer may have made the request unsafe.
    if resolved.cachePolicy.isActive, !resolved.inheritsCachePolicy || built.method.isSafe {
      built.cachePolicy = resolved.cachePolicy
    }
    if let redirects = request.options.redirects { built.redirects = redirects }
    if request.options.sendsBodyAcrossOrigins { built.sendsBodyAcrossOrigins = true }
    try built.check()
    return built
  }
}

extension RequestDraft {
  fileprivate func completeURL() throws(NetworkError) -> URL {
    if query.isEmpty { return url }
    let text = url.absoluteString
    if !text.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }),
      let url = URL(string: text + "?" + PercentEncoding.query.encode(query))
    {
      return url
    }
    var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    let own = parts?.percentEncodedQuery ?? ""
    parts?.percentEncodedQuery = (own.isEmpty ? "" : own + "&") + PercentEncoding.query.encode(query)
    guard let complete = parts?.url else { throw NetworkError(.invalidURL, reason: "invalid URL \(url.redacted)") }
    return complete
  }
}
