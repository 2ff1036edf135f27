import Foundation

/// The head of a stored response with the times from which its age is computed.
struct CachedHead: Sendable, Hashable {
  var statusCode: Int
  var headers: HTTPHeaders
  var requestedAt: Date
  var receivedAt: Date

  var cacheControl: CacheControl { CacheControl(headers) }

  /// The time at which the response was generated: its `Date`, or else the time of receipt (RFC 9110 §6.6.1).
  var generatedAt: Date { date(of: "Date") ?? receivedAt }

  /// The entity tag of the representation (RFC 9110 §8.8.3).
  var entityTag: EntityTag? { headers.firstValue(for: "ETag").flatMap { EntityTag($0) } }

  /// Whether the response has a validator, so that it can be validated (RFC 9110 §8.8).
  var hasValidator: Bool { !conditionalFields.isEmpty }

  /// Whether the server encoded the body, which may have been decoded on receipt: ranges and the entity tag refer to the
  /// encoded body.
  var isEncoded: Bool { headers.hasContentCoding }

  func date(of name: String) -> Date? {
    headers.firstValue(for: name).flatMap { HTTPDate.parse($0, now: receivedAt) }
  }
}

extension Date {
  /// Returns the time since another date, negative if that is later, and clamped to a few thousand years.
  func elapsed(since start: Date) -> Duration {
    let seconds = timeIntervalSince(start)
    return seconds.isNaN ? .zero : .seconds(min(max(seconds, -1e12), 1e12))
  }
}

extension CachedHead {
  /// The age from which the response is stale; zero or more.
  var lifetime: Duration { lifetime(under: cacheControl) ?? .zero }

  /// Returns the freshness lifetime (RFC 9111 §4.2.1) under directives that have already been parsed: `max-age`, else
  /// `Expires`, else a tenth of the time since the last modification; `nil` if there is none.
  ///
  /// It is zero if the information is invalid or if there are several `Expires` lines. A heuristic lifetime is at most a week,
  /// and needs a status that allows it or a response marked as cacheable.
  func lifetime(under control: CacheControl) -> Duration? {
    if let limit = control.maxAge.limit { return limit }
    let expires = headers.lazy.filter { $0.name.isEqualIgnoringCase(to: "Expires") }
    if let first = expires.first {
      // Every other format is to be taken for a date in the past (RFC 9111 §5.3).
      guard expires.dropFirst().isEmpty, let end = HTTPDate.parse(first.value, isStrict: true, now: receivedAt) else {
        return .zero
      }
      return max(.zero, end.elapsed(since: generatedAt))
    }
    let isAllowed = Self.heuristicStatuses.contains(statusCode) || control.isPublic || control.isPrivate
    guard isAllowed, let modified = date(of: "Last-Modified") else { return nil }
    return min(max(.zero, generatedAt.elapsed(since: modified)) / 10, .seconds(7 * 86_400))
  }

  /// The statuses of responses that may have a heuristic freshness lifetime (RFC 9110 §15.1).
  static let heuristicStatuses: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]

  /// Returns the time since the origin server generated or validated the response (RFC 9111 §4.2.3).
  ///
  /// The age includes the `Age` of other caches and the delay of the response. It is never less than the age on
  /// receipt, even if the clock was set back.
  func age(at now: Date) -> Duration { initialAge + max(.zero, now.elapsed(since: receivedAt)) }

  private var initialAge: Duration {
    // The header field `Date` has whole seconds only, so the difference may be up to one second too large.
    let apparent = Duration.seconds(receivedAt.elapsed(since: generatedAt).components.seconds)
    return max(apparent, .seconds(ageValue) + max(.zero, receivedAt.elapsed(since: requestedAt)))
  }

  /// The first member of the `Age` field; zero if it is missing or invalid (RFC 9111 §5.1).
  private var ageValue: Int {
    var value: Int??
    FieldList.forEach(in: headers, "Age") { member in
      if value == nil { value = .some(member.seconds()) }
    }
    return (value ?? nil) ?? 0
  }
}

/// The use of a stored response for a request: RFC 9111 §4.
enum Reuse: Sendable, Hashable {
  case fresh
  /// The response is stale and can be used, because the request accepts it.
  case staleAllowed
  /// The response is stale and can be used, while it is validated in the background (RFC 5861 §3).
  case staleWhileRevalidate
  /// The response must be validated; `onError` tells whether it can be used if validation fails (RFC 5861 §4).
  case validate(onError: Bool)
}

extension CachedHead {
  /// Returns how the response can be used for a request with the same URL, method and varying fields (RFC 9111 §4).
  func reuse(for request: HTTPHeaders, at now: Date, isSecure: Bool = true) -> Reuse {
    // If the response was not received over https, `immutable` is ignored (RFC 8246 §3).
    let requested = CacheControl(request)
    let state = State(self, requested, refusesWithoutValidation(request, requested), now, isSecure: isSecure)
    if state.needsValidation { return .validate(onError: state.isUsableOnError) }
    if state.missingLifetime <= .zero { return .fresh }
    if state.acceptsMissingLifetime { return state.isStale ? .staleAllowed : .fresh }
    if state.isUsableWhileRevalidating { return .staleWhileRevalidate }
    return .validate(onError: state.isUsableOnError)
  }

  /// Returns whether the response can be used after its validation failed: there was no response, or a server error.
  ///
  /// `stale-if-error` of the response or of the request must allow it (RFC 5861 §4); see ``isServerError(_:)``.
  func allowsStale(at now: Date, for request: HTTPHeaders) -> Bool {
    let requested = CacheControl(request)
    if requested.noStore { return false }
    return State(self, requested, refusesWithoutValidation(request, requested), now).isUsableOnError
  }

  /// Returns whether a status counts as a failed validation (RFC 5861 §4); Cloudflare reports a 502 or 504 by those
  /// from 520 to 524.
  static func isServerError(_ statusCode: Int) -> Bool {
    [500, 502, 503, 504].contains(statusCode) || 520...524 ~= statusCode
  }

  /// Returns whether a request refuses responses without validation (RFC 9111 §5.2.1.4, §5.4).
  private func refusesWithoutValidation(_ request: HTTPHeaders, _ requested: CacheControl) -> Bool {
    if requested.noCache || request.contains("Cache-Control") { return requested.noCache }
    var isPragma = false
    FieldList.forEach(in: request, "Pragma") { isPragma = isPragma || $0.isEqualIgnoringCase(to: "no-cache") }
    return isPragma
  }
}

/// The age of a stored response compared with the directives of response and request.
private struct State {
  let control: CacheControl
  let requested: CacheControl
  let refusesWithoutValidation: Bool
  /// The age beyond the freshness lifetime; negative if the response is fresh.
  let staleness: Duration
  /// Whether the response is stale by its own directives.
  let isStale: Bool
  /// The time by which the response is too old for the request; zero or less if it is fresh enough.
  let missingLifetime: Duration

  init(
    _ head: CachedHead, _ requested: CacheControl, _ refusesWithoutValidation: Bool, _ now: Date, isSecure: Bool = true
  ) {
    control = head.cacheControl
    self.requested = requested
    self.refusesWithoutValidation = refusesWithoutValidation
    let age = head.age(at: now)
    let lifetime = head.lifetime(under: control) ?? .zero
    staleness = age - lifetime
    isStale = age >= lifetime
    var accepted = lifetime
    // Clients send `max-age=0` to reload, which is pointless for an immutable response.
    if isStale || !control.immutable || !isSecure, let limit = requested.maxAge.limit {
      accepted = min(accepted, limit)
    }
    let rest = accepted - age
    let needed = requested.minFresh.limit ?? .zero
    missingLifetime = rest > .zero ? needed - rest : max(needed - rest, .nanoseconds(1))
  }

  /// Whether the response or the request forbids any use without validation.
  var needsValidation: Bool { control.noCache || refusesWithoutValidation }

  private var forbidsStaleUse: Bool { isStale && control.mustRevalidate }

  /// Whether the request accepts the missing lifetime: `max-stale` (RFC 9111 §5.2.1.2).
  var acceptsMissingLifetime: Bool {
    guard !forbidsStaleUse, case .seconds(let seconds) = requested.maxStale else { return false }
    return missingLifetime <= .seconds(seconds)
  }

  /// Whether `stale-while-revalidate` allows the use; `false` for a request that limits the age.
  var isUsableWhileRevalidating: Bool {
    guard !forbidsStaleUse, requested.maxAge == .absent, requested.minFresh == .absent else { return false }
    return isWithin(control.staleWhileRevalidate)
  }

  /// Whether `stale-if-error` allows the use; for a request that refuses stored responses, only its own directive does.
  var isUsableOnError: Bool {
    if forbidsStaleUse || control.noCache { return false }
    return isWithin(requested.staleIfError) || (!refusesWithoutValidation && isWithin(control.staleIfError))
  }

  private func isWithin(_ window: CacheControl.Age) -> Bool {
    if case .seconds(let seconds) = window { staleness <= .seconds(seconds) } else { false }
  }
}

extension CacheControl.Age {
  /// The value; zero if it is invalid, and `nil` if it is missing.
  fileprivate var limit: Duration? {
    switch self {
    case .absent: nil
    case .invalid: .zero
    case .seconds(let seconds): .seconds(seconds)
    }
  }
}
