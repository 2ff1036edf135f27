import Foundation
import Signals

extension CacheExchange {
  /// Returns the part of the representation that the request asks for and the entry has; `nil` to deliver all of it.
  func part(of found: FoundResponse) -> Range<Int>? {
    let head = found.response.head
    guard let field = request.headers["Range"], request.method == .get, [200, 206].contains(head.statusCode),
      !head.isCoded, head.allowsRange(ifRange: request.headers["If-Range"])
    else { return nil }
    let length = found.response.range.flatMap(\.length) ?? found.body.byteCount
    guard let part = ByteRange.parse(field, length: length) else { return nil }
    let stored = found.firstByte..<found.firstByte + found.body.byteCount
    return stored.contains(part.lowerBound) && part.upperBound <= stored.upperBound ? part : nil
  }

  /// Whether the request asks for a part that a complete representation does not have (RFC 9110 §15.5.17).
  func isUnsatisfiable(for found: FoundResponse) -> Bool {
    let head = found.response.head
    guard found.response.range == nil, head.statusCode == 200, !head.isCoded, request.method == .get,
      let range = request.headers["Range"].flatMap({ ByteRange($0) }),
      head.allowsRange(ifRange: request.headers["If-Range"])
    else { return false }
    return range.resolved(length: found.body.byteCount) == nil
  }

  /// Delivers a stored beginning and the rest from the server as one response; returns `false` if they do not fit.
  ///
  /// RFC 9111 §3.4, RFC 9110 §15.3.7.3.
  func complete(_ found: FoundResponse, with head: HTTPResponse) -> Bool {
    guard head.statusCode == 206, let range = ContentRange(head.headers),
      let stored = found.response.range, let length = stored.length, range.length == length,
      range.first == stored.last + 1, range.last == length - 1, case .data(let beginning) = found.body,
      received(head).hasStrongTag(of: found.response.head), !received(head).isCoded
    else { return false }
    var whole = head
    whole.statusCode = 200
    whole.headers["Content-Range"] = nil
    whole.headers["Content-Length"] = String(length)
    let isShared = state.withLock { state in
      state.hasDelivered = true
      return state.isShared
    }
    record(whole, isShared: isShared)
    state.withLock { $0.recorder }?.add(beginning)
    observer.send(.head(whole))
    observer.send(.body(beginning))
    return true
  }
}

extension FoundResponse {
  /// Returns a stored part together with a new one; `nil` if they are not adjoining parts of one representation.
  ///
  /// RFC 9111 §3.4. Both must have the same strong entity tag.
  func joined(with new: StoredResponse, _ part: Data) -> (StoredResponse, Data)? {
    guard case .data(let body) = self.body, new.head.hasStrongTag(of: response.head), let range = new.range,
      range.last - range.first + 1 == part.count
    else { return nil }
    guard let stored = response.range else { return (response, body) }
    guard stored.length == range.length, range.first <= stored.last + 1, stored.first <= range.last + 1,
      stored.last - stored.first + 1 == body.count
    else { return nil }
    let first = min(stored.first, range.first)
    var data = Data(count: max(stored.last, range.last) - first + 1)
    data.replaceSubrange(stored.first - first..<stored.last - first + 1, with: body)
    data.replaceSubrange(range.first - first..<range.last - first + 1, with: part)
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
