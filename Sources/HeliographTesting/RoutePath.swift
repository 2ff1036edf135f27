import Foundation
import Heliograph

/// The path of a route, compared segment by segment, in stubs and servers alike.
///
/// `*` matches any segment, a final `**` any remaining segments, and `*` alone any path. A query in the text is a
/// further condition, and so is the origin of an absolute URL. A missing leading slash is added; a trailing one is
/// significant.
struct RoutePath: Sendable, Hashable {
  /// A query item, decoded.
  struct Item: Sendable, Hashable {
    let name: String
    let value: String

    /// The item for display; a secret value is omitted.
    var displayText: String { "\(name)=\(name.namesSecretParameter ? "<redacted>" : value)".singleLine }
  }

  private let path: String
  private let segments: [String]
  private let hasWildcardTail: Bool
  private let origin: String?
  let query: [Item]

  /// Parses a path, a path with a query, or an absolute URL.
  init(_ text: String, query: [String: String] = [:]) {
    let target = RouteTarget(text)
    let path = target.path
    origin = target.origin.isEmpty ? nil : target.origin
    // Sorted, because their order is no condition: routes that differ only in it are equal.
    self.query = (target.query + query.map { Item(name: $0.key, value: $0.value) })
      .sorted { ($0.name, $0.value) < ($1.name, $1.value) }
    self.path = path == "*" ? "/**" : path.hasPrefix("/") ? path : "/" + path
    var segments = RoutePath.segments(self.path[...].utf8).map { String(Substring($0)) }
    hasWildcardTail = segments.last == "**"
    if hasWildcardTail { segments.removeLast() }
    self.segments = segments
  }

  /// The number of conditions besides the path's segments.
  var conditionCount: Int { query.count + (origin == nil ? 0 : 1) }

  /// The number of literal segments, plus 1 for a path without `**`.
  var literalCount: Int { segments.count { $0 != "*" } + (hasWildcardTail ? 0 : 1) }

  var displayText: String {
    let items = query.map(\.displayText).joined(separator: "&")
    return (origin.map { "//" + $0 } ?? "") + path.singleLine + (items.isEmpty ? "" : "?" + items)
  }

  func matches(_ target: RouteTarget) -> Bool {
    matchesPath(of: target) && (origin == nil || origin == target.origin) && query.allSatisfy(target.query.contains)
  }

  /// Returns the reasons why a target does not match.
  func differences(from target: RouteTarget) -> [RouteDifference] {
    var differences: [RouteDifference] = []
    if !matchesPath(of: target) {
      let text = "the path is \(target.path.singleLine), not \(path.singleLine)"
      differences.append(RouteDifference(text: text, weight: 2 * distance(to: target.segments.map(\.decoded))))
    }
    if let origin, origin != target.origin {
      differences.append(RouteDifference(text: "the host is \(target.origin.singleLine), not \(origin.singleLine)"))
    }
    for item in query where !target.query.contains(item) {
      let found = target.query.filter { $0.name == item.name }.map(\.displayText)
      let text =
        found.isEmpty
        ? "the query lacks \(item.displayText)"
        : "the query has \(found.joined(separator: " and ")), not \(item.displayText)"
      differences.append(RouteDifference(text: text))
    }
    return differences
  }

  func matchesPath(of target: RouteTarget) -> Bool {
    let count = segments.count
    guard hasWildcardTail ? target.segments.count >= count : target.segments.count == count else { return false }
    return zip(segments, target.segments).allSatisfy { expected, segment in
      expected == "*" || expected == segment.text || expected == segment.decoded
    }
  }

  /// The number of segments to insert, remove or replace.
  private func distance(to found: [String]) -> Int {
    var row = Array(0...found.count)
    for (index, expected) in segments.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in found.indices {
        let cost = expected == "*" || expected == found[column] ? 0 : 1
        (diagonal, row[column + 1]) = (row[column + 1], min(diagonal + cost, row[column] + 1, row[column + 1] + 1))
      }
    }
    return max(1, hasWildcardTail ? row.min() ?? 0 : row[found.count])
  }

  fileprivate static func segments(_ path: Substring.UTF8View) -> [Substring.UTF8View] {
    let slash = UInt8(ascii: "/")
    return (path.first == slash ? path.dropFirst() : path).split(separator: slash, omittingEmptySubsequences: false)
  }

  fileprivate static func items(_ query: Substring.UTF8View) -> [Item] {
    query.split(separator: UInt8(ascii: "&")).map { pair in
      let name = pair.prefix { $0 != UInt8(ascii: "=") }
      return Item(name: name.percentDecoded, value: pair[name.endIndex...].dropFirst().percentDecoded)
    }
  }
}

/// The components of a request's URL that routes compare, parsed once for all routes.
struct RouteTarget {
  /// A segment of the path, as sent and decoded: an escaped slash is a part of its segment.
  struct Segment {
    let text: String
    let decoded: String
  }

  /// Host and port, in lowercase, without the default port of the scheme.
  let origin: String
  /// The path as sent, with escapes in uppercase.
  let path: String
  let segments: [Segment]
  let query: [RoutePath.Item]

  /// Parses the URL of a request, or the target that a server received: an absolute URL, or a path with an optional
  /// query, whose host and port are `authority`.
  init(_ text: String, authority: String = "") {
    // Bytes: every stubbed request is parsed, and the algorithms of characters took most of its time.
    var remaining = text.utf8.prefix { $0 != UInt8(ascii: "#") }
    var origin = authority
    let scheme = remaining.prefix { (0x61...0x7A).contains($0 | 0x20) }
    if remaining[scheme.endIndex...].starts(with: "://".utf8) {
      remaining = remaining[scheme.endIndex...].dropFirst(3)
      let host = remaining.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
      origin = String(Substring(host))
      switch Substring(scheme).lowercased() {
      case "http" where origin.hasSuffix(":80"): origin.removeLast(3)
      case "https" where origin.hasSuffix(":443"): origin.removeLast(4)
      default: break
      }
      remaining = remaining[host.endIndex...]
    }
    self.origin = origin.lowercased()
    let path = remaining.prefix { $0 != UInt8(ascii: "?") }
    self.path = path.isEmpty ? "/" : path.uppercasingEscapes
    segments = RoutePath.segments(self.path[...].utf8).map {
      Segment(text: String(Substring($0)), decoded: $0.percentDecoded)
    }
    query = RoutePath.items(remaining[path.endIndex...].dropFirst())
  }

  /// Returns the query items that only this target has, and those that the other one has more often, as differences; an
  /// item with another value is one of ``RoutePath/differences(from:)``.
  func surplus(over other: RouteTarget) -> [RouteDifference] {
    var (more, fewer) = (query, other.query)
    for item in query {
      guard let index = fewer.firstIndex(of: item), let own = more.firstIndex(of: item) else { continue }
      fewer.remove(at: index)
      more.remove(at: own)
    }
    more.removeAll { item in
      guard let index = fewer.firstIndex(where: { $0.name == item.name && !query.contains($0) }) else { return false }
      fewer.remove(at: index)
      return true
    }
    return more.map { RouteDifference(text: "the query also has \($0.displayText)") }
      + fewer.filter(query.contains).map { RouteDifference(text: "the query lacks \($0.displayText)") }
  }
}

extension Substring.UTF8View {
  /// The text with the digits of its escapes in uppercase, which makes no difference (RFC 3986 §6.2.2.1).
  fileprivate var uppercasingEscapes: String {
    guard contains(UInt8(ascii: "%")) else { return String(Substring(self)) }
    return String(Substring(self)).replacing(/%[0-9A-Fa-f]{2}/) { $0.output.uppercased() }
  }

  /// The text without percent-encoding; a malformed escape is unchanged, and invalid UTF-8 becomes U+FFFD.
  var percentDecoded: String {
    guard contains(UInt8(ascii: "%")) else { return String(Substring(self)) }
    return String(decoding: Array(self).percentDecoded, as: UTF8.self)
  }
}

/// A condition of a route that a request does not meet.
struct RouteDifference: Sendable {
  /// The condition and the sent value, for display.
  let text: String
  /// Its share of the distance between the request and the route.
  var weight = 1
}

extension Array {
  /// Returns the most specific route; of several, the latest.
  func mostSpecific(by specificity: (Element) -> (Int, Int)) -> Element? {
    reversed().max { specificity($0) < specificity($1) }
  }
}

extension Sequence where Element == (route: String, differences: [RouteDifference]) {
  /// A text that names the nearest route and its differences; of several, the latest.
  var nearest: String? {
    let routes = Array(self)
    let weights = routes.map { $0.differences.reduce(0) { $0 + $1.weight } }
    guard let least = weights.min(), let index = weights.lastIndex(of: least) else { return nil }
    let differences = routes[index].differences.map(\.text).joined(separator: "; ")
    let others = routes.count - 1
    let remaining = others == 0 ? "" : others == 1 ? " (1 other route)" : " (\(others) other routes)"
    return "the nearest is \(routes[index].route), but \(differences)\(remaining)"
  }
}
