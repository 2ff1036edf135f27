import Signals

extension RequestRun {
  /// Builds a request, sends it and reads its response, unless its identity has changed.
  ///
  /// It returns the context of the attempt as well; `nil` if it was not built.
  func attempt(
    _ step: CacheStep, _ resolved: ResolvedRequest, _ number: Int, at status: ReachabilityStatus
  ) -> (results: Results, context: AttemptContext?) {
    let status = parts.offline.refusing(status)
    // A later attempt may start on any thread, such as that of a refresh or of the clock.
    let startsInBackground =
      step.policy != nil && client.startsInBackground && state.withLock { $0.hasSent.claim() }
    let request: HTTPRequest
    do throws(NetworkError) {
      if let failure = identity?.staleFailure { throw failure }
      request = try build(step, resolved, number, at: status)
    } catch {
      return (.fail(error), nil)
    }
    let middleware = parts.middleware(for: resolved)
    let sharing = sharingScope(of: request, resolved)
    let decision = step.policy.map { _ in StoreDecision(startsInBackground: startsInBackground) }
    let isObserved = record != nil || source.traits.watch != nil || decision != nil
    let isTraced = parts.traceStamp != nil
    let isPlain = middleware.isEmpty && sharing == nil && decision == nil && !isTraced
    let attempt =
      switch (isPlain, isObserved) {
      case (true, false): parts.plainAttempt(at: status)
      case (true, true): AttemptContext(at: status, run: self)
      case (false, _):
        AttemptContext(
          resolved, step: step, middleware: middleware, at: status, sharing: sharing, decision: decision,
          run: isObserved ? self : nil, isTraced: isTraced)
      }
    let built = BuiltAttempt(request: request, resolved: resolved, client: parts, context: attempt)
    let results = decision.map { stored(built, by: $0) } ?? source.read(built)
    return (results, attempt)
  }

  func rebuild(_ request: HTTPRequest, of attempt: AttemptContext) throws(NetworkError) -> HTTPRequest {
    guard let resolved = attempt.resolved else { return request }
    return try build(attempt.step, resolved, request.attempt, at: attempt.status)
  }

  private func build(
    _ step: CacheStep, _ resolved: ResolvedRequest, _ number: Int, at status: ReachabilityStatus
  ) throws(NetworkError) -> HTTPRequest {
    var context = context
    context.attempt = number
    if step.policy?.mode == .onlyIfCached { context.deadline = nil }
    var request = try parts.configuration.builder.build(
      resolved, for: context, json: parts.configuration.json, at: status)
    // A filter may have made it unsafe: it invalidates stored responses, and has no policy of the service or client.
    if context.cache == nil, !request.method.isSafe {
      request.context.cache = Self.cacheContext(of: resolved, identity?.snapshot, parts)
    }
    if let policy = step.policy, request.cachePolicy.isActive {
      request.cachePolicy = number > 1 ? policy.afterFailure : policy
      // The redirect policy is part of the cache key.
      request.redirects = request.redirects ?? parts.configuration.redirects
    } else if step.policy?.mode == .onlyIfCached {
      throw NetworkError(.notCached, reason: "no cached response: a filter has set an unsafe method", request: request)
    } else if request.cachePolicy.isActive {
      request.cachePolicy = .none
    }
    // Requests that wait in a queue need the new token, too.
    if client.isRefreshing {
      request.priority = .high
      request.context.isOfRefresh = true
    }
    identity?.recordRequest(request)
    if case .stream = request.body { keep(request.body) }
    return request
  }

  /// Keeps the stream of an attempt, which may be spent when the attempt has failed.
  private func keep(_ stream: HTTPBody) {
    state.discardWithLock { state in
      defer { state.stream = stream }
      return state.stream
    }
  }

  /// Whether the stream of the latest attempt cannot be sent again, also if middleware or a redirect has replaced it.
  var isStreamSpent: Bool { state.withLock { $0.stream }?.isSpent == true }

  /// Returns the scope within which a coalesced request shares its exchange; it is `nil` if the request has its own
  /// middleware or signer, which cannot be compared.
  private func sharingScope(of request: HTTPRequest, _ resolved: ResolvedRequest) -> SharingScope? {
    // Read in place: a constant would copy the options.
    guard resolved.request.options.isCoalesced, !context.isStreamed,
      resolved.request.options.middleware.isEmpty, resolved.request.options.signer == nil
    else { return nil }
    return SharingScope(
      service: resolved.service?.id, isSigned: resolved.signer != nil, originTrust: resolved.originTrust,
      account: identity?.snapshot.count.account ?? 0,
      environment: identity?.snapshot.count.environment ?? 0,
      needsEnvironment: identity?.needsEnvironment ?? false,
      // Of all, because a request that is not recovered also needs the new token.
      refreshCount: parts.configuration.recoveries.reduce(0) { $0 + $1.refreshCount },
      isOfRefresh: client.isRefreshing,
      writeCount: parts.sharedExchanges.writeCount,
      ignoredParameters: resolved.service?.ignoredParameters ?? [],
      cookie: request.binding.jar?.field(for: request))
  }
}
