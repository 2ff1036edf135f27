import Foundation

struct HostPins: Sendable {
  /// The pins by host, by `*.` and a domain, or by `*`.
  private let keys: [String: [String]]

  /// - Throws: A `client` error if a host or a pin is invalid, so that the error does not wait for the first request.
  init(_ pinned: [String: [String]]) throws(NetworkError) {
    var keys: [String: [String]] = [:]
    for (host, pins) in pinned {
      for pin in pins where Data(base64Encoded: pin)?.count != 32 {
        throw HostPins.invalidPins("\(pin.debugDescription) is not a SHA-256 digest in Base64")
      }
      var name = Origin(host: host).host
      if name.hasSuffix("."), name != "*." { name.removeLast() }
      let baseName = name.hasPrefix("*.") ? name.dropFirst(2) : name[...]
      let address = baseName.contains(":") ? "[\(baseName)]" : String(baseName)
      guard name == "*" || Origin("https://\(address)")?.host == String(baseName) else {
        throw HostPins.invalidPins("\(host.debugDescription) is not a host name that can be pinned")
      }
      guard keys.updateValue(pins, forKey: name) == nil else {
        throw HostPins.invalidPins("\(host.debugDescription) is pinned twice")
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
    let pins = keys[host] ?? wildcardPins(of: host) ?? keys["*"]
    return pins?.isEmpty == false ? pins : nil
  }

  private func wildcardPins(of host: String) -> [String]? {
    var domain = host[...]
    while let dot = domain.firstIndex(of: ".") {
      domain = domain[domain.index(after: dot)...]
      if let pins = keys["*." + domain] { return pins }
    }
    return nil
  }

  private static func invalidPins(_ reason: String) -> NetworkError {
    NetworkError(.invalidTransport, reason: reason)
  }
}
