import Foundation

extension HTTPResponse {
  /// The validator for `If-Range`; `nil` if there is no strong one (RFC 9110 §13.1.5).
  ///
  /// A date is strong if the response is at least a second younger than the content (RFC 9110 §8.8.2.2).
  var strongValidator: String? {
    guard headers["Content-Encoding"] == nil, headers["Accept-Ranges"]?.lowercased() != "none" else { return nil }
    if let etag = headers["ETag"] { return EntityTag(etag).flatMap { $0.isWeak ? nil : $0.opaque } }
    guard let modified = headers["Last-Modified"], let modifiedAt = HTTPDate.parse(modified),
      let sentAt = headers["Date"].flatMap({ HTTPDate.parse($0) }), sentAt.timeIntervalSince(modifiedAt) >= 1
    else { return nil }
    return modified
  }

  /// Returns whether the response has the same validator; `nil` if it has no validator of that kind.
  func agrees(with validator: String) -> Bool? {
    if validator.hasPrefix("\"") {
      let tag = EntityTag(opaque: validator, isWeak: false)
      return headers["ETag"].map { EntityTag($0)?.matchesStrongly(tag) ?? false }
    }
    return headers["Last-Modified"].map { $0 == validator }
  }

  /// The length of the body as written to a file; `nil` if it is unknown.
  var fileByteCount: Int? {
    guard headers["Content-Encoding"] == nil, headers["Transfer-Encoding"] == nil else { return nil }
    return headers["Content-Length"].flatMap { Int($0) }
  }
}
