import Foundation

extension FoundResponse {
  /// Returns the head and the bytes of the body to deliver for a request (RFC 9111 §4).
  func reply(to request: HTTPRequest, from source: ResponseSource) -> (head: HTTPResponse, bytes: Range<Int>) {
    var head = HTTPResponse(
      statusCode: response.head.statusCode, headers: response.head.headers, url: response.url)
    if case .cache(let age) = source {
      head.headers = head.headers.withoutFields(of: CacheControl(head.headers))
      head.headers["Age"] = String(max(0, age.components.seconds))
    }
    var bytes = 0..<body.byteCount
    if request.headers.isConditional,
      Precondition.isNotModified(request: request.headers, stored: response.head) == true
    {
      // RFC 9110 §15.4.5.
      head.statusCode = 304
      head.headers["Content-Length"] = nil
      bytes = 0..<0
    } else if request.cachePolicy.isHTTP, let range = storedRange(for: request) {
      // RFC 9110 §15.3.7.
      head.statusCode = 206
      let field = ContentRange(first: range.lowerBound, last: range.upperBound - 1, length: length)
      head.headers["Content-Range"] = field?.text
      head.headers["Content-Length"] = String(range.count)
      if range.count != length { head.headers.removeDigestsOfContent() }
      bytes = range.lowerBound - firstByte..<range.upperBound - firstByte
    } else if request.cachePolicy.isHTTP, isUnsatisfiable(for: request) {
      head.statusCode = 416
      head.headers["Content-Range"] = "bytes */\(length)"
      head.headers["Content-Length"] = "0"
      head.headers.removeDigestsOfContent()
      bytes = 0..<0
    }
    return (head, request.method == .head ? 0..<0 : bytes)
  }
}

extension StoredBody {
  var isIntact: Bool { if case .disk(let entry) = self { entry.verify() } else { true } }

  /// Returns the first bytes of a range, at most 64 KiB from a file; `nil` if the file cannot be read.
  func piece(of bytes: Range<Int>) -> Data? {
    switch self {
    case .data(let data): return bytes.count == data.count ? data : data.subdata(in: bytes)
    case .disk(let entry):
      let piece = entry.read(at: bytes.lowerBound, count: min(65_536, bytes.count))
      return piece?.isEmpty == true ? nil : piece
    }
  }
}

extension FoundResponse {
  /// The position of the first stored byte in the representation.
  var firstByte: Int { response.range?.first ?? 0 }

  var length: Int { response.range?.length ?? body.byteCount }

  /// Returns the requested byte range of the representation; `nil` if no range is requested or it is not stored.
  func storedRange(for request: HTTPRequest) -> Range<Int>? {
    guard [200, 206].contains(response.head.statusCode), allowsRange(of: request),
      let part = request.headers["Range"].flatMap({ ByteRange($0)?.resolved(length: length) })
    else { return nil }
    let stored = firstByte..<firstByte + body.byteCount
    return stored.contains(part.lowerBound) && part.upperBound <= stored.upperBound ? part : nil
  }

  /// Whether a request asks for a range outside of a complete representation (RFC 9110 §15.5.17).
  func isUnsatisfiable(for request: HTTPRequest) -> Bool {
    guard response.range == nil, response.head.statusCode == 200, allowsRange(of: request),
      let range = request.headers["Range"].flatMap({ ByteRange($0) })
    else { return false }
    return range.resolved(length: body.byteCount) == nil
  }

  private func allowsRange(of request: HTTPRequest) -> Bool {
    request.method == .get && !response.head.isEncoded
      && response.head.allowsRange(ifRange: request.headers["If-Range"])
  }

  /// Joins a stored beginning with the rest from the server (RFC 9111 §3.4, RFC 9110 §15.3.7.3); returns head and
  /// beginning, or `nil` if they do not fit.
  func completed(by received: CachedHead, _ head: HTTPResponse) -> (HTTPResponse, beginning: Data)? {
    guard received.statusCode == 206, !received.isEncoded, let range = ContentRange(received.headers),
      let stored = response.range, let length = stored.length, range.length == length,
      range.first == stored.last + 1, range.last == length - 1, case .data(let beginning) = body,
      received.hasStrongTag(of: response.head)
    else { return nil }
    var whole = head
    whole.statusCode = 200
    // A 206 to `If-Range` need not repeat the fields of the beginning.
    whole.headers = response.head.updated(by: received).headers
    whole.headers["Content-Range"] = nil
    whole.headers["Content-Length"] = String(length)
    whole.headers.removeDigestsOfContent()
    return (whole, beginning)
  }

  /// Joins a stored range with a new one of the same strong entity tag (RFC 9111 §3.4); returns `nil` unless they
  /// overlap or adjoin.
  func joined(with new: StoredResponse, _ newBody: Data) -> (StoredResponse, Data)? {
    guard case .data(let body) = self.body, new.head.hasStrongTag(of: response.head), let range = new.range,
      range.last - range.first + 1 == newBody.count, let stored = response.range, stored.length == range.length,
      range.first <= stored.last + 1, stored.first <= range.last + 1, stored.last - stored.first + 1 == body.count
    else { return nil }
    let first = min(stored.first, range.first)
    var data = Data(count: max(stored.last, range.last) - first + 1)
    data.replaceSubrange(stored.first - first..<stored.last - first + 1, with: body)
    data.replaceSubrange(range.first - first..<range.last - first + 1, with: newBody)
    let isWhole = data.count == range.length
    var result = new
    result.range = isWhole ? nil : ContentRange(first: first, last: first + data.count - 1, length: range.length)
    result.variesBelowCache = new.variesBelowCache || response.variesBelowCache
    result.head = response.head.updated(by: new.head)
    result.head.statusCode = isWhole ? 200 : 206
    result.head.headers["Content-Range"] = result.range?.text
    result.head.headers["Content-Length"] = String(data.count)
    result.head.headers.removeDigestsOfContent()
    return (result, data)
  }
}

extension CachePlan.Delivery {
  /// Whether a file must be read, or rewritten with the head that has confirmed the response.
  func usesFiles(of cache: ResponseCache) -> Bool {
    if confirmation != nil, cache.disk != nil { return true }
    if case .disk = found.body { return true }
    return false
  }
}

extension HTTPHeaders {
  /// Removes the digests of a message's content (RFC 9530 §2), which differ for each part.
  mutating func removeDigestsOfContent() {
    for name in ["Content-Digest", "Content-MD5"] { self[name] = nil }
  }
}

extension CachedHead {
  /// Whether both heads have the same strong entity tag.
  func hasStrongTag(of other: CachedHead) -> Bool {
    guard let tag = entityTag, let otherTag = other.entityTag else { return false }
    return tag.matchesStrongly(otherTag)
  }
}

/// A response served from the cache; if its reader rejects it, it is removed, unless a newer one replaced it meanwhile.
struct CacheHitCandidate: StoreCandidate {
  let cache: ResponseCache
  let found: FoundResponse

  func commit() {}
  func reject() { cache.remove(found.name, unlessNewerThan: found.response.head.requestedAt) }
}
