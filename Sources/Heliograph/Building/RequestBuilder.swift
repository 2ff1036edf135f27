public import Foundation

/// Makes a wish into a request for the wire: pure, synchronous, and the same for the same input.
///
/// What cannot be sent safely is refused here, with a `client` error, before anything goes out.
public struct RequestBuilder: Sendable {
  /// What relative paths are below.
  public var baseURL: URL?
  /// Header fields of every request that does not set them itself.
  public var headers: HTTPHeaders
  /// How long an exchange may be silent, if the request does not say.
  public var timeout: Duration
  /// What is refused as too much of a response.
  ///
  /// Default: see ``ResponseLimits``.
  public var limits = ResponseLimits()

  /// Makes a builder.
  ///
  /// - Parameters:
  ///   - baseURL: what relative paths are below. Default: none, so only absolute addresses work.
  ///   - headers: header fields of every request. Default: none.
  ///   - timeout: how long an exchange may be silent. Default: 60 seconds.
  public init(baseURL: URL? = nil, headers: HTTPHeaders = [:], timeout: Duration = .seconds(60)) {
    self.baseURL = baseURL
    self.headers = headers
    self.timeout = timeout
  }

  /// Builds a request.
  ///
  /// - Parameter convertible: what the caller wants.
  /// - Returns: the request for the wire.
  /// - Throws: a `client` error with the code ``NetworkError/Code/badURL``, `badMethod`, `badHeader` or `badBody`.
  public func build(_ convertible: some RequestConvertible) throws(NetworkError) -> HTTPRequest {
    let request = try convertible.asRequest()
    let url = try join(request)
    let (body, contentType) = try encode(request.body)
    var headers = headers
    headers.merge(request.headers)
    if let contentType, headers["Content-Type"] == nil { headers["Content-Type"] = contentType }
    let built = HTTPRequest(
      method: request.method, url: url, headers: headers, body: body, timeout: request.timeout ?? timeout,
      limits: limits)
    try built.check()
    return built
  }

  private func encode(_ body: RequestBody) throws(NetworkError) -> (HTTPBody, contentType: String?) {
    switch body {
    case .empty: return (.empty, nil)
    case .data(let data, let contentType): return (.data(data), contentType)
    case .json(let value):
      do {
        let encoder = JSONEncoder()
        // Sorted, so that the same value gives the same bytes.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (.data(try encoder.encode(value)), "application/json")
      } catch {
        throw NetworkError(.client, .badBody, reason: "the body cannot be encoded", underlying: error)
      }
    }
  }

  private func join(_ request: Request) throws(NetworkError) -> URL {
    if request.query.isEmpty, let url = request.path.plainAddress { return url }
    guard var parts = try address(of: request.path) else {
      throw NetworkError(.client, .badURL, reason: "\(request.path.debugDescription) is no address")
    }
    guard let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
      throw NetworkError(.client, .badURL, reason: "the scheme of \(request.path.debugDescription) is not HTTP")
    }
    guard let host = parts.host, !host.isEmpty else {
      throw NetworkError(.client, .badURL, reason: "\(request.path.debugDescription) has no host")
    }
    if !request.query.isEmpty {
      parts.percentEncodedQueryItems = (parts.percentEncodedQueryItems ?? []) + request.query.map(\.percentEncoded)
    }
    // A fragment is the caller's own affair and never sent. RFC 9110 §4.2.5.
    parts.fragment = nil
    if parts.percentEncodedPath.isEmpty { parts.percentEncodedPath = "/" }
    guard let url = parts.url else {
      throw NetworkError(.client, .badURL, reason: "\(request.path.debugDescription) is no address")
    }
    return url
  }

  /// An absolute address as it is; a path below the base address, joined with one slash.
  private func address(of path: String) throws(NetworkError) -> URLComponents? {
    guard !path.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }), path.hasSoundEscapes else { return nil }
    guard let own = URLComponents(string: path) else { return nil }
    if own.scheme != nil { return own }
    guard let baseURL else {
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

extension URLQueryItem {
  /// Everything but the unreserved characters (RFC 3986 §2.3) as `%XX`, so that `+`, `&` and `=` arrive as they are.
  fileprivate var percentEncoded: URLQueryItem {
    URLQueryItem(name: name.percentEncoded, value: value?.percentEncoded)
  }
}

extension String {
  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

  /// Whether two hexadecimal digits follow each percent sign; `URLComponents` would escape a lone one.
  ///
  /// RFC 3986 §2.1.
  fileprivate var hasSoundEscapes: Bool {
    split(separator: "%", omittingEmptySubsequences: false).dropFirst().allSatisfy { part in
      part.utf8.count >= 2 && part.utf8.prefix(2).allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }
  }

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

  /// RFC 3986 §2.1.
  fileprivate var percentEncoded: String { addingPercentEncoding(withAllowedCharacters: String.unreserved) ?? "" }
}
