import Foundation

/// The request of a linked page, created from the first page's request for each attempt: its token may have changed.
///
/// It is a `GET` without body and parameters, which are in the link, and without header fields that belong to one
/// response. For another origin, header fields are dropped as after a redirect, and so are the request's own stages that
/// could add them again; later pages do not get them back.
struct LinkedRequest: RequestConvertible {
  let url: URL
  private let first: any RequestConvertible
  private let hasLeftOrigin: Bool

  /// Creates the request for the page that follows a page; `nil` if it has no link to one.
  ///
  /// - Throws: ``NetworkError/Code/insecureAddress`` if the link leads from https to http;
  ///   ``NetworkError/Code/invalidURL`` if its target is malformed.
  init?<Body>(after page: Response<Body>, of request: any RequestConvertible) throws(NetworkError) {
    guard let url = try page.nextPage else { return nil }
    let origins = [page.request?.url, page.url].map { $0.flatMap { Origin($0) } }
    let origin = Origin(url)
    if url.scheme?.lowercased() == "http", origins.contains(where: { $0?.scheme == "https" }) {
      throw NetworkError(
        .insecureAddress, reason: "the link to the next page downgrades from https to http: \(url.redacted)")
    }
    let former = request as? LinkedRequest
    self.url = url
    first = former?.first ?? request
    // After a redirect, the page's origin differs from the one for which the fields were meant.
    hasLeftOrigin = former?.hasLeftOrigin == true || origin == nil || origins.contains { $0 != origin }
  }

  func asRequest() throws(NetworkError) -> Request {
    var next = try first.asRequest()
    // An address of the request's own may have changed since the first page.
    let isElsewhere = next.namedAddress.flatMap { URL(string: $0) }.flatMap { Origin($0) }.map { $0 != Origin(url) }
    next.method = .get
    next.path = RequestPath(url.absoluteString)
    (next.query, next.parameters, next.body) = (Parameters(), Parameters(), .empty)
    next.headers.removeContentFields()
    next.headers.removeAll { field in
      let name = field.name.loweredASCII
      return name.hasPrefix("if-") || name == "range" || name == "idempotency-key"
    }
    next.options.idempotencyKey = nil
    guard hasLeftOrigin || isElsewhere == true else { return next }
    // The request's own additions must not be sent to another origin.
    next.headers.removeForOtherOrigin(hasBody: false)
    next.options.middleware.removeAll { !$0.runsForAllOrigins }
    if next.options.filters != nil { next.options.filters = [] }
    if next.options.signer != nil {
      next.options.signer = nil
      next.options.isSigned = false
    }
    return next
  }
}
