import Foundation

/// The head of a stored response with the times from which its age is computed.
struct CachedHead: Sendable, Hashable {
  var statusCode: Int
  var headers: HTTPHeaders
  var requestedAt: Date
  var receivedAt: Date
}

extension CachedHead {
  var cacheControl: CacheControl { CacheControl(headers) }

  /// The time at which the response was generated: its `Date`, or if the field is missing or invalid, the time of
  /// receipt.
  ///
  /// RFC 9110 §6.6.1.
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
  /// Returns the time from another date until this one, which is negative if the other one is later.
  ///
  /// The result is clamped to a few thousand years, even for infinite dates.
  func elapsed(since start: Date) -> Duration {
    let seconds = timeIntervalSince(start)
    return seconds.isNaN ? .zero : .seconds(min(max(seconds, -1e12), 1e12))
  }
}

/// The freshness lifetime of a response: RFC 9111 §4.2.1.
struct Freshness: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    /// `max-age` or `Expires`, which may be invalid.
    case explicit
    /// A fraction of the time since the last modification (RFC 9111 §4.2.2).
    case heuristic
    /// None: the response is stale.
    case none
  }

  /// The age from which the response is stale; zero or more.
  var lifetime: Duration
  var kind: Kind
}

extension CachedHead {
  /// The freshness lifetime: `max-age`, else `Expires`, else a tenth of the time since the last modification.
  ///
  /// It is zero if the information is invalid or if there are several `Expires` lines. A heuristic lifetime is at most a week,
  /// and needs a status that allows it or a response marked as cacheable.
  var freshness: Freshness { freshness(under: cacheControl) }

  /// Returns the freshness lifetime under directives that have already been parsed.
  func freshness(under control: CacheControl) -> Freshness {
    switch control.maxAge {
    case .seconds(let seconds): return Freshness(lifetime: .seconds(seconds), kind: .explicit)
    case .invalid: return Freshness(lifetime: .zero, kind: .explicit)
    case .absent: break
    }
    let expires = headers.lazy.filter { $0.name.isEqualIgnoringCase(to: "Expires") }
    if let first = expires.first {
      guard expires.dropFirst().isEmpty, let end = HTTPDate.parse(first.value, .strict, now: receivedAt) else {
        return Freshness(lifetime: .zero, kind: .explicit)
      }
      return Freshness(lifetime: max(.zero, end.elapsed(since: generatedAt)), kind: .explicit)
    }
    let isAllowed = Self.heuristicStatuses.contains(statusCode) || control.isPublic || control.isPrivate
    guard isAllowed, let modified = date(of: "Last-Modified") else { return Freshness(lifetime: .zero, kind: .none) }
    let lifetime = min(max(.zero, generatedAt.elapsed(since: modified)) / 10, .seconds(7 * 86_400))
    return Freshness(lifetime: lifetime, kind: .heuristic)
  }

  /// The statuses of responses that may have a heuristic freshness lifetime (RFC 9110 §15.1).
  static let heuristicStatuses: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]
}

extension CachedHead {
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
