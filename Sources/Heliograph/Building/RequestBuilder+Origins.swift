package import Foundation

extension RequestBuilder {
  /// Returns the URL of a path: that of ``makeURL``, or one without a fragment and with a path of at least `/`.
  func address(of path: RequestPath, for resolved: ResolvedRequest) throws(NetworkError) -> URL {
    if let reason = path.invalidReason { throw NetworkError(.invalidURL, reason: "\(reason): \(path)") }
    if let makeURL {
      let url = try makeURL(path.text, path.text.hasHTTPScheme ? nil : try resolved.base(or: baseURL))
      try check(assembled: url, resolved)
      return url
    }
    // Captured alone: a closure that captures the builder would copy it.
    let baseURL = baseURL
    return try AddressJoiner.join(path.text) { () throws(NetworkError) -> URL? in try resolved.base(or: baseURL) }
  }

  /// Returns whether a URL has one of the client's own origins in the current environment.
  ///
  /// Own origins are those of ``baseURL`` and of every address of the ``services``, and the ``trustedOrigins``.
  /// Additions of a client, a service or an account are sent only to them. Without any of these settings,
  /// there are no own origins.
  ///
  /// Complexity: O(services).
  package func owns(_ url: URL) -> Bool {
    let state = environments?.state ?? EnvironmentStore.State(environment: .release)
    return Origin(url).map { owns($0, in: state) } ?? false
  }

  var hasOrigins: Bool { baseURL != nil || !trustedOrigins.isEmpty || !services.all.isEmpty }

  // Not cached: a service may change its addresses at any time, and comparing origins costs less than asking it.
  private func owns(_ origin: Origin, in state: EnvironmentStore.State) -> Bool {
    if trustedOrigins.contains(origin) { return true }
    if let baseURL, origin.matches(baseURL) { return true }
    return services.all.contains { $0.has(origin, in: state) }
  }

  /// Returns the trust level of an address, which decides what is added to a request.
  func originTrust(
    of address: String, _ service: (any Service)?, _ state: EnvironmentStore.State
  ) -> ResolvedRequest.OriginTrust {
    // Without own origins, the address need not be parsed.
    guard service != nil || hasOrigins, let origin = Origin(address) else { return .crossOrigin }
    if let service, trustedOrigins.contains(origin) || service.has(origin, in: state) { return .own }
    if !owns(origin, in: state) { return .crossOrigin }
    return service == nil ? .own : .client
  }

  /// Returns whether the additions of a request must not be sent to a URL.
  private func isLessTrusted(_ url: URL, _ resolved: ResolvedRequest) -> Bool {
    let trust = originTrust(of: url.absoluteString, resolved.service, resolved.environment)
    return resolved.isOwn && trust.rawValue < resolved.originTrust.rawValue
  }

  /// Throws if ``makeURL`` returned a URL that is invalid, or to which the additions must not be sent.
  private func check(assembled url: URL, _ resolved: ResolvedRequest) throws(NetworkError) {
    guard Origin.exists(of: url) else {
      let reason = "makeURL returned \(url.redacted): the scheme must be http or https, without user information"
      throw NetworkError(.invalidURL, reason: reason)
    }
    guard isLessTrusted(url, resolved) else { return }
    throw NetworkError(
      .untrustedOrigin,
      reason: "\(url.redacted) is not an origin of this client: add it to `trustedOrigins` to send credentials there")
  }

  /// Throws if a filter, signer or middleware moved a request to a URL to which its additions must not be sent.
  func check(_ url: URL, movedFrom start: URL, _ resolved: ResolvedRequest) throws(NetworkError) {
    guard resolved.isOwn, url != start, let origin = Origin(start), !origin.matches(url),
      isLessTrusted(url, resolved)
    else { return }
    throw NetworkError(
      .untrustedOrigin,
      reason: "a filter, signer or middleware moved the request from \(origin) to \(url.redacted), "
        + "which is not an origin of this client")
  }
}

extension Service {
  fileprivate func has(_ origin: Origin, in state: EnvironmentStore.State) -> Bool {
    if let url = state.customAddress, origin.matches(url) { return true }
    guard let addresses = addresses(in: state.environment) else { return false }
    return origin.matches(addresses.main) || addresses.secondary.map(origin.matches) == true
      || addresses.cdn.map(origin.matches) == true
  }
}
