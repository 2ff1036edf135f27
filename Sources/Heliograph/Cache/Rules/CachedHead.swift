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
  var isEncoded: Bool {
    headers.firstValue(for: "Content-Encoding").map { !$0.isEmpty && $0.loweredASCII != "identity" } ?? false
  }

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
