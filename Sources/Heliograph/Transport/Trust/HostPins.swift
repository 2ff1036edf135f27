import Foundation

/// The pinned keys of each host.
struct HostPins: Sendable {
  /// The pins by host, by `*.` and a domain, or by `*`.
  private let keys: [String: [String]]

  /// - Throws: A `client` error if a host or a pin is invalid, so that the error does not wait for the first request.
  init(_ pinned: [String: [String]]) throws(NetworkError) {
    var keys: [String: [String]] = [:]
    for (host, pins) in pinned {
      for pin in pins where Data(base64Encoded: pin)?.count != 32 {
        throw HostPins.refusal("\(pin.debugDescription) is not a SHA-256 digest in Base64")
      }
      var name = Origin(host: host).host
      if name.hasSuffix("."), name != "*." { name.removeLast() }
      let bare = name.hasPrefix("*.") ? name.dropFirst(2) : name[...]
      guard name == "*" || Origin("https://\(bare.contains(":") ? "[\(bare)]" : bare)")?.host == String(bare) else {
        throw HostPins.refusal("\(host.debugDescription) is not a host name that can be pinned")
      }
      guard keys.updateValue(pins, forKey: name) == nil else {
        throw HostPins.refusal("\(host.debugDescription) is pinned twice")
      }
    }
    self.keys = keys
  }

  var isEmpty: Bool { keys.isEmpty }

  /// The pins of any host, to check whether a transport supports pinning.
  var first: [String]? { keys.values.first { !$0.isEmpty } }

  /// The pins for a URL; `nil` if its host may have any key.
  subscript(_ url: URL) -> [String]? { Origin(url).flatMap { self[host: $0.host] } }

  /// The pins of a host in lower case without brackets; `nil` if it may have any key.
  subscript(host host: String) -> [String]? {
    // A trailing dot denotes the same host, which must have the same keys.
    let host = host.hasSuffix(".") ? String(host.dropLast()) : host
    let pins = keys[host] ?? ofDomain(of: host) ?? keys["*"]
    return pins?.isEmpty == false ? pins : nil
  }

  private func ofDomain(of host: String) -> [String]? {
    var rest = host[...]
    while let dot = rest.firstIndex(of: ".") {
      rest = rest[rest.index(after: dot)...]
      if let pins = keys["*." + rest] { return pins }
    }
    return nil
  }

  private static func refusal(_ reason: String) -> NetworkError {
    NetworkError(.invalidTransport, reason: reason)
  }
}
