import Foundation

extension RequestBuilder {
  /// The address that a path means; without fragment, and with a path of at least `/`.
  func address(of path: String, for wish: ServiceRequest) throws(NetworkError) -> URL {
    if let url = path.plainAddress { return url }
    guard var parts = try components(of: path, for: wish) else {
      throw NetworkError(.client, .badURL, reason: "\(path.debugDescription) is no address")
    }
    guard let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
      throw NetworkError(.client, .badURL, reason: "the scheme of \(path.debugDescription) is not HTTP")
    }
    guard let host = parts.host, !host.isEmpty else {
      throw NetworkError(.client, .badURL, reason: "\(path.debugDescription) has no host")
    }
    // A fragment is the caller's own affair and never sent. RFC 9110 §4.2.5.
    parts.fragment = nil
    if parts.percentEncodedPath.isEmpty { parts.percentEncodedPath = "/" }
    guard let url = parts.url else {
      throw NetworkError(.client, .badURL, reason: "\(path.debugDescription) is no address")
    }
    return url
  }

  /// An absolute address as it is; a path below the base address, joined with one slash.
  private func components(of path: String, for wish: ServiceRequest) throws(NetworkError) -> URLComponents? {
    guard !path.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }), path.hasSoundEscapes else { return nil }
    guard let own = URLComponents(string: path.escapedBehindHost) else { return nil }
    if own.scheme != nil { return own }
    guard let baseURL = try wish.base(or: baseURL) else {
      throw NetworkError(
        .client, .badURL, reason: "\(path.debugDescription) is relative, and the client has no base address")
    }
    guard var parts = URLComponents(url: baseURL, resolvingAgainstBaseURL: true), own.host == nil else { return nil }
    var base = parts.percentEncodedPath
    while base.hasSuffix("/") { base.removeLast() }
    let tail = own.percentEncodedPath
    parts.percentEncodedPath = tail.isEmpty ? base : base + (tail.hasPrefix("/") ? "" : "/") + tail
    let queries = [parts.percentEncodedQuery, own.percentEncodedQuery].compactMap { $0 }.filter { !$0.isEmpty }
    parts.percentEncodedQuery = queries.isEmpty ? nil : queries.joined(separator: "&")
    return parts
  }
}

extension String {
  /// What is plainly an absolute address, with a host, a path and nothing out of the ordinary: one parse in place of three.
  fileprivate var plainAddress: URL? {
    guard hasPrefix("http://") || hasPrefix("https://") else { return nil }
    var slashCount = 0
    var isPort = false
    var previous: UInt8 = 0
    for byte in utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): break
      case UInt8(ascii: "/"):
        slashCount += 1
        // Before the third there has to be a host, and a port if there is a colon.
        if slashCount == 3, previous == UInt8(ascii: "/") || previous == UInt8(ascii: ":") { return nil }
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        if isPort, slashCount == 2 { return nil }
      case UInt8(ascii: ":") where slashCount == 0: break
      case UInt8(ascii: ":") where slashCount == 2 && !isPort && previous != UInt8(ascii: "/"): isPort = true
      default: return nil
      }
      previous = byte
    }
    return slashCount >= 3 ? URL(string: self) : nil
  }
}
