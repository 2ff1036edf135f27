import Foundation

extension CachedHead {
  /// Returns the stored head with the fields of a newer response for the same representation: a 304, or a response to
  /// HEAD.
  ///
  /// Each field of the newer response replaces the stored one, except those that describe the stored body or are not
  /// stored. `Age` and `Date` always come from the newer response. The status remains. RFC 9111 §3.2.
  func updated(by response: CachedHead) -> CachedHead {
    var fields = response.headers.storable
    // The body is stored decoded and complete.
    fields.removeAll { field in
      ["content-length", "content-encoding", "content-range"].contains { $0.isEqualIgnoringCase(to: field.name) }
    }
    var head = self
    // These fields belong to the replaced exchange.
    head.headers["Age"] = nil
    head.headers["Date"] = nil
    head.headers.merge(fields)
    head.requestedAt = response.requestedAt
    head.receivedAt = response.receivedAt
    return head
  }

  /// Returns whether a 304 confirms this response, so that it can be updated (RFC 9111 §4.3.4).
  ///
  /// A strong entity tag must match strongly, a weak one weakly: servers weaken the tag of a compressed response.
  /// Without an entity tag in the 304 the modification dates are compared, and without any common validator the 304
  /// is accepted.
  func isConfirmed(by response: CachedHead) -> Bool {
    if let received = response.entityTag {
      guard let stored = entityTag else { return false }
      return received.isWeak ? stored.matchesWeakly(received) : stored.matchesStrongly(received)
    }
    if let stored = date(of: "Last-Modified"), let received = response.date(of: "Last-Modified") {
      return stored == received
    }
    return true
  }

  /// Returns whether a response to HEAD has the same representation, so that the stored one can be updated.
  ///
  /// Validators of the response must have the stored values; so must `Content-Length` if it was stored. Otherwise, the
  /// stored response is stale. RFC 9111 §4.3.5.
  func isSameRepresentation(as response: CachedHead) -> Bool {
    for name in ["ETag", "Last-Modified"] {
      if let received = response.headers.firstValue(for: name), received != headers.firstValue(for: name) {
        return false
      }
    }
    guard let received = response.headers.firstValue(for: "Content-Length"),
      let stored = headers.firstValue(for: "Content-Length")
    else { return true }
    return received == stored
  }
}
