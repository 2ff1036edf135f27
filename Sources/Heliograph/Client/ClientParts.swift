import Signals

/// The components of a client that all of its requests share, built once.
final class ClientParts: Sendable {
  let configuration: NetworkClient.Configuration
  /// The transports in their order: cache, offline gate, sharing, middleware, redirects, limit, cookies, wire.
  let chain: any ChainedTransport
  let offline: OfflineRule
  /// The shared contexts of attempts without middleware, cache or sharing.
  private let plainAttempts = (
    unknown: AttemptContext(at: .unknown), unreachable: AttemptContext(at: .unreachable),
    reachable: AttemptContext(at: .reachable)
  )
  /// Adds the trace context to requests that are sent; `nil` without traces.
  let traceStamp: TraceStamp?
  /// The monitors; `nil` if there are none.
  let monitors: MonitorChain?
  let evidence: EvidenceCollector
  let sharedExchanges = SharedExchanges()
  /// The scheduler on which responses are read.
  let processing: ProcessingQueue
  /// The stages that read responses, for requests that have no others.
  let stages: MergedStages
  /// Whether responses are read on the thread that delivers them.
  let readsImmediately: Bool
  /// The current identity; `nil` in a client with neither accounts nor environments.
  let fence: Fence?
  /// The cookies of a client without identities.
  let jar: (any CookieJar)?
  let calls = ActiveCalls()
  /// The path literals already reported to monitors because a value with a slash follows them.
  private let slashLiterals = Guarded<Set<String>>([])
  /// The calls of the closure for rejected credentials; `nil` without one.
  let rejections: Rejections?

  init(_ configuration: NetworkClient.Configuration) {
    self.configuration = configuration
    monitors = MonitorChain(configuration.monitors[...])
    processing = ProcessingQueue.over(configuration.processing)
    stages = MergedStages(configuration.stages, configuration.json)
    readsImmediately = (configuration.processing as? DispatchScheduler)?.isImmediate == true
    let reachability = configuration.effectiveReachability
    offline = OfflineRule(reachability: reachability)
    evidence = EvidenceCollector(reachability, configuration.scheduler)
    fence = Fence(configuration.builder.environments, configuration.account, cookies: configuration.cookies)
    jar = fence == nil ? configuration.cookies.map { CookieStore($0).jar } : nil
    rejections = configuration.onUnauthorized.map { Rejections($0) }
    var wire: any Transport = UnchainedTransport(configuration.transport)
    if configuration.cookies != nil { wire = CookieTransport(wire) }
    if let limit = configuration.concurrencyLimit { wire = LimitingTransport(wire, concurrencyLimit: limit) }
    traceStamp = configuration.traceContext.map { TraceStamp($0, sentTo: configuration.builder) }
    let redirecting = RedirectingTransport(
      wire, limit: configuration.redirectLimit, policy: configuration.redirects, traceStamp)
    let adapting = MiddlewareTransport(redirecting, checkedBy: configuration.builder)
    let sharing = CoalescingTransport(adapting, sharedExchanges)
    let gate = OfflineGate(sharing)
    chain = CachingTransport(gate, cache: configuration.cache, scheduler: configuration.processing)
  }

  func plainAttempt(at status: ReachabilityStatus) -> AttemptContext {
    switch status {
    case .unknown: plainAttempts.unknown
    case .unreachable: plainAttempts.unreachable
    case .reachable: plainAttempts.reachable
    }
  }

  func clearCookies() {
    if let fence { fence.clearCookies() } else { configuration.cookies?.removeAll() }
  }

  /// Reports, once for each literal, that a value with a slash after it is one segment: several may have been meant.
  func reportSlash(after literal: String) {
    if monitors == nil || !slashLiterals.withLock({ $0.insert(literal).inserted }) { return }
    let text = "a value after \"\(literal)\" in a path contains a slash, sent as %2F"
    let notice = text + #"; write \(raw:) if it is several segments"#
    for monitor in configuration.monitors { monitor.observe(.notice(notice)) }
  }
}

extension NetworkClient.Configuration {
  /// The source of the network status: the configured one, or the default.
  package var effectiveReachability: any Reachability {
    if let reachability { return reachability }
    #if os(Linux)
    // On a server, the routing table often does not list all routes.
    return UnwatchedReachability()
    #else
    return transport.usesNetwork ? SystemReachability.shared : UnwatchedReachability()
    #endif
  }

  /// Reports the notices about the transport and the services to the monitors, once per client.
  func reportNotices() {
    if monitors.isEmpty { return }
    var notices = builder.services.all.flatMap(\.ignoredSettings)
    if let notice, transport.usesNetwork { notices.append(notice) }
    for notice in notices {
      for monitor in monitors { monitor.observe(.notice(notice)) }
    }
  }
}

// The settings of a request, of its service, or of the client. They are read in place, because passing the
// configuration would copy it.
extension ClientParts {
  /// Returns the middleware of a request; a cross-origin request skips the middleware of the client or the service.
  func middleware(for resolved: ResolvedRequest) -> [any Middleware] {
    let ofService = resolved.ofService { $0.middleware } ?? []
    let ofRequest = resolved.request.options.middleware
    let ofClient = configuration.middleware
    if ofClient.isEmpty, ofService.isEmpty { return ofRequest }
    if resolved.originTrust == .own { return ofClient + ofService + ofRequest }
    return (resolved.isOwn ? ofClient : ofClient.filter(\.runsForAllOrigins))
      + ofService.filter(\.runsForAllOrigins) + ofRequest
  }

  func retry(for resolved: ResolvedRequest) -> Retry {
    resolved.request.options.retry ?? resolved.ofService { $0.retry } ?? configuration.retry
  }
}
