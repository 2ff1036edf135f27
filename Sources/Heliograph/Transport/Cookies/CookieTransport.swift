public import Signals

// On Apple's systems all of it is in Foundation.
#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Keeps a server's cookies and sends them back, by the same rules over every transport.
///
/// Each request gets the cookies that the storage has for its address, unless it has a `Cookie` field of its own, and each
/// `Set-Cookie` of each response is stored, also of a response whose body nobody waits for. Put it inside
/// ``RedirectingTransport``, so that the cookies of each hop count.
///
/// Which cookies belong to an address is what `HTTPCookieStorage` says, and besides what RFC 6265 §5.4 says: on Linux the
/// storage forgets about `Secure`, `Path` and the time. A cookie without `Path` is for all of its host.
public struct CookieTransport: Transport {
  /// What carries each request; it must not handle cookies itself.
  public let next: any Transport
  /// Where the cookies are kept: asked for each request.
  private let jar: @Sendable () -> HTTPCookieStorage?

  /// Makes the decorator.
  ///
  /// - Parameters:
  ///   - next: what carries each request.
  ///   - storage: where the cookies are kept.
  public init(_ next: any Transport, storage: HTTPCookieStorage) {
    self.next = next
    jar = { storage }
  }

  /// Makes the decorator with a storage for each world.
  init(_ next: any Transport, jars: CookieJars) {
    self.next = next
    jar = { jars.present }
  }

  /// Whether what it holds needs a network.
  public var usesNetwork: Bool { next.usesNetwork }

  /// The exchange, with cookies.
  ///
  /// - Parameter request: what to send; its cookies are looked up when it is subscribed to.
  /// - Returns: the signal.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    .deferred {
      guard let storage = jar() else { return next.send(request) }
      var request = request
      if request.headers["Cookie"] == nil { request.headers["Cookie"] = storage.field(for: request.url) }
      return next.send(request).on(value: { event in
        // Into the same one: what comes late belongs to the world that has asked.
        if case .head(let head) = event { storage.store(head) }
      })
    }
  }
}

extension HTTPCookieStorage {
  fileprivate func store(_ head: HTTPResponse) {
    let fields = head.headers.values(for: "Set-Cookie")
    if fields.isEmpty { return }
    let cookies = fields.flatMap { HTTPCookie.cookies(inField: $0, from: head.url) }
    setCookies(cookies, for: head.url, mainDocumentURL: nil)
  }

  /// The cookies for an address as one field: RFC 6265 §5.4.
  fileprivate func field(for url: URL) -> String? {
    guard let all = cookies(for: url), !all.isEmpty else { return nil }
    let path = url.path(percentEncoded: true)
    let isSecure = url.scheme?.lowercased() == "https"
    let now = Date()
    var cookies = all.filter { cookie in
      (isSecure || !cookie.isSecure) && (cookie.expiresDate.map { $0 > now } ?? true) && cookie.covers(path)
    }
    if cookies.isEmpty { return nil }
    if cookies.count > 1 { cookies.sort { $0.isSent(before: $1) } }
    return cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
  }
}

extension HTTPCookie {
  /// Whether it is for a path.
  ///
  /// RFC 6265 §5.1.4.
  fileprivate func covers(_ other: String) -> Bool {
    if path == "/" || path == other { return true }
    guard other.utf8.starts(with: path.utf8) else { return false }
    return path.hasSuffix("/") || other.utf8.dropFirst(path.utf8.count).first == UInt8(ascii: "/")
  }

  /// Those of longer paths come first, and of equally long ones the older.
  fileprivate func isSent(before other: HTTPCookie) -> Bool {
    let counts = (path.utf8.count, other.path.utf8.count)
    if counts.0 != counts.1 { return counts.0 > counts.1 }
    let instants = (createdAt, other.createdAt)
    return instants.0 == instants.1 ? name < other.name : instants.0 < instants.1
  }

  private var createdAt: Double { properties?[HTTPCookiePropertyKey("Created")] as? Double ?? 0 }
}
