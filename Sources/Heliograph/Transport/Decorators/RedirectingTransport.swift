import Foundation
import Signals

/// A decorator that follows redirects, by the same rules over every transport.
///
/// Only the last response of a redirect chain is delivered. The exchange fails with a `client` error if a redirect is
/// refused. ``NetworkClient/Configuration/redirects`` documents the rules.
package final class RedirectingTransport: DecoratingTransport {
  let next: any ChainedTransport
  /// The maximum number of redirects for one request.
  package let limit: Int
  /// The policy for requests that set none.
  package let policy: RedirectPolicy
  /// The stamp of first requests; `nil` without traces.
  private let traceStamp: TraceStamp?

  /// Creates the decorator; `next` must not follow redirects itself.
  package convenience init(_ next: any Transport, limit: Int = 10, policy: RedirectPolicy = .follow) {
    self.init(next, limit: limit, policy: policy, nil)
  }

  /// Creates the stage of a client, which stamps each request with its trace context.
  init(_ next: any Transport, limit: Int, policy: RedirectPolicy, _ traceStamp: TraceStamp?) {
    self.next = next.chained
    self.limit = limit
    self.policy = policy
    self.traceStamp = traceStamp
  }

  func start(_ request: HTTPRequest, in context: ExchangeContext) {
    // The builder has checked the URL, but middleware may have changed it.
    let isChecked = context.attempt?.middleware.isEmpty == true
    guard isChecked || request.allowsInsecureHTTP || request.url.isSecureOrLocal else {
      let reason =
        "plain HTTP to \(request.url.redacted) is blocked: use https, or set `allowsInsecureHTTP`, for a service "
        + "`allowsInsecureHTTP(in:)`"
      return context.receive(.failed(NetworkError(.insecureAddress, reason: reason, request: request)))
    }
    request.deadline?.activity = .exchange
    context.log?.begin(request)
    // Below the cache and the sharing of exchanges, which compare the fields of requests.
    let request = traceStamp?.stamped(request) ?? request
    context.attempt?.adapt(to: request)
    context.attempt?.recorder?.send(request.withCookies)
    ExchangeSequence(of: request, over: next, in: context).start(RedirectRule(request, policy, limit: limit))
  }
}

/// One exchange of a request whose redirects are followed.
struct RedirectRule: ExchangeRule {
  let request: HTTPRequest
  let isIdempotent: Bool
  private let rule: RedirectPolicy.Rule
  private let limit: Int
  /// The number of redirects that may still be followed.
  private let remaining: Int
  let isAfterEffect: Bool
  /// The credentials that a redirect has removed, by the names of their fields.
  private let lostCredentials: Set<String>
  /// Whether the transport has added credentials to an earlier request, to another origin.
  private let hasLeftAuthentication: Bool

  init(_ request: HTTPRequest, _ policy: RedirectPolicy, limit: Int) {
    self.request = request
    isIdempotent = request.isIdempotent
    rule = (request.redirects ?? policy).rule
    if case .follow(let limit?) = rule { self.limit = limit } else { self.limit = limit }
    remaining = self.limit
    isAfterEffect = false
    lostCredentials = []
    hasLeftAuthentication = false
  }

  private init(_ request: HTTPRequest, after former: RedirectRule, _ head: HTTPResponse) {
    self.request = request
    isIdempotent = former.isIdempotent && request.isIdempotent
    rule = former.rule
    limit = former.limit
    remaining = former.remaining - 1
    // A 303 says so itself, whatever request the closure of a policy has chosen.
    let showsEffect = head.statusCode == 303 || request.method != former.request.method
    isAfterEffect = former.isAfterEffect || !former.request.isIdempotent && showsEffect
    lostCredentials = former.lostCredentials.union(former.request.credentialNames).subtracting(request.credentialNames)
    let leavesOrigin = Origin(request.url) != Origin(former.request.url)
    hasLeftAuthentication = former.hasLeftAuthentication || head.isAuthenticated && leavesOrigin
  }

  var isRedirecting: Bool { true }
  var isAuthenticated: Bool { false }

  func makeRequest() -> HTTPRequest { request }

  func hasLostCredentials(at head: HTTPResponse) -> Bool {
    !lostCredentials.isEmpty || hasLeftAuthentication && !head.isAuthenticated
  }

  func successor(after head: HTTPResponse) throws(NetworkError) -> RedirectRule? {
    guard (300..<400).contains(head.statusCode), let target = try target(of: head) else { return nil }
    return RedirectRule(target, after: self, head)
  }

  /// Returns the request that follows a redirect, or `nil` if the response is to be delivered.
  ///
  /// As in curl, an empty `Location` counts as none; a malformed one fails.
  private func target(of head: HTTPResponse) throws(NetworkError) -> HTTPRequest? {
    guard rule != .stop, [301, 302, 303, 307, 308].contains(head.statusCode),
      let location = head.headers.values(for: "Location").first, !location.isEmpty
    else { return nil }
    let hop = Hop(request: request, head: head)
    guard remaining > 0 else { throw hop.failure(.tooManyRedirects, "more than \(limit) redirects") }
    guard let url = request.url.resolving(location) else {
      throw hop.failure(.invalidRedirect, "invalid Location of the redirect")
    }
    let proposed = try hop.checked(hop.following(to: url), allowing: hop.hasOrigin)
    guard case .decide(let closure) = rule else { return proposed }
    switch closure.value(head, proposed) {
    case .stop: return nil
    case .refuse(let reason): throw hop.failure(.redirectRefused, reason)
    case .follow(let chosen):
      // A request to the proposed origin may have fields that the closure added.
      let origin = Origin(proposed.url)
      return try hop.checked(chosen) { hop.hasOrigin(of: $0) || origin?.matches($0) == true }
    }
  }
}

extension HTTPRequest {
  /// The names of the secret fields, in lower case, with `cookie` if there are cookies for the URL: those of a `Domain`
  /// may authenticate the request at another host.
  ///
  /// The signature of a request tells nothing of the user, and a token against forged requests only belongs to a
  /// cookie.
  fileprivate var credentialNames: Set<String> {
    var names = Set(headers.lazy.filter(\.isSecret).map(\.name.loweredASCII))
    names.subtract(context.signatureFields.map(\.loweredASCII))
    for name in names where name.contains("csrf") || name.contains("xsrf") { names.remove(name) }
    if binding.jar?.field(for: self) != nil { names.insert("cookie") }
    return names
  }
}

/// A request and the redirect received in response.
private struct Hop {
  let request: HTTPRequest
  let head: HTTPResponse

  func failure(_ code: NetworkError.Code, _ reason: String) -> NetworkError {
    NetworkError(code, reason: reason, request: request, response: Response(value: Data(), head: head))
  }

  func hasOrigin(of url: URL) -> Bool { Origin(request.url)?.matches(url) == true }

  /// Returns the redirected request, with method and body by the rules of the status.
  func following(to url: URL) -> HTTPRequest {
    var next = request
    next.url = url
    // A signature covers the old path, and its nonce is used. None is made for the URL of a response.
    for name in request.context.signatureFields { next.headers[name] = nil }
    let status = head.statusCode
    let losesBody = status == 303 ? request.method != .head : status < 303 && request.method == .post
    if losesBody {
      next.method = .get
      next.resetIdempotency()
      next.body = .empty
      next.headers.removeContentFields()
    }
    return next
  }

  /// Returns a request without the fields that must not reach its origin; throws if it must not be sent at all.
  ///
  /// `isAllowed` returns whether a URL may receive all fields.
  func checked(_ next: HTTPRequest, allowing isAllowed: (URL) -> Bool) throws(NetworkError) -> HTTPRequest {
    guard let origin = Origin(next.url) else {
      throw failure(
        .invalidRedirect,
        "invalid Location of the redirect: it must be an http or https URL with a host, without user information")
    }
    if origin.scheme == "http" {
      guard request.url.scheme?.lowercased() != "https" else {
        throw failure(.insecureRedirect, "the redirect downgrades from https to http")
      }
      guard request.allowsInsecureHTTP || next.url.isSecureOrLocal else {
        throw failure(
          .insecureRedirect,
          "the redirect to plain HTTP is blocked: set `allowsInsecureHTTP`, for a service `allowsInsecureHTTP(in:)`")
      }
    }
    var next = next
    if !isAllowed(next.url) {
      let hasBody = !next.body.isEmpty
      guard !hasBody || request.sendsBodyAcrossOrigins else {
        throw failure(.redirectRefused, "the redirect would send the body to another origin, \(origin)")
      }
      let hasKey = next.headers.contains("Idempotency-Key")
      next.headers.removeForOtherOrigin(hasBody: hasBody, keepsKey: request.sendsBodyAcrossOrigins)
      // Without the key, the other origin would take a repeated request for a new one.
      if hasKey, !next.method.isIdempotent, !next.headers.contains("Idempotency-Key") { next.isIdempotent = false }
    }
    // The closure may have created a new request, which belongs to the same identity.
    next = next.withContext(of: request)
    next.binding.isCrossSite = request.binding.isCrossSite || !next.url.isSameSite(as: request.url)
    next.redirects = request.redirects
    next.sendsBodyAcrossOrigins = request.sendsBodyAcrossOrigins
    next.allowsInsecureHTTP = request.allowsInsecureHTTP
    next.allowedCosts.formIntersection(request.allowedCosts)
    return next
  }
}
