public import Foundation

extension WebLink {
  /// Returns the absolute URL of the target (RFC 3986 §5.2).
  ///
  /// - Parameter base: The URL of the response that contained the link, for a relative target.
  /// - Returns: The URL; `nil` if the target is malformed.
  public func url(relativeTo base: URL) -> URL? { base.resolvingLink(target) }
}

extension Response {
  /// The links of the response (RFC 8288), in order, with absolute targets; malformed ones are skipped.
  ///
  /// ```swift
  /// let last = response.links.first { $0.relations.contains("last") }?.target
  /// ```
  /// Relative targets are resolved against the ``url`` of the response. A link with an `anchor` parameter belongs to
  /// the resource that the parameter names, not to the response.
  ///
  /// Complexity: O(bytes).
  public var links: [WebLink] {
    headers.links.compactMap { link in
      guard let target = link.url(relativeTo: url) else { return nil }
      var link = link
      link.target = target.absoluteString
      return link
    }
  }

  /// The URL of the next page: the target of the first link of this response with the relation type `next`.
  ///
  /// - Throws: ``NetworkError/Code/invalidURL`` if no such link has a valid target: the page is not the last one.
  var nextPage: URL? {
    get throws(NetworkError) {
      var malformed: WebLink?
      for link in headers.writtenLinks where link.relations.contains("next") {
        if let anchor = link.parameters["anchor"] {
          let context = url.resolvingLink(url.absoluteString)?.absoluteString
          if url.resolvingLink(anchor)?.absoluteString != context { continue }
        }
        if link.hasValidTarget, let target = link.url(relativeTo: url) { return target }
        malformed = malformed ?? link
      }
      guard let malformed else { return nil }
      throw NetworkError(
        .invalidURL, reason: "the link to the next page is malformed: \(malformed)", request: request)
    }
  }
}

extension URL {
  /// Returns the absolute URL of a reference in a link; `nil` if it is malformed.
  fileprivate func resolvingLink(_ reference: String) -> URL? {
    // HTML and XML allow space around it.
    let reference = reference.trimmingCharacters(in: .whitespacesAndNewlines)
    // The empty reference is the URL itself; Foundation does not parse it.
    if reference.isEmpty { return self }
    let url = resolving(reference)
    // `//` is an empty host, which HTTP does not have (RFC 9110 §4.2.1).
    guard let scheme = url?.scheme?.lowercased(), scheme == "http" || scheme == "https" else { return url }
    return url?.host()?.isEmpty == false ? url : nil
  }
}
