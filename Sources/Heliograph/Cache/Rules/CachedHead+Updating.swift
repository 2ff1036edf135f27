import Foundation

extension CachedHead {
  /// What a 304 says about a stored response: RFC 9111 §4.3.3, §4.3.4.
  enum Confirmation: Sendable, Hashable {
    /// The response may be used, and is updated.
    case updates
    /// The response may be used, but is not updated, because the 304 has a validator that the response does not have.
    case confirms
    /// The 304 is about another response.
    case isAboutAnother
  }

  /// Returns the stored head with the fields of a newer response for the same representation: a 304, a 206, or a
  /// response to HEAD.
  ///
  /// Each field of the newer response replaces the stored one, except those that describe the stored body or are not
  /// stored. `Age` and `Date` always come from the newer response, or `Date` from its receipt. The status remains. RFC
  /// 9111 §3.2, §3.4.
  ///
  /// Of a 304, `Content-Type` does not replace the stored one, nor does a `Vary` with fewer names: frameworks give a
  /// 304 a media type of its own, and filters that add a name to `Vary` skip responses without a body. A 304 that only
  /// confirms the response updates its time of receipt, at which a time to live begins, but not its age in HTTP.
  func updated(by response: CachedHead) -> CachedHead {
    var head = self
    let isConfirmation = response.statusCode == 304
    if isConfirmation, confirmation(by: response) != .updates {
      head.receivedAt = response.receivedAt
      return head
    }
    var fields = response.headers.storable
    // The body is stored decoded and complete.
    fields.removeAll { field in
      ["content-length", "content-encoding", "content-range"].contains { $0.isEqualIgnoringCase(to: field.name) }
    }
    if isConfirmation {
      if headers.contains("Content-Type") { fields["Content-Type"] = nil }
      if hasFewerNames(response) { fields["Vary"] = nil }
    }
    // These fields belong to the replaced exchange.
    head.headers["Age"] = nil
    head.headers["Date"] = nil
    head.headers.merge(fields)
    head.requestedAt = response.requestedAt
    head.receivedAt = response.receivedAt
    head.addMissingDate()
    return head
  }

  /// Adds a `Date`, the time of receipt, if there is none (RFC 9110 §6.6.1).
  mutating func addMissingDate() {
    if headers["Date"] == nil { headers["Date"] = HTTPDate.text(of: receivedAt) }
  }

  /// Whether a 304 names at least one of the fields that select this response, and no other: the stored selection is
  /// the stricter one.
  private func hasFewerNames(_ response: CachedHead) -> Bool {
    guard let names = VaryFields(response: response.headers)?.names, !names.isEmpty,
      let stored = VaryFields(response: headers)?.names
    else { return false }
    return Set(names).isStrictSubset(of: stored)
  }

  /// Returns whether a 304 confirms this response, and whether it updates it (RFC 9111 §4.3.4).
  ///
  /// A strong entity tag must match strongly, a weak one weakly: servers weaken the tag of a compressed response.
  /// Without an entity tag in the 304 the modification dates are compared, and without any common validator the 304
  /// is accepted. A strong tag that matches weakly, one that differs by the suffix of a content coding, or one beside an
  /// equal date if none is stored, only confirms.
  func confirmation(by response: CachedHead) -> Confirmation {
    let (modified, received) = (date(of: "Last-Modified"), response.date(of: "Last-Modified"))
    guard let tag = response.entityTag else {
      if let modified, let received, modified != received { return .isAboutAnother }
      return .updates
    }
    guard let entityTag else { return modified != nil && modified == received ? .confirms : .isAboutAnother }
    if !entityTag.matchesWeakly(tag) { return entityTag.matchesDecoded(tag) ? .confirms : .isAboutAnother }
    return tag.isWeak || entityTag.matchesStrongly(tag) ? .updates : .confirms
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
