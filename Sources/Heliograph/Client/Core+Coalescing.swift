extension Core {
  /// Returns the scope within which a request with the option shares its exchange.
  ///
  /// It is `nil` if the request has middleware or a signer of its own, which cannot be compared.
  func sharingScope(
    of request: HTTPRequest, _ resolved: ResolvedRequest, _ scope: AttemptScope
  ) -> SharingScope? {
    guard resolved.request.options.middleware.isEmpty, resolved.request.options.signer == nil else { return nil }
    let identity = scope.identity
    return SharingScope(
      service: resolved.service?.id, isSigned: resolved.signer != nil, reach: resolved.reach,
      account: identity?.snapshot.count.account ?? 0,
      environment: identity?.snapshot.count.environment ?? 0,
      needsEnvironment: identity?.needsEnvironment ?? false,
      refreshCount: configuration.recoveries(for: resolved).reduce(0) { $0 + $1.refreshCount },
      writeCount: sharedExchanges.writeCount,
      ignoredParameters: resolved.service?.ignoredParameters ?? [],
      cookie: configuration.account == nil ? cookie?(request) : nil)
  }
}
