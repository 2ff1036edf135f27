import Foundation

extension RedirectingTransport {
  /// How many redirects of a request are followed.
  func limit(for request: HTTPRequest) -> Int {
    if case .follow(let limit?) = (request.redirects ?? policy).rule { limit } else { limit }
  }

  /// The request that a redirect leads to, or `nil` if the response is the one to deliver.
  func redirect(
    _ request: HTTPRequest, _ head: HTTPResponse, remaining: Int
  ) throws(NetworkError) -> HTTPRequest? {
    let rule = (request.redirects ?? policy).rule
    guard rule != .stop, [301, 302, 303, 307, 308].contains(head.statusCode),
      let location = head.headers.values(for: "Location").first, !location.isEmpty
    else { return nil }
    let hop = Hop(request: request, head: head)
    guard remaining > 0 else {
      throw hop.refusal(.tooManyRedirects, "more than \(limit(for: request)) redirects")
    }
    let proposed = try hop.judged(hop.following(to: try hop.target(location)), isOrigin: hop.isOrigin)
    guard case .decide(let judge) = rule else { return proposed }
    switch judge.decide(head, proposed) {
    case .stop: return nil
    case .refuse(let reason): throw hop.refusal(.redirectRefused, reason)
    case .follow(let chosen):
      // For the origin that was proposed it may carry what the closure has added.
      let origin = Origin(proposed.url)
      return try hop.judged(chosen) { hop.isOrigin($0) || origin?.matches($0) == true }
    }
  }
}

/// A request and the redirect that answers it.
private struct Hop {
  let request: HTTPRequest
  let head: HTTPResponse

  func refusal(_ code: NetworkError.Code, _ reason: String) -> NetworkError {
    NetworkError(.client, code, reason: reason, request: request, response: Response(value: Data(), head: head))
  }

  /// Whether an address is of the request's own origin.
  func isOrigin(_ url: URL) -> Bool { Origin(request.url)?.matches(url) == true }

  /// The address of a `Location`.
  func target(_ location: String) throws(NetworkError) -> URL {
    // Servers write letters beside escapes that `URL` would escape once more.
    guard let url = URL(string: location.escapedBehindHost, relativeTo: request.url)?.absoluteURL else {
      throw refusal(.invalidRedirect, "the redirect's Location is not an address")
    }
    return url
  }

  /// The request to an address, by the rules of the status.
  func following(to url: URL) -> HTTPRequest {
    var next = request
    next.url = url
    let status = head.statusCode
    let losesBody = status == 303 ? request.method != .head : status < 303 && request.method == .post
    if losesBody {
      next.method = .get
      next.body = .empty
      next.headers.removeContentFields()
    }
    return next
  }

  /// Returns a request without what must not go to its origin; throws if it must not be sent at all.
  ///
  /// `isOrigin` says whether an address is of an origin that may have all of it.
  func judged(_ next: HTTPRequest, isOrigin: (URL) -> Bool) throws(NetworkError) -> HTTPRequest {
    guard let origin = Origin(next.url) else {
      throw refusal(.invalidRedirect, "the redirect's Location is not an HTTP address, or it names a user")
    }
    if origin.scheme == "http" {
      guard request.url.scheme?.lowercased() != "https" else {
        throw refusal(.insecureRedirect, "the redirect leads from https to http")
      }
      guard request.allowsInsecureHTTP || next.url.isSecureOrLocal else {
        throw refusal(.insecureRedirect, "the redirect leads to plain http, which is not allowed")
      }
    }
    var next = next
    if !isOrigin(next.url) {
      let hasBody = next.body.byteCount != 0
      guard !hasBody || request.sendsBodyAcrossOrigins else {
        throw refusal(.redirectRefused, "the redirect would send the body to another origin, \(origin)")
      }
      next.headers.removeForOtherOrigin(hasBody: hasBody)
    }
    // A closure may have made a new request, which belongs to the same identity.
    next = next.belonging(to: request)
    next.binding.isCrossSite = request.binding.isCrossSite || !next.url.isSameSite(as: request.url)
    next.redirects = request.redirects
    next.sendsBodyAcrossOrigins = request.sendsBodyAcrossOrigins
    next.allowsInsecureHTTP = request.allowsInsecureHTTP
    return next
  }
}
