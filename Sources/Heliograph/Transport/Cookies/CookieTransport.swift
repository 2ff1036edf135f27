public import Signals

// On Apple's platforms all of it is in Foundation.
#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// A decorator that stores a server's cookies and sends them back, by the same rules over every transport.
///
/// Each request gets the stored cookies for its URL, unless it has its own `Cookie` field. Each `Set-Cookie` field of
/// each response is stored, even if no subscriber reads the body. Put the decorator inside ``RedirectingTransport``, so that
/// it handles every request of a redirect chain.
///
/// The rules are those of RFC 6265bis:
///
/// | rule | limit |
/// |---|---|
/// | cookies per host | 50; cookies without `Secure` are evicted first, the oldest of them first |
/// | `Set-Cookie` fields per response | 50; the rest are dropped |
/// | cookies of all hosts | 3,000; evicted in the same order |
/// | name and value of a cookie | 4 KiB; a longer cookie is dropped |
/// | a `Cookie` field | 8 KiB; cookies that do not fit are not sent |
/// | `Secure` | set and sent over https only; http neither replaces nor removes such a cookie |
/// | `__Secure-`, `__Host-` | a cookie without the attributes that its prefix requires is dropped |
/// | `Domain` | the host itself or a parent domain that is not a public suffix, such as `com` or `co.uk` |
/// | `SameSite` | see below |
///
/// A request of the app itself is same-site, so all cookies are sent. After a redirect from another site (another
/// scheme or registered domain) `Strict` cookies are not sent. `Lax` cookies, and cookies without `SameSite`, are then
/// sent with safe methods only. A cookie without `Path` applies to its whole host.
public struct CookieTransport: Transport {
  /// The transport that sends each request; it must not handle cookies itself.
  public let next: any Transport
  /// The cookies of requests that have no jar of their own.
  private let jar: (any CookieJar)?

  /// Creates the decorator.
  ///
  /// - Parameters:
  ///   - next: the transport that sends each request.
  ///   - storage: the storage of the cookies.
  public init(_ next: any Transport, storage: HTTPCookieStorage) {
    self.next = next
    jar = CookieStore(storage).jar
  }

  /// Creates a decorator for requests that have the jar of their identity.
  init(bringingJars next: any Transport) {
    self.next = next
    jar = nil
  }

  /// Whether the wrapped transport needs a network.
  public var usesNetwork: Bool { next.usesNetwork }

  /// Sends the request with cookies, and stores those of the response.
  ///
  /// - Parameter request: the request to send; its cookies are looked up at the subscription.
  /// - Returns: a signal of the exchange.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    .deferred {
      guard let jar = request.binding.identity?.jar ?? jar else { return next.send(request) }
      var request = request
      if request.headers["Cookie"] == nil { request.headers["Cookie"] = jar.field(for: request) }
      request.context.log?.note(request.headers)
      return next.send(request).on(value: { [request] event in
        guard case .head(let head) = event else { return }
        let fields = head.headers.values(for: "Set-Cookie")
        if !fields.isEmpty { jar.keep(fields, of: request) }
      })
    }
  }
}
