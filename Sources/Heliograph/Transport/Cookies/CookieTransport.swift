public import Signals

// On Apple's systems all of it is in Foundation.
#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// A decorator that stores a server's cookies and sends them back, by the same rules over every transport.
///
/// Each request gets the cookies that the storage has for its address, unless it has a `Cookie` field of its own, and each
/// `Set-Cookie` field of each response is stored, also of a response whose body nobody waits for. Put it inside
/// ``RedirectingTransport``, so that the cookies of each hop count.
///
/// The rules are those of RFC 6265bis:
///
/// | rule | limit |
/// |---|---|
/// | cookies of one host, and of one response | 50; the oldest is removed first, of those that are not `Secure` |
/// | cookies of all hosts | 3,000 |
/// | name and value of a cookie | 4 KiB; a longer one is dropped |
/// | a `Cookie` field | 8 KiB; what does not fit is not sent |
/// | `Secure` | set and sent over https only; http neither replaces nor removes it |
/// | `__Secure-`, `__Host-` | the cookie is dropped if it is not what its name promises |
/// | `Domain` | the host's own or one above it that is no public suffix, such as `com` or `co.uk` |
/// | `SameSite` | see below |
///
/// A request of the app's own is of no other site, so all cookies go with it. After a redirect from another site (another
/// scheme or registered domain) those that are `Strict` do not go, and those that are `Lax`, or say nothing, go with safe methods
/// only. A cookie without `Path` is for all of its host.
public struct CookieTransport: Transport {
  /// What carries each request; it must not handle cookies itself.
  public let next: any Transport
  /// The cookies of requests that bring no jar of their own.
  private let jar: (any CookieJar)?

  /// Makes the decorator.
  ///
  /// - Parameters:
  ///   - next: what carries each request.
  ///   - storage: where the cookies are kept.
  public init(_ next: any Transport, storage: HTTPCookieStorage) {
    self.next = next
    jar = CookieStore(storage).jar
  }

  /// Makes a decorator for requests that bring the jar of their identity.
  init(bringingJars next: any Transport) {
    self.next = next
    jar = nil
  }

  /// Whether what it holds needs a network.
  public var usesNetwork: Bool { next.usesNetwork }

  /// The exchange, with cookies.
  ///
  /// - Parameter request: what to send; its cookies are looked up when it is subscribed to.
  /// - Returns: the signal.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    .deferred {
      guard let jar = request.binding.identity?.jar ?? jar else { return next.send(request) }
      var request = request
      if request.headers["Cookie"] == nil { request.headers["Cookie"] = jar.field(for: request) }
      return next.send(request).on(value: { [request] event in
        guard case .head(let head) = event else { return }
        let fields = head.headers.values(for: "Set-Cookie")
        if !fields.isEmpty { jar.keep(fields, of: request) }
      })
    }
  }
}
