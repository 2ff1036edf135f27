import Foundation
import Signals

// Reuse of a stored response.
extension CachePlan {
  mutating func decide(_ found: FoundResponse, _ credentials: String, _ now: Date) -> Action {
    let stored = found.response
    if stored.credentials != credentials { return miss(.otherAccount) }
    if stored.redirectCount > request.storedRedirectLimit { return miss(.absent) }
    if stored.version != policy.version { return miss(.version(stored: stored.version, wanted: policy.version)) }
    // An encoded body is stored decoded, for requests whose body the transport decodes.
    hidesCodedBody = stored.head.isEncoded && !request.headers.offersCodings
    if hidesCodedBody { return miss(.absent) }
    // A 404 stored by the rules of HTTP is unusable under the app's policies.
    if !policy.isHTTP && !(200..<300).contains(stored.head.statusCode) { return miss(.absent) }
    // RFC 9111 §5.2.1.5: nothing is read for the request.
    if policy.isHTTP, CacheControl(request.headers).noStore { return send(nil, .requested) }
    switch policy.mode {
    case .http: return followRules(found, now)
    case .revalidate: return send(stored.isHTTP ? found : nil, .requested)
    case .timeToLive(let duration, _):
      let age = now.timeIntervalSince(stored.head.receivedAt)
      // After the clock was set back the age is unknown.
      if stored.range != nil || age < 0 || age >= duration / .seconds(1) { return send(found, .expired) }
      return .serve(Delivery(found: found, source: .cache(age: .seconds(age))))
    case .onlyIfCached: return stored.range == nil ? .serve(delivery(of: found, now)) : miss(.absent)
    case .reload: return send(nil, .requested)
    default: return send(found, .requested)
    }
  }

  /// Decides by the rules of HTTP (RFC 9111 §4).
  private mutating func followRules(_ found: FoundResponse, _ now: Date) -> Action {
    let head = found.response.head
    if !found.response.isHTTP { return send(nil, .absent) }
    if found.response.range != nil, found.storedRange(for: request) == nil { return send(found, .absent) }
    if request.hasServerCondition { return send(found, .needsValidation) }
    var delivery = delivery(of: found, now)
    let isSecure = request.url.scheme?.isEqualIgnoringCase(to: "https") == true
    switch found.needsValidation(at: now)
      ? .validate(onError: false)
      : head.reuse(for: request.headers, at: now, isSecure: isSecure)
    {
    case .fresh, .staleAllowed: return .serve(delivery)
    case .staleWhileRevalidate where request.method == .get && request.headers["Range"] == nil:
      delivery.needsRefresh = !CacheControl(request.headers).onlyIfCached
      return .serve(delivery)
    case .validate, .staleWhileRevalidate:
      let isExpired = head.age(at: now) >= head.lifetime && !head.cacheControl.noCache
      return send(found, isExpired ? .expired : .needsValidation)
    }
  }

  func delivery(of found: FoundResponse, _ now: Date) -> Delivery {
    Delivery(found: found, source: .cache(age: found.response.head.age(at: now)))
  }

  /// Continues without a stored response.
  mutating func miss(_ reason: CacheMissReason) -> Action {
    if policy.mode == .onlyIfCached { return .fail(reason) }
    return send(nil, policy.mode == .reload ? .requested : reason)
  }

  /// Whether a stale response may be delivered because the exchange has failed.
  func mayServeStale(_ found: FoundResponse, after error: NetworkError?, _ now: Date) -> Bool {
    policy.isHTTP && found.response.range == nil && (error?.isOutage ?? true) && !request.hasServerCondition
      && !found.needsValidation(at: now) && found.response.head.allowsStale(at: now, for: request.headers)
  }
}

extension HTTPRequest {
  fileprivate var hasServerCondition: Bool { headers["If-Match"] != nil || headers["If-Unmodified-Since"] != nil }
}

extension FoundResponse {
  /// Whether the response must be validated before each use, whatever its freshness.
  ///
  /// Its redirects may have changed, it depends on fields that are set below the cache, or its age is unknown because
  /// the clock was set back.
  fileprivate func needsValidation(at now: Date) -> Bool {
    // Clocks are regularly adjusted by fractions of a second.
    let isFromFuture = response.head.receivedAt.elapsed(since: now) > .seconds(5)
    return isFromFuture || response.variesBelowCache || response.redirectLimit.map { now >= $0 } ?? false
  }
}

extension NetworkError {
  /// Whether the network, such as its proxy, or the server is at fault, not the request, its account or the app's own
  /// settings.
  package var isOutage: Bool {
    switch domain {
    case .network:
      brokenStatus.map { NetworkError(.status($0)).isOutage } ?? !code.isLocalCause
    // A server that is too busy, or was too slow, responds later.
    case .server: code.number >= 500 || [407, 408, 429].contains(code.number)
    case .client: [.unreachable, .circuitOpen, .recoveryTimedOut].contains(code)
    default: false
    }
  }
}
