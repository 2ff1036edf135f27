import Foundation

struct CacheKey: Sendable, Hashable {
  /// The whole key, which is stored with the response and compared at each lookup.
  let text: String
  /// The name of the entry: hashes of the key and of its components.
  let name: EntryName
  /// Whether unsafe requests invalidate the response: only that to a `GET` without a body.
  let isInvalidatable: Bool
  /// The length of the key, without account and environment.
  private let sharedByteCount: Int

  /// The hash of the key without account and environment.
  var sharedHash: UInt64 { String(decoding: text.utf8.prefix(sharedByteCount), as: UTF8.self).checksum() }

  /// Creates the key of a request; `nil` if its body cannot be part of a key, such as a file.
  init?(_ request: HTTPRequest, method: HTTPMethod? = nil) {
    // The stored response to a `GET` also serves `HEAD`.
    let context = request.context.cache
    let method = (method ?? request.method).rawValue
    let ignored = context?.ignoredParameters ?? []
    let address = request.url.cacheAddress(ignoring: ignored)
    var text = ""
    text.reserveCapacity(address.utf8.count + 64)
    text.appendComponent(method)
    text.appendComponent(address)
    text.appendComponent(context?.service ?? "")
    guard let digest = request.bodyDigest(ignoring: ignored) else { return nil }
    // A `GET` rarely has a body: its key omits the empty digest.
    if !digest.isEmpty || method != "GET" && method != "HEAD" { text.appendComponent(digest) }
    if let host = request.hostOverride { text.appendComponent("host " + host) }
    if case .stop = request.redirects { text.appendComponent("redirects delivered") }
    if context?.isSigned == true { text.appendComponent("signed") }
    let sharedByteCount = text.utf8.count
    // A client without accounts compares credentials, and must not get what a client with accounts has stored while
    // nobody was signed in.
    text.appendComponent(context?.account.map { "=" + $0 } ?? (context?.hasAccounts == true ? "-" : ""))
    text.appendComponent(context?.environment.map { "=" + $0 } ?? "")
    self.init(
      text, sharedByteCount, isInvalidatable: method == "GET" && digest.isEmpty,
      EntryName(
        account: CacheKey.shortHash(context?.account), environment: CacheKey.shortHash(context?.environment),
        service: CacheKey.shortHash(context?.service), api: CacheKey.apiHash(method, address), keyHigh: 0, keyLow: 0))
  }

  private init(_ text: String, _ sharedByteCount: Int, isInvalidatable: Bool, _ name: EntryName) {
    self.text = text
    self.sharedByteCount = sharedByteCount
    self.isInvalidatable = isInvalidatable
    var name = name
    name.keyHigh = text.checksum()
    name.keyLow = text.checksum(seed: 0x9E37_79B9_7F4A_7C15)
    self.name = name
  }

  /// Returns the key of a variant, by the values of the fields that `Vary` names and the epoch of the list of variants.
  func variant(_ epoch: UInt64, _ values: [String]) -> CacheKey {
    var text = text
    text.appendComponent(String(epoch))
    // Hashed, because they may be secret, such as cookies.
    var joined = ""
    for value in values { joined.appendComponent(value) }
    text.appendComponent(SHA256.hash(Data(joined.utf8)).hexadecimal)
    return CacheKey(text, sharedByteCount, isInvalidatable: isInvalidatable, name)
  }

  /// Returns the hash of an account, an environment or a service, by which its responses are removed; 0 for `nil`.
  static func shortHash(_ text: String?) -> UInt32 {
    text.map { shortHash($0.checksum()) } ?? 0
  }

  /// Returns the hash of an API: the method and the URL without its query.
  static func apiHash(_ request: HTTPRequest) -> UInt32 {
    apiHash(request.method.rawValue, request.url.cacheAddress(ignoring: []))
  }

  private static func apiHash(_ method: String, _ address: String) -> UInt32 {
    var (start, address) = (method + " ", address)
    var hasher = XXH64()
    start.withUTF8 { hasher.update(UnsafeRawBufferPointer($0)) }
    address.withUTF8 { bytes in
      let path = bytes[..<(bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex)]
      hasher.update(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: path)))
    }
    return shortHash(hasher.value)
  }

  private static func shortHash(_ checksum: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: checksum) | 1 }
}

extension String {
  /// Returns a hash of the text that is the same in every process, unlike `hashValue`.
  fileprivate func checksum(seed: UInt64 = 0) -> UInt64 {
    var text = self
    return text.withUTF8 { XXH64.checksum(of: UnsafeRawBufferPointer($0), seed: seed) }
  }
}

extension HTTPRequest {
  /// Returns a digest of the body and its media type; empty without a body, `nil` for a file or a stream.
  fileprivate func bodyDigest(ignoring names: Set<String>) -> String? {
    switch body {
    case .empty: return ""
    case .data(let data):
      if data.isEmpty { return "" }
      let type = headers["Content-Type"] ?? ""
      let isForm = type.loweredASCII.hasPrefix("application/x-www-form-urlencoded")
      // As bytes: an older server's form may have another encoding than UTF-8.
      let content = isForm && !names.isEmpty ? Data(data.droppingPairs(names)) : data
      return SHA256.hash(content).hexadecimal + type
    case .file, .stream: return nil
    }
  }

  /// The `Host` field of the request, in lower case, if it names another host than the URL.
  fileprivate var hostOverride: String? {
    guard let host = headers["Host"]?.loweredASCII else { return nil }
    let name = url.host?.loweredASCII ?? ""
    return host == (url.port.map { "\(name):\($0)" } ?? name) ? nil : host
  }
}

extension URL {
  /// Returns the URL without its fragment and the ignored query parameters.
  package func cacheAddress(ignoring names: Set<String>) -> String {
    var text = absoluteString
    if let end = text.utf8.firstIndex(of: UInt8(ascii: "#")) { text = String(text[..<end]) }
    guard !names.isEmpty, let questionMark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return text }
    let query = text[text.index(after: questionMark)...].utf8.droppingPairs(names)
    if query.isEmpty { return String(text[..<questionMark]) }
    return text[...questionMark] + String(decoding: query, as: UTF8.self)
  }
}

extension Collection<UInt8> {
  /// Returns the bytes of a query or form without the pairs of the given names.
  fileprivate func droppingPairs(_ names: Set<String>) -> [UInt8] {
    let pairs = split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).filter { pair in
      let name = String(decoding: pair.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
      return !names.contains(name.removingPercentEncoding ?? name)
    }
    return Array(pairs.joined(separator: CollectionOfOne(UInt8(ascii: "&"))))
  }
}

extension HTTPRequest {
  /// Returns the header fields that select a variant, including the cookies that are added below the cache.
  func selectingFields(_ names: [String]) -> HTTPHeaders {
    guard names.contains("cookie"), headers["Cookie"] == nil, let cookie = binding.jar?.field(for: self) else {
      return headers
    }
    var headers = headers
    headers["Cookie"] = cookie
    return headers
  }

  /// The maximum number of redirects that may have led to a stored response.
  var storedRedirectLimit: Int {
    switch redirects?.rule {
    case .follow(let limit): max(limit ?? context.cache?.redirectLimit ?? .max, 0)
    case .decide: 0
    default: .max
    }
  }
}
