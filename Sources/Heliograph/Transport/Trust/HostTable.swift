import Foundation

/// A table of values by host: of those that match a host, the longest applies.
struct HostTable<Value: Sendable>: Sendable {
  /// The values by host, by `*.` and a domain, or by `*`.
  private var values: [String: Value] = [:]

  /// Throws if a host, in any spelling, is invalid or occurs twice; `setting` is the name of the setting, for errors.
  init(_ entries: [String: Value], setting: String) throws(NetworkError) {
    for (host, value) in entries {
      var name = Origin(host: host).host
      if name.hasSuffix("."), name != "*." { name.removeLast() }
      let baseName = name.hasPrefix("*.") ? name.dropFirst(2) : name[...]
      let address = baseName.contains(":") ? "[\(baseName)]" : String(baseName)
      guard name == "*" || Origin("https://\(address)")?.host == String(baseName) else {
        throw NetworkError(.invalidTransport, reason: "\(host.debugDescription) in `\(setting)` is not a host name")
      }
      guard values.updateValue(value, forKey: name) == nil else {
        throw NetworkError(.invalidTransport, reason: "\(host.debugDescription) is in `\(setting)` twice")
      }
    }
  }

  var isEmpty: Bool { values.isEmpty }

  var all: some Collection<Value> { values.values }

  subscript(_ url: URL) -> Value? { Origin(url).flatMap { self[host: $0.host] } }

  /// The value for a host in lower case without brackets.
  subscript(host host: String) -> Value? {
    // A trailing dot denotes the same host.
    let host = host.hasSuffix(".") ? String(host.dropLast()) : host
    return values[host] ?? wildcardValue(for: host) ?? values["*"]
  }

  private func wildcardValue(for host: String) -> Value? {
    var domain = host[...]
    while let dot = domain.firstIndex(of: ".") {
      domain = domain[domain.index(after: dot)...]
      if let value = values["*." + domain] { return value }
    }
    return nil
  }
}

/// The pinned keys of each host.
struct HostPins: Sendable {
  private let keys: HostTable<[String]>

  /// - Throws: A `client` error if a host or a pin is invalid, so that the error does not wait for the first request.
  init(_ pinned: [String: [String]]) throws(NetworkError) {
    for pin in pinned.values.joined() where Data(base64Encoded: pin)?.count != 32 {
      throw NetworkError(
        .invalidTransport, reason: "\(pin.debugDescription) is not a SHA-256 digest in Base64")
    }
    keys = try HostTable(pinned, setting: "pinnedKeys")
  }

  var isEmpty: Bool { keys.isEmpty }

  /// The pins of any host, to check whether a transport supports pinning.
  var first: [String]? { keys.all.first { !$0.isEmpty } }

  /// The pins for a URL; `nil` if its host may have any key.
  subscript(_ url: URL) -> [String]? { HostPins.nonempty(keys[url]) }

  /// The pins of a host in lower case without brackets; `nil` if it may have any key.
  subscript(host host: String) -> [String]? { HostPins.nonempty(keys[host: host]) }

  private static func nonempty(_ pins: [String]?) -> [String]? { pins?.isEmpty == false ? pins : nil }
}
