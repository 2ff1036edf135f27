import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The rules for storing and sending cookies (RFC 6265bis §5.7 and §5.8.3).
extension HTTPCookieStorage {
  /// The maximum number of cookies of one host, and of one response; host-only and domain cookies are counted
  /// separately.
  ///
  /// Separate counts prevent a subdomain from evicting host-only cookies of its parent. Eviction is by age, not by last
  /// use, which would require a write for every request.
  private static let hostLimit = 50
  /// The number of cookies of all hosts together that remain after an eviction (RFC 6265bis §6.1).
  private static let limit = 3000
  /// The number of cookies beyond the limit at which they are evicted, so that not every response sorts all.
  private static let evictionCount = 50
  /// The maximum size of a `Cookie` field in bytes: most servers reject a longer one.
  private static let fieldByteLimit = 8192

  /// Stores the cookies of a response, in one pass over all stored ones unless a limit is exceeded.
  func save(_ fields: [String], from url: URL) {
    if fields.isEmpty { return }
    let now = Date()
    let url = url.ofCookies
    var cookies = fields.prefix(Self.hostLimit).compactMap { SetCookie($0)?.cookie(from: url, at: now) }
    if cookies.isEmpty { return }
    let isSecure = url.isSecure
    let domains = Set(cookies.map(\.domain))
    var count = 0
    // Those of the same domains, and those that plain http may not replace.
    var (neighbours, secure): ([HTTPCookie], [HTTPCookie]) = ([], [])
    for cookie in self.cookies ?? [] {
      count += 1
      if domains.contains(cookie.domain) { neighbours.append(cookie) }
      if !isSecure, cookie.isSecure { secure.append(cookie) }
    }
    if !secure.isEmpty { cookies.removeAll { cookie in secure.contains { $0.isShadowed(by: cookie) } } }
    #if canImport(FoundationNetworking)
    dropCollisions(&cookies, with: neighbours, at: now)
    #endif
    if cookies.isEmpty { return }
    setCookies(cookies, for: url, mainDocumentURL: nil)
    let isWithinLimits =
      neighbours.count + cookies.count <= Self.hostLimit && count + cookies.count <= Self.limit + Self.evictionCount
    if !isWithinLimits { evict(from: domains) }
  }

  #if canImport(FoundationNetworking)
  /// Decides between cookies that Foundation cannot store together.
  ///
  /// Foundation on Linux stores a cookie under its domain, path and name without separators, so that `ion` of `/sess`
  /// replaces `session` of `/`. A cookie with `Secure` wins, otherwise the newer one.
  /// `neighbours` are the stored cookies of their domains: others have other keys, because a domain has no slash and a
  /// path begins with one.
  private func dropCollisions(_ cookies: inout [HTTPCookie], with neighbours: [HTTPCookie], at now: Date) {
    var stored: [String: HTTPCookie] = [:]
    for cookie in neighbours where cookie.expiresDate.map({ $0 > now }) ?? true {
      stored[cookie.foundationKey] = cookie
    }
    cookies.removeAll { cookie in
      let key = cookie.foundationKey
      if let other = stored[key], other.path != cookie.path {
        let isExpired = cookie.expiresDate.map { $0 <= now } ?? false
        if isExpired || (other.isSecure && !cookie.isSecure) { return true }
      }
      stored[key] = cookie
      return false
    }
  }
  #endif

  /// Evicts cookies beyond the limits of these domains and of all hosts.
  private func evict(from domains: Set<String>) {
    let neighbours = (self.cookies ?? []).filter { domains.contains($0.domain) }
    for cookies in Dictionary(grouping: neighbours, by: \.domain).values {
      evict(cookies.count - Self.hostLimit, of: cookies)
    }
    let all = self.cookies ?? []
    if all.count > Self.limit + Self.evictionCount { evict(all.count - Self.limit, of: all) }
  }

  private func evict(_ count: Int, of cookies: [HTTPCookie]) {
    guard count > 0 else { return }
    // Created once for each cookie, because looking up its time of creation is expensive.
    let ranks = cookies.map(\.evictionRank)
    for index in ranks.indices.sorted(by: { ranks[$0] < ranks[$1] }).prefix(count) { deleteCookie(cookies[index]) }
  }

  /// Returns the cookies for a request as one field; cookies that do not fit are left out.
  func field(for request: HTTPRequest) -> String? {
    let url = request.url.ofCookies
    guard let all = cookies(for: url), !all.isEmpty else { return nil }
    let path = url.path(percentEncoded: true)
    let isSecure = url.isSecure
    let now = Date()
    var cookies = all.filter { cookie in
      (isSecure || !cookie.isSecure) && (cookie.expiresDate.map { $0 > now } ?? true) && cookie.covers(path)
        && (!request.binding.isCrossSite || cookie.isSentAcrossSites(with: request.method))
    }
    if cookies.isEmpty { return nil }
    if cookies.count > 1 { cookies.sort { $0.isSent(before: $1) } }
    let field = cookies.field
    if field.utf8.count <= Self.fieldByteLimit { return field }
    // Cookies that no other host can set take precedence.
    var byteCount = 0
    let fitting = cookies.indices.sorted { (cookies[$0].rank, $0) < (cookies[$1].rank, $1) }.filter { index in
      let count = byteCount + cookies[index].name.utf8.count + cookies[index].value.utf8.count + (byteCount > 0 ? 3 : 1)
      if count <= Self.fieldByteLimit { byteCount = count }
      return count <= Self.fieldByteLimit
    }
    return fitting.isEmpty ? nil : fitting.sorted().map { cookies[$0] }.field
  }
}

extension [HTTPCookie] {
  fileprivate var field: String { map { "\($0.name)=\($0.value)" }.joined(separator: "; ") }
}

extension HTTPCookie {
  /// The rank in a full field: cookies of the highest rank are left out first; plain http cannot set cookies of ranks 0
  /// and 1, and another host cannot set cookies of ranks 0 and 2.
  fileprivate var rank: Int { (isSecure ? 0 : 2) + (domain.hasPrefix(".") ? 1 : 0) }

  /// The host of the cookie, without the leading dot that includes its subdomains.
  fileprivate var host: Substring { domain.hasPrefix(".") ? domain.dropFirst() : domain[...] }

  /// Returns whether the cookie applies to a path (RFC 6265bis §5.1.4).
  fileprivate func covers(_ other: String) -> Bool {
    if path == "/" || path == other { return true }
    guard other.utf8.starts(with: path.utf8) else { return false }
    return path.hasSuffix("/") || other.utf8.dropFirst(path.utf8.count).first == UInt8(ascii: "/")
  }

  /// Returns whether a cookie of the same name would be sent in place of this one (RFC 6265bis §5.7, step 16).
  fileprivate func isShadowed(by other: HTTPCookie) -> Bool {
    guard name == other.name, covers(other.path) else { return false }
    return host == other.host || host.hasSuffix("." + other.host) || other.host.hasSuffix("." + host)
  }

  /// Returns whether the cookie is sent after a redirect from another site; `Lax`, the default, only with safe methods.
  fileprivate func isSentAcrossSites(with method: HTTPMethod) -> Bool {
    switch sameSite {
    case .none?: true
    case .strict?: false
    case .lax?, nil: method.isSafe
    }
  }

  /// Returns whether the cookie is sent before another: longer paths first, then older cookies.
  fileprivate func isSent(before other: HTTPCookie) -> Bool {
    (-path.utf8.count, createdAt, name) < (-other.path.utf8.count, other.createdAt, other.name)
  }

  /// The rank in an eviction: cookies without `Secure` are evicted first, then older ones.
  fileprivate var evictionRank: (Int, Double, String) { (isSecure ? 1 : 0, createdAt, name) }

  #if canImport(FoundationNetworking)
  fileprivate var foundationKey: String { domain + path + name }
  #endif

  private var createdAt: Double { HTTPCookie.time(ofCreation: properties?[HTTPCookiePropertyKey("Created")]) }

  /// Returns the time of a property `Created`, which may be a number or its text.
  static func time(ofCreation property: Any?) -> Double {
    property as? Double ?? (property as? String).flatMap(Double.init) ?? 0
  }
}

extension URL {
  /// The URL by which cookies are stored and found: with its host in lower case, and an IP address in canonical form,
  /// because Foundation on Linux compares the text.
  ///
  /// The scheme of this machine is https, as in browsers, so that its `Secure` cookies work without a certificate.
  fileprivate var ofCookies: URL {
    let isOfLocalHTTP = !isSecure && isSecureOrLocal
    guard let host,
      isOfLocalHTTP || host.isNumericHost || host.utf8.contains(where: { (0x41...0x5A).contains($0) })
    else { return self }
    let name = Origin(host: host).host
    guard name != host || isOfLocalHTTP, var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else {
      return self
    }
    if isOfLocalHTTP { parts.scheme = "https" }
    parts.host = name.utf8.contains(UInt8(ascii: ":")) ? "[\(name)]" : name
    return parts.url ?? self
  }

  fileprivate var isSecure: Bool { scheme?.lowercased() == "https" }
}
