import Foundation

extension Request {
  /// Returns the request for the page that follows a page; `nil` if it has no link to one.
  ///
  /// It is a `GET` without body and parameters, which are in the link, and without header fields that belong to one
  /// response. For another origin, header fields are dropped as after a redirect, and so are the request's own stages that
  /// could add them again; later pages do not get them back.
  /// - Throws: ``NetworkError/Code/insecureAddress`` if the link leads from https to http.
  func nextPage<Body>(after page: Response<Body>) throws(NetworkError) -> (request: Request, url: URL)? {
    guard let url = page.nextPage else { return nil }
    let origins = [page.request?.url, page.url].map { $0.flatMap { Origin($0) } }
    let origin = Origin(url)
    if url.scheme?.lowercased() == "http", origins.contains(where: { $0?.scheme == "https" }) {
      throw NetworkError(
        .insecureAddress, reason: "the link to the next page downgrades from https to http: \(url.redacted)")
    }
    var next = self
    next.method = .get
    next.path = RequestPath(url.absoluteString)
    (next.query, next.parameters, next.body) = (Parameters(), Parameters(), .empty)
    next.headers.removeContentFields()
    next.headers.removeAll { field in
      let name = field.name.loweredASCII
      return name.hasPrefix("if-") || name == "range" || name == "idempotency-key"
    }
    next.options.idempotencyKey = nil
    // After a redirect, the page's origin differs from the one for which the fields were meant.
    if origin == nil || origins.contains(where: { $0 != origin }) { next.removeOwnAdditions() }
    return (next, url)
  }

  /// Removes the request's own additions that must not be sent to another origin.
  private mutating func removeOwnAdditions() {
    headers.removeForOtherOrigin(hasBody: false)
    options.middleware.removeAll { !$0.runsForAllOrigins }
    if options.filters != nil { options.filters = [] }
    if options.signer != nil {
      options.signer = nil
      options.isSigned = false
    }
  }
}
