import Foundation

/// The pinned keys of each host, as libcurl takes them.
struct HostPins {
  /// By host, or by `*.` and a domain, or `*`.
  private let options: [String: String]

  /// - Throws: a `client` error if a host is none, or a pin is none: better now than with the first request.
  init(_ keys: [String: [String]]) throws(NetworkError) {
    var options: [String: String] = [:]
    for (host, pins) in keys {
      for pin in pins where Data(base64Encoded: pin)?.count != 32 {
        throw HostPins.refusal("\(pin.debugDescription) is no SHA-256 hash in base 64")
      }
      var name = Origin(host: host).host
      if name.hasSuffix("."), name != "*." { name.removeLast() }
      let bare = name.hasPrefix("*.") ? name.dropFirst(2) : name[...]
      guard name == "*" || Origin("https://\(bare.contains(":") ? "[\(bare)]" : bare)")?.host == String(bare) else {
        throw HostPins.refusal("\(host.debugDescription) is no host whose key could be pinned")
      }
      guard options.updateValue(pins.map { "sha256//" + $0 }.joined(separator: ";"), forKey: name) == nil else {
        throw HostPins.refusal("\(host.debugDescription) is pinned twice")
      }
    }
    self.options = options
  }

  var isEmpty: Bool { options.isEmpty }

  /// The value for some host, by which it shows whether libcurl can pin at all.
  var first: String? { options.values.first { !$0.isEmpty } }

  /// The value of `CURLOPT_PINNEDPUBLICKEY` for an address; `nil` if its host may have any key.
  subscript(_ url: URL) -> String? {
    guard var host = Origin(url)?.host else { return nil }
    // With a dot at its end it is the same host, and has to have the same keys.
    if host.hasSuffix(".") { host.removeLast() }
    let option = options[host] ?? ofDomain(of: host) ?? options["*"]
    return option?.isEmpty == false ? option : nil
  }

  private func ofDomain(of host: String) -> String? {
    var rest = host[...]
    while let dot = rest.firstIndex(of: ".") {
      rest = rest[rest.index(after: dot)...]
      if let option = options["*." + rest] { return option }
    }
    return nil
  }

  private static func refusal(_ reason: String) -> NetworkError { NetworkError(.client, .badTransport, reason: reason) }
}
