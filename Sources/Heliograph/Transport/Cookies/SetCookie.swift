import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPCookie {
  /// The cookies that one `Set-Cookie` field sets: one at most, but where the system says otherwise.
  static func cookies(inField field: String, from url: URL) -> [HTTPCookie] {
    #if canImport(FoundationNetworking)
      // Foundation's own reader crashes on some fields here, knows no Max-Age, and lets a host set cookies for all of `.com`.
      SetCookie(field).flatMap { $0.cookie(from: url, at: Date()) }.map { [$0] } ?? []
    #else
      cookies(withResponseHeaderFields: ["Set-Cookie": field], for: url)
    #endif
  }
}

/// A `Set-Cookie` field, taken apart as browsers do.
///
/// RFC 6265 §5.2.
struct SetCookie: Hashable {
  /// The most bytes that name and value may have together, and also an attribute: RFC 6265 §6.1.
  private static let byteLimit = 4096

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
    for part in parts where part.count <= SetCookie.byteLimit {
      let (name, value) = part.pair
      add(name.loweredASCII, value ?? "")
    }
  }

  private mutating func add(_ attribute: String, _ value: String) {
    switch attribute {
    case "secure": isSecure = true
    case "httponly": isHTTPOnly = true
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

  /// The cookie as it is stored; `nil` if the host may not set it.
  ///
  /// - Parameters:
  ///   - url: who sets it.
  ///   - now: what its age is counted from.
  /// - Returns: the cookie.
  func cookie(from url: URL, at now: Date) -> HTTPCookie? {
    guard let host = url.host?.lowercased(), let domain = domain(for: host) else { return nil }
    var properties: [HTTPCookiePropertyKey: Any] = [
      .name: name, .value: value, .domain: domain, .path: path ?? "/", .version: "0",
    ]
    if let end = maximumAge.map({ $0 > 0 ? now.addingTimeInterval(min($0, 1e10)) : .distantPast }) ?? expires {
      properties[.expires] = end
    }
    if isSecure {
      properties[.secure] = "TRUE"
      // Foundation writes it to disk and reads it back as one that is not secure: so it is for this run only.
      properties[.discard] = "TRUE"
    }
    if isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
    return HTTPCookie(properties: properties)
  }

  /// The domain as it is stored: with a dot in front if it is for the hosts below it too.
  ///
  /// RFC 6265 §5.3, steps 5 and 6.
  private func domain(for host: String) -> String? {
    guard let domain else { return host }
    // A number at the end, or a colon, is an address and not a name: then there is nothing below it.
    let isAddress = host.contains(":") || host.split(separator: ".").last?.allSatisfy(\.isNumber) == true
    if domain == host { return isAddress ? host : "." + host }
    // Without a list of public suffixes, at least none of the top: `com`.
    return !isAddress && domain.contains(".") && host.hasSuffix("." + domain) ? "." + domain : nil
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
