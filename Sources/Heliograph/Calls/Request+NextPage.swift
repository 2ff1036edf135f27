import Foundation

extension Request {
  /// Returns the request of the page that a page links to; `nil` if it links to none.
  ///
  /// It is a `GET` without body and parameters, which are in the link, and without header fields that belong to one
  /// response. For another origin it loses what a redirect to that origin would lose, and the request's own stages that
  /// could add it again: once lost, it stays so on later pages.
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
    // After a redirect, the origin of the page is not the one that the fields were meant for.
    if origin == nil || origins.contains(where: { $0 != origin }) { next.loseOwnAdditions() }
    return (next, url)
  }

  /// Removes what must not be sent to another origin, as far as it is the request's own.
  private mutating func loseOwnAdditions() {
    headers.removeForOtherOrigin(hasBody: false)
    options.middleware.removeAll { !$0.runsForAllOrigins }
    if options.filters != nil { options.filters = [] }
    if options.signer != nil {
      options.signer = nil
      options.isSigned = false
    }
  }
}
