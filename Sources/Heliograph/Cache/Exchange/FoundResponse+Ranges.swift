import Foundation

extension FoundResponse {
  /// The position of the first stored byte in the representation.
  var firstByte: Int { response.range?.first ?? 0 }

  /// The length of the whole representation.
  var length: Int { response.range?.length ?? body.byteCount }

  /// Returns the requested byte range of the representation; `nil` if no range is requested or it is not stored.
  func storedRange(for request: HTTPRequest) -> Range<Int>? {
    guard [200, 206].contains(response.head.statusCode), allowsRange(of: request),
      let part = request.headers["Range"].flatMap({ ByteRange.parse($0, length: length) })
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

  /// Joins a stored beginning with the rest from the server; returns head and beginning, or `nil` if they do not fit.
  ///
  /// RFC 9111 §3.4, RFC 9110 §15.3.7.3.
  func completed(by received: CachedHead, _ head: HTTPResponse) -> (HTTPResponse, beginning: Data)? {
    guard received.statusCode == 206, !received.isEncoded, let range = ContentRange(received.headers),
      let stored = response.range, let length = stored.length, range.length == length,
      range.first == stored.last + 1, range.last == length - 1, case .data(let beginning) = body,
      received.hasStrongTag(of: response.head)
    else { return nil }
    var whole = head
    whole.statusCode = 200
    whole.headers["Content-Range"] = nil
    whole.headers["Content-Length"] = String(length)
    return (whole, beginning)
  }

  /// Joins a stored range with a new one; returns `nil` unless they overlap or adjoin in one representation.
  ///
  /// RFC 9111 §3.4. Both must have the same strong entity tag.
  func joined(with new: StoredResponse, _ newBody: Data) -> (StoredResponse, Data)? {
    guard case .data(let body) = self.body, new.head.hasStrongTag(of: response.head), let range = new.range,
      range.last - range.first + 1 == newBody.count
    else { return nil }
    guard let stored = response.range else { return (response, body) }
    guard stored.length == range.length, range.first <= stored.last + 1, stored.first <= range.last + 1,
      stored.last - stored.first + 1 == body.count
    else { return nil }
    let first = min(stored.first, range.first)
    var data = Data(count: max(stored.last, range.last) - first + 1)
    data.replaceSubrange(stored.first - first..<stored.last - first + 1, with: body)
    data.replaceSubrange(range.first - first..<range.last - first + 1, with: newBody)
    var result = new
    result.range = ContentRange(first: first, last: first + data.count - 1, length: range.length)
    if data.count == range.length {
      result.range = nil
      result.head.statusCode = 200
      result.head.headers["Content-Range"] = nil
      result.head.headers["Content-Length"] = String(data.count)
    }
    return (result, data)
  }
}

extension CachedHead {
  /// Whether both heads have the same strong entity tag.
  fileprivate func hasStrongTag(of other: CachedHead) -> Bool {
    guard let tag = entityTag, let otherTag = other.entityTag else { return false }
    return tag.matchesStrongly(otherTag)
  }
}
