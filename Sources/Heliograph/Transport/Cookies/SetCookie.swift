import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A `Set-Cookie` field, parsed as in browsers on every platform (RFC 6265bis §5.6), except that a field without an
/// equals sign, such as `Set-Cookie: token`, is ignored; on Linux Foundation's own parser
/// crashes on some fields, ignores `Max-Age` and lets a host set cookies for `.com`.
struct SetCookie: Hashable {
  /// The `SameSite` attribute: whether a cookie is sent after a redirect from another site.
  enum SameSite: String {
    case strict, lax, none
  }

  /// The maximum size of name and value together, in bytes (RFC 6265bis §5.6).
  private static let byteLimit = 4096
  /// The maximum size of an attribute's value, in bytes; an attribute with a longer one is ignored.
  private static let attributeByteLimit = 1024

  /// The maximum age of a cookie: 400 days (RFC 6265bis §5.5).
  static let ageLimit = 400.0 * 86_400

  let name: String
  let value: String
  /// The domain in lower case without a leading dot; `nil` if the cookie is for its host only.
  var domain: String?
  var path: String?
  var expires: Date?
  /// The maximum age in seconds; takes precedence over ``expires``.
  var maximumAge: Double?
  var isSecure = false
  var isHTTPOnly = false
  /// The `SameSite` attribute; `nil` if it is missing or has another value.
  var sameSite: SameSite?

  /// Separates fields that `URLSession` has joined with commas, although dates also contain commas.
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

  /// Creates a cookie from a field; `nil` if the field sets none.
  init?(_ field: String) {
    var parts = field.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)[...]
    guard let (name, value) = parts.popFirst()?.pair, let value, !name.isEmpty,
      name.utf8.count + value.utf8.count <= SetCookie.byteLimit, !field.hasControlCharacter
    else { return nil }
    self.name = name
    self.value = value
    for part in parts {
      let (name, value) = part.pair
      if name.isHTTPToken, value?.utf8.count ?? 0 <= SetCookie.attributeByteLimit {
        add(name.loweredASCII, value ?? "")
      }
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
      guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else { return }
      maximumAge = Double(value)
    case "domain":
      let name = value.hasPrefix(".") ? String(value.dropFirst()) : value
      // The last attribute applies, even an empty one.
      domain = name.isEmpty ? nil : name.lowercased()
    default: break
    }
  }

  /// Returns the cookie to store; `nil` if the URL may not set it.
  func cookie(from url: URL, at now: Date) -> HTTPCookie? {
    guard let host = url.host.map({ Origin(host: $0).host }), let domain = domain(for: host), isAllowed(from: url)
    else { return nil }
    var properties: [HTTPCookiePropertyKey: Any] = [
      .name: name, .value: value, .domain: domain, .path: path ?? url.cookieFolder, .version: "0",
    ]
    let limit = now.addingTimeInterval(SetCookie.ageLimit)
    if let end = maximumAge.map({ $0 > 0 ? now.addingTimeInterval(min($0, SetCookie.ageLimit)) : .distantPast })
      ?? expires
    {
      properties[.expires] = min(end, limit)
    }
    if isSecure {
      properties[.secure] = "TRUE"
      #if canImport(FoundationNetworking)
      // Foundation would restore the cookie from disk without `Secure`, so it is stored for this process only.
      properties[.discard] = "TRUE"
      #endif
    }
    if isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
    if let sameSite {
      properties[.heliographSameSite] = sameSite.rawValue
      #if !canImport(FoundationNetworking)
      properties[.sameSitePolicy] = sameSite.rawValue
      #endif
    }
    return HTTPCookie(properties: properties)
  }

  /// Returns whether a URL may set the cookie with its attributes (RFC 6265bis §5.7, steps 13, 19, 20 and 21).
  private func isAllowed(from url: URL) -> Bool {
    if isSecure, url.scheme?.lowercased() != "https" { return false }
    if sameSite == SetCookie.SameSite.none, !isSecure { return false }
    let name = self.name.loweredASCII
    if name.hasPrefix("__host-") {
      return isSecure && domain == nil && path == "/" && (isHTTPOnly || !name.hasPrefix("__host-http-"))
    }
    if name.hasPrefix("__http-") { return isSecure && isHTTPOnly }
    return isSecure || !name.hasPrefix("__secure-")
  }

  /// Returns the domain to store, with a leading dot if it includes subdomains; `nil` if the host may not set it (RFC
  /// 6265bis §5.7, steps 9 and 10).
  private func domain(for host: String) -> String? {
    guard let domain = domain.map({ Origin(host: $0).host }) else { return host }
    // An IP address has no subdomains, and a public suffix is not registrable: such hosts set host-only cookies.
    if domain == host { return host.isNumericHost || PublicSuffix.contains(host[...]) ? host : "." + host }
    guard !host.isNumericHost, !PublicSuffix.contains(domain[...]), host.hasSuffix("." + domain),
      // Above a suffix there are names of other owners: `amazonaws.com`.
      PublicSuffix.site(of: host) == PublicSuffix.site(of: domain)
    else { return nil }
    return "." + domain
  }
}

extension HTTPCookiePropertyKey {
  /// The property that stores `SameSite`.
  ///
  /// Foundation on Linux drops properties that it does not know. Apple's `.sameSitePolicy` has constants for `Lax` and
  /// `Strict` only, and takes `None` from iOS 18 on at the earliest.
  #if canImport(FoundationNetworking)
  fileprivate static let heliographSameSite = HTTPCookiePropertyKey.comment
  #else
  fileprivate static let heliographSameSite = HTTPCookiePropertyKey("HeliographSameSite")
  #endif
}

extension HTTPCookie {
  var sameSite: SetCookie.SameSite? {
    #if canImport(FoundationNetworking)
    let text = properties?[.heliographSameSite] as? String
    #else
    let text = (properties?[.heliographSameSite] ?? properties?[.sameSitePolicy]) as? String
    #endif
    return text.flatMap { SetCookie.SameSite(rawValue: $0.loweredASCII) }
  }
}

extension URL {
  /// The default path of a cookie: that of the URL up to its last slash (RFC 6265bis §5.1.4).
  fileprivate var cookieFolder: String {
    let path = path(percentEncoded: true)
    guard path.hasPrefix("/"), let end = path.utf8.lastIndex(of: UInt8(ascii: "/")), end > path.startIndex else {
      return "/"
    }
    return String(path[..<end])
  }
}

extension Substring.UTF8View {
  /// The trimmed text before and after the first equals sign; without a sign there is no value.
  fileprivate var pair: (name: String, value: String?) {
    func text(_ bytes: Substring.UTF8View) -> String { String(Substring(bytes)).trimmedField }
    guard let index = firstIndex(of: UInt8(ascii: "=")) else { return (text(self), nil) }
    return (text(self[..<index]), text(self[self.index(after: index)...]))
  }
}

/// A lenient parser for the date in a cookie's `Expires` (RFC 6265 §5.1.1), because servers use a dozen formats.
enum CookieDate {
  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

  static func read(_ text: String) -> Date? {
    var time: [Int64]?
    var (day, month, year): (Int64?, Int64?, Int64?)
    for token in text.utf8.split(whereSeparator: isDelimiter) {
      if time == nil, let found = self.time(token) {
        time = found
      } else if day == nil, let found = number(token, 1...2) {
        day = found
      } else if month == nil, let found = months.firstIndex(of: String(Substring(token.prefix(3))).loweredASCII) {
        month = Int64(found) + 1
      } else if year == nil, let found = number(token, 2...4) {
        year = found
      }
    }
    guard let time, let day, let month, var year else { return nil }
    if year < 100 { year += year < 70 ? 2000 : 1900 }
    guard year >= 1601, (1...CalendarDay.count(inMonth: month, of: year)).contains(day), time[0] < 24, time[1] < 60,
      time[2] < 60
    else { return nil }
    let seconds = CalendarDay.number(year, month, day) * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
    return Date(timeIntervalSince1970: Double(seconds))
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x3A, 0x41...0x5A, 0x61...0x7A, 0x7F...0xFF, 0x00...0x08, 0x0A...0x1F: false
    default: true
    }
  }

  private static func time(_ token: Substring.UTF8View) -> [Int64]? {
    let parts = token.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let numbers = parts.compactMap { number($0, 1...2) }
    return numbers.count == 3 ? numbers : nil
  }

  /// Returns the number at the beginning, if its count of digits is in the range.
  private static func number(_ token: Substring.UTF8View, _ lengths: ClosedRange<Int>) -> Int64? {
    let digits = token.prefix(while: \.isDigit)
    return lengths.contains(digits.count) ? Int64(Substring(digits)) : nil
  }
}
