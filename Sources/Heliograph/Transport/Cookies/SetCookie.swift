import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A `Set-Cookie` field, taken apart as browsers do, on every platform.
///
/// Foundation's own reader crashes on some fields on Linux, knows no `Max-Age` there, and lets a host set cookies for all of
/// `.com`. RFC 6265bis §5.6.
struct SetCookie: Hashable {
  /// When a cookie is sent with a request to which a redirect from another site has led.
  enum SameSite: String {
    case strict, lax, none
  }

  /// The maximum of bytes of name and value together: RFC 6265bis §5.6.
  private static let byteLimit = 4096
  /// The maximum of bytes of an attribute's value: a longer one does not count.
  private static let attributeByteLimit = 1024

  let name: String
  let value: String
  /// Without a dot in front, in lower case; `nil` if it is for the host alone.
  var domain: String?
  var path: String?
  var expires: Date?
  /// In seconds; counts for more than ``expires``.
  var maximumAge: Double?
  var isSecure = false
  var isHTTPOnly = false
  /// `nil` if the field does not say, or says something else.
  var sameSite: SameSite?

  /// The fields that were joined into one with commas, as `URLSession` does it everywhere; dates hold commas too.
  static func separated(_ joined: String) -> [String] {
    let parts = joined.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    var result: [String] = []
    for part in parts {
      let start = part.drop { $0 == 0x20 }
      let name = Substring(start.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") })
      let isNext =
        start.count < part.count && name.utf8.count < start.count && String(name).isHTTPToken
        && start.dropFirst(name.utf8.count).first == UInt8(ascii: "=")
      if isNext || result.isEmpty {
        result.append(String(Substring(isNext ? start : part)))
      } else {
        result[result.count - 1] += "," + String(Substring(part))
      }
    }
    return result
  }

  /// Makes `nil` if the field sets nothing.
  init?(_ field: String) {
    var parts = field.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)[...]
    guard let (name, value) = parts.popFirst()?.pair, let value, !name.isEmpty,
      name.utf8.count + value.utf8.count <= SetCookie.byteLimit,
      field.utf8.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 })
    else { return nil }
    self.name = name
    self.value = value
    for part in parts {
      let (name, value) = part.pair
      if value?.utf8.count ?? 0 <= SetCookie.attributeByteLimit { add(name.loweredASCII, value ?? "") }
    }
  }

  private mutating func add(_ attribute: String, _ value: String) {
    switch attribute {
    case "secure": isSecure = true
    case "httponly": isHTTPOnly = true
    case "samesite": sameSite = SameSite(rawValue: value.loweredASCII)
    case "path": path = value.hasPrefix("/") ? value : nil
    case "expires": expires = CookieDate.read(value) ?? expires
    case "max-age":
      let digits = value.hasPrefix("-") ? value.dropFirst() : value[...]
      guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return }
      maximumAge = Double(value)
    case "domain":
      let name = value.hasPrefix(".") ? String(value.dropFirst()) : value
      if !name.isEmpty { domain = name.lowercased() }
    default: break
    }
  }

  /// The cookie as it is stored; `nil` if the address may not set it.
  ///
  /// - Parameters:
  ///   - url: who sets it.
  ///   - now: what its age is counted from.
  /// - Returns: the cookie.
  func cookie(from url: URL, at now: Date) -> HTTPCookie? {
    guard let host = url.host?.lowercased(), let domain = domain(for: host), isAllowed(from: url) else { return nil }
    var properties: [HTTPCookiePropertyKey: Any] = [
      .name: name, .value: value, .domain: domain, .path: path ?? "/", .version: "0",
    ]
    if let end = maximumAge.map({ $0 > 0 ? now.addingTimeInterval(min($0, 1e10)) : .distantPast }) ?? expires {
      properties[.expires] = end
    }
    if isSecure {
      properties[.secure] = "TRUE"
      #if canImport(FoundationNetworking)
      // Foundation writes it to disk and reads it back as one that is not secure: so it is for this run only.
      properties[.discard] = "TRUE"
      #endif
    }
    if isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
    if let sameSite { properties[.heliographSameSite] = sameSite.rawValue }
    return HTTPCookie(properties: properties)
  }

  /// Whether an address may set what the field claims to be: only https sets what is `Secure`, and a prefix of the name is
  /// a promise.
  ///
  /// RFC 6265bis §5.7, steps 8, 20 and 21.
  private func isAllowed(from url: URL) -> Bool {
    if isSecure, url.scheme?.lowercased() != "https" { return false }
    let name = self.name.loweredASCII
    if name.hasPrefix("__secure-") { return isSecure }
    if name.hasPrefix("__host-") { return isSecure && domain == nil && path == "/" }
    return true
  }

  /// The domain as it is stored: with a dot in front if it is for the hosts below it too.
  ///
  /// RFC 6265bis §5.7, steps 9 and 10.
  private func domain(for host: String) -> String? {
    guard let domain else { return host }
    // There is nothing below an address, and a suffix is nobody's: its own host sets for itself alone.
    if domain == host { return host.isNumericHost || PublicSuffix.contains(host[...]) ? host : "." + host }
    guard !host.isNumericHost, !PublicSuffix.contains(domain[...]), host.hasSuffix("." + domain) else { return nil }
    return "." + domain
  }
}

extension HTTPCookiePropertyKey {
  /// Where `SameSite` is kept: Foundation on Linux does not know it, and keeps no property but those that it knows.
  #if canImport(FoundationNetworking)
  fileprivate static let heliographSameSite = HTTPCookiePropertyKey.comment
  #else
  fileprivate static let heliographSameSite = HTTPCookiePropertyKey.sameSitePolicy
  #endif
}

extension HTTPCookie {
  /// When it is sent with a request to which a redirect from another site has led; `nil` if nobody has said.
  var sameSite: SetCookie.SameSite? {
    (properties?[.heliographSameSite] as? String).flatMap { SetCookie.SameSite(rawValue: $0.loweredASCII) }
  }
}

extension Substring.UTF8View {
  /// What stands before and after the first equals sign, trimmed; no value without such a sign.
  fileprivate var pair: (name: String, value: String?) {
    guard let index = firstIndex(of: UInt8(ascii: "=")) else { return (String(trimmed), nil) }
    return (String(self[..<index].trimmed), String(self[self.index(after: index)...].trimmed))
  }

  private var trimmed: Substring {
    var rest = self
    while let first = rest.first, first == 0x20 || first == 0x09 { rest.removeFirst() }
    while let last = rest.last, last == 0x20 || last == 0x09 { rest.removeLast() }
    return Substring(rest)
  }
}
