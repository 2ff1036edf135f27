/// The reason why a response is not stored, for developers.
enum StorageRefusal: String, Sendable, Hashable {
  /// The response forbids storage.
  case noStore = "the response has no-store"
  /// The request forbids storage.
  case requestNoStore = "the request has no-store"
  /// Only responses to GET are stored.
  case methodNotCacheable = "the method is not GET"
  /// The status is not final, or depends on more than URL and method.
  case statusNotCacheable = "responses with this status are not stored"
  /// Responses with this status have no freshness lifetime of their own.
  case statusNeedsFreshness = "responses with this status are stored only with max-age, Expires, public or private"
  /// The response is limited to caches that understand its status.
  case unsupportedStatusWithMustUnderstand = "the response has must-understand, and its status is unknown"
  /// The response is immediately stale or needs validation, and has no validator.
  case noFreshnessAndNoValidator = "the response has neither a freshness lifetime nor a validator"
  /// The response matches no other request.
  case varyStar = "the response has Vary: *"
  /// The range of the partial response is unknown.
  case invalidContentRange = "the partial response has no valid Content-Range"
}

/// Rules about which responses are stored: RFC 9111 §3.
enum Storability {
  /// Returns the reason why a response must not or need not be stored; `nil` if it can be stored.
  ///
  /// `response` is the head as received, with the fields that are not stored.
  static func refusal(of method: HTTPMethod, requestHeaders: HTTPHeaders, response: CachedHead) -> StorageRefusal? {
    if method != .get { return .methodNotCacheable }
    if CacheControl(requestHeaders).noStore { return .requestNoStore }
    let (control, status) = (response.cacheControl, response.statusCode)
    if control.mustUnderstand {
      // For caches that understand the status, `must-understand` replaces `no-store` (RFC 9111 §5.2.2.3).
      if !understoodStatuses.contains(status) { return .unsupportedStatusWithMustUnderstand }
    } else if control.noStore {
      return .noStore
    }
    guard (200..<600).contains(status), !excludedStatuses.contains(status) else { return .statusNotCacheable }
    if VaryFields(response: response.headers) == nil { return .varyStar }
    if status == 206, ContentRange(response.headers) == nil { return .invalidContentRange }
    let hasExplicitFreshness = control.maxAge != .absent || response.headers.contains("Expires")
    guard
      hasExplicitFreshness || control.isPublic || control.isPrivate || CachedHead.heuristicStatuses.contains(status)
    else { return .statusNeedsFreshness }
    return isUseful(response, control) ? nil : .noFreshnessAndNoValidator
  }

  /// Returns whether a stored response can ever be used: after validation, while it is fresh, or as a stale response.
  private static func isUseful(_ response: CachedHead, _ control: CacheControl) -> Bool {
    if response.hasValidator { return true }
    if control.noCache { return false }
    let freshness = response.freshness(under: control)
    if freshness.lifetime > response.age(at: response.receivedAt) { return true }
    if control.mustRevalidate { return false }
    return freshness.kind != .none || control.staleWhileRevalidate.isValid || control.staleIfError.isValid
  }

  /// The statuses whose caching rules are known: those of RFC 9110 §15, except those never stored.
  private static let understoodStatuses: Set<Int> = [
    200, 201, 202, 203, 204, 205, 206, 300, 301, 302, 303, 307, 308, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410,
    411, 413, 414, 415, 422, 426, 500, 501, 502, 503, 504, 505,
  ]

  /// The final statuses that are never stored.
  ///
  /// 304 belongs to a stored response; 407, 421 and 511 concern the connection (RFC 6585 §6); 412, 416 and 417 depend
  /// on request fields that no `Vary` names; RFC 6585 excludes 428, 429 and 431.
  private static let excludedStatuses: Set<Int> = [304, 407, 412, 416, 417, 421, 428, 429, 431, 511]
}

extension CacheControl.Age {
  fileprivate var isValid: Bool { self != .absent && self != .invalid }
}
