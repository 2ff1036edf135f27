import Foundation
public import Signals

/// Follows redirects, by the same rules over every transport.
///
/// | status | the next request |
/// |---|---|
/// | 301, 302 | `POST` becomes `GET` without a body, other methods stay (RFC 9110 §15.4.2, §15.4.3) |
/// | 303 | `GET` without a body; `HEAD` stays (RFC 9110 §15.4.4) |
/// | 307, 308 | the same method and body (RFC 9110 §15.4.8, §15.4.9) |
///
/// `Authorization`, `Cookie`, `Proxy-Authorization`, `X-Api-Key` and what ``HMACSigner`` adds to the header are dropped for
/// good when the origin changes, and a way from https to http is refused. A 3xx without `Location` is an answer like any other. Requirement P13.
public struct RedirectingTransport: Transport {
  /// What carries each request.
  public let next: any Transport
  /// How many redirects are followed for one request.
  ///
  /// Default: 10.
  public let limit: Int

  /// Makes the decorator.
  ///
  /// - Parameters:
  ///   - next: what carries each request; it must not follow redirects itself.
  ///   - limit: how many redirects are followed. Default: 10.
  public init(_ next: any Transport, limit: Int = 10) {
    self.next = next
    self.limit = limit
  }

  /// Whether what it holds needs a network.
  public var usesNetwork: Bool { next.usesNetwork }

  /// The exchange, with the head and body of the last response only.
  ///
  /// - Parameter request: the first request.
  /// - Returns: the signal; it fails with a `client` error when a redirect may not be followed.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    Signal { observer in start(request, under: observer.pressure) { observer.send($0) } }
  }

  /// Starts the exchange for somebody who has a signal of their own.
  func start(_ request: HTTPRequest, under pressure: Pressure? = nil, _ receive: @escaping Journey.Receive)
    -> Disposable
  {
    let journey = Journey(self, request, pressure, receive)
    journey.begin(request)
    return Disposable(source: journey)
  }

  /// The request that a redirect leads to, or `nil` if the response is none.
  func redirect(
    _ request: HTTPRequest, _ head: HTTPResponse, remaining: Int
  ) throws(NetworkError) -> HTTPRequest? {
    guard [301, 302, 303, 307, 308].contains(head.statusCode), let location = head.headers.values(for: "Location").first
    else { return nil }
    let response = Response(value: Data(), head: head)
    func refusal(_ code: NetworkError.Code, _ reason: String) -> NetworkError {
      NetworkError(.client, code, reason: reason, request: request, response: response)
    }
    guard remaining > 0 else { throw refusal(.tooManyRedirects, "more than \(limit) redirects") }
    // Servers write letters beside escapes that `URL` would escape once more.
    guard let url = URL(string: location.escapedBehindHost, relativeTo: request.url)?.absoluteURL,
      let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https", url.host?.isEmpty == false
    else { throw refusal(.badRedirect, "the redirect's Location is no HTTP address") }
    guard scheme == "https" || request.url.scheme?.lowercased() != "https" else {
      throw refusal(.insecureRedirect, "the redirect leads from https to http")
    }
    return following(request, head.statusCode, to: url)
  }

  private func following(_ request: HTTPRequest, _ statusCode: Int, to url: URL) -> HTTPRequest {
    var next = request
    next.url = url
    let losesBody = statusCode == 303 ? request.method != .head : statusCode < 303 && request.method == .post
    if losesBody {
      next.method = .get
      next.body = .empty
      for name in ["Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Location"] {
        next.headers[name] = nil
      }
    }
    if url.origin != request.url.origin {
      next.headers.removeSecrets()
      if !url.isSameSite(as: request.url) { next.binding.isCrossSite = true }
    }
    return next
  }
}
