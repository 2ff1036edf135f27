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
/// `Authorization`, `Cookie` and `Proxy-Authorization` are dropped for good when the origin changes, and a way from https to
/// http is refused. A 3xx without `Location` is an answer like any other. Requirement P13.
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

  /// The exchange, with the head and body of the last response only.
  ///
  /// - Parameter request: the first request.
  /// - Returns: the signal; it fails with a `client` error when a redirect may not be followed.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    send(request, remaining: limit, after: nil)
  }

  private func send(
    _ request: HTTPRequest, remaining: Int, after earlier: Metrics?
  ) -> Signal<TransportEvent, NetworkError> {
    .deferred {
      let hop = Hop(after: earlier)
      return next.send(request)
        .tryMap { event throws(NetworkError) -> TransportEvent in
          switch event {
          case .head(let head): hop.start(try redirect(request, head, remaining: remaining))
          case .metrics(let metrics): return .metrics(hop.end(metrics))
          case .body: break
          }
          return event
        }
        // The body of a redirect is read, so that its connection can be used again, but not a long one.
        .take(while: { hop.isWorthReading($0) })
        .filter { _ in !hop.isRedirect }
        .concat(
          .deferred {
            guard var target = hop.target else { return .empty }
            target.deadline = target.deadline.map { $0 - hop.elapsed }
            return send(target, remaining: remaining - 1, after: hop.metrics)
          })
    }
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
    guard let url = URL(string: location, relativeTo: request.url)?.absoluteURL, let scheme = url.scheme?.lowercased(),
      scheme == "http" || scheme == "https", url.host?.isEmpty == false
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
      for name in ["Authorization", "Cookie", "Proxy-Authorization"] { next.headers[name] = nil }
    }
    return next
  }
}

/// One response on the way to the last one.
private final class Hop: Sendable {
  private struct State {
    var target: HTTPRequest?
    var droppedByteCount = 0
    var metrics: Metrics?
  }

  /// How much of a redirect's body is read: more costs longer than another connection.
  private static let droppedByteLimit = 65_536

  private let startedAt = ContinuousClock.now
  private let earlier: Metrics?
  private let state = Guarded(State())

  init(after earlier: Metrics?) {
    self.earlier = earlier
  }

  var elapsed: Duration { ContinuousClock.now - startedAt }
  /// What this response and those before it cost; of a body that was not read to its end only those before.
  var metrics: Metrics? { state.withLock { $0.metrics } ?? earlier }

  func end(_ metrics: Metrics) -> Metrics {
    let sum = earlier.map { metrics.following($0) } ?? metrics
    state.withLock { $0.metrics = sum }
    return sum
  }

  var target: HTTPRequest? { state.withLock { $0.target } }
  var isRedirect: Bool { target != nil }

  func start(_ target: HTTPRequest?) { state.withLock { $0.target = target } }

  func isWorthReading(_ event: TransportEvent) -> Bool {
    guard case .body(let data) = event else { return true }
    return state.withLock { state in
      guard state.target != nil else { return true }
      state.droppedByteCount += data.count
      return state.droppedByteCount <= Hop.droppedByteLimit
    }
  }
}
