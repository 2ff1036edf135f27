import Foundation
import Signals

extension CacheExchange {
  /// Decides by the rules of HTTP (RFC 9111 §4).
  func followRules(_ found: FoundResponse) {
    let now = cache.now()
    let response = found.response
    guard response.isHTTP else { return fetchIfAllowed(nil, .absent) }
    // Its ranges are those of the coded body, which is not stored.
    if response.head.isCoded, request.headers["Range"] != nil { return fetchIfAllowed(nil, .absent) }
    if response.range != nil, part(of: found) == nil { return fetchIfAllowed(found, .absent) }
    if hasServerCondition { return fetchIfAllowed(found, .needsValidation) }
    let age = found.age(at: now)
    let isSecure = request.url.scheme == "https"
    switch needsServer(found, at: now)
      ? .validate(onError: false) : response.head.reuse(for: request.headers, at: now, isSecure: isSecure)
    {
    case .fresh, .staleAllowed: serve(found, .cache(age: age))
    case .staleWhileRevalidate where request.method == .get && request.headers["Range"] == nil:
      refreshInBackground(found)
      serve(found, .cache(age: age))
    case .bypass: fetchIfAllowed(nil, .requested)
    case .validate, .staleWhileRevalidate:
      fetchIfAllowed(found, response.head.freshness.lifetime > age ? .needsValidation : .expired)
    }
  }

  /// Whether the request has conditions that only the server can decide about.
  private var hasServerCondition: Bool {
    ["If-Match", "If-Unmodified-Since"].contains { request.headers[$0] != nil }
  }

  /// Whether a stored response must be validated before each use, whatever its freshness.
  ///
  /// Its redirects may lead elsewhere by now, it depends on fields that are set below the cache, or its age is unknown because
  /// the clock was set back.
  private func needsServer(_ found: FoundResponse, at now: Date) -> Bool {
    let response = found.response
    // Clocks are adjusted by parts of a second all the time.
    let isFromFuture = response.head.receivedAt.elapsed(since: now) > .seconds(5)
    return isFromFuture || response.variesBelow || response.redirectLimit.map { now >= $0 } ?? false
  }

  /// Starts a request that replaces the stored response, unless there is one already.
  private func refreshInBackground(_ found: FoundResponse) {
    // The client reads the response, so that nothing invalid is stored.
    if let run = attempt?.run { return cache.refresh(found.name) { run.refreshStored($0) } }
    var request = request
    request.cachePolicy = policy.afterFailure
    let signal = transport.send(request)
    cache.refresh(found.name) { ended in
      signal.subscribe { event in
        if case .value = event { return }
        ended()
      }
    }
  }

  /// Whether a stale response may be delivered because the exchange has failed.
  func mayServeStale(_ found: FoundResponse, after error: NetworkError?) -> Bool {
    switch policy.mode {
    case .networkThenCache, .cacheThenNetwork: return found.response.range == nil && error?.isOutage ?? true
    case .http, .revalidate:
      guard found.response.isHTTP, found.response.range == nil, error?.isOutage ?? true else { return false }
      let now = cache.now()
      if hasServerCondition || needsServer(found, at: now) { return false }
      return found.response.head.allowsStale(at: now, for: request.headers)
    default: return false
    }
  }
}

extension NetworkError {
  /// Whether the network or the server has failed, and not the request or its account.
  package var isOutage: Bool {
    switch domain {
    case .network: true
    case .server: code.number >= 500
    case .client: code == .unreachable || code == .circuitOpen
    default: false
    }
  }
}
