import Foundation
import Signals

extension CacheExchange {
  /// The size of a piece of a body from disk.
  private static let pieceByteCount = 65_536

  /// Continues where files are read, if the body is in one: other exchanges of the transport must not wait for that.
  func reading(_ found: FoundResponse, _ action: @escaping @Sendable () -> Void) {
    guard case .disk = found.body else { return action() }
    transport.scheduler.schedule { [self] in if !isDisposed { action() } }
  }

  /// Delivers a stored response.
  func serve(_ found: FoundResponse, _ source: ResponseSource) {
    var head = found.head(at: cache.now(), source)
    var range = 0..<found.body.byteCount
    if request.headers.isConditional,
      Precondition.isNotModified(request: request.headers, stored: found.response.head) == true
    {
      head = head.notModified
      range = 0..<0
    } else if policy.isHTTP, let part = part(of: found) {
      head = head.partial(part, of: found)
      range = part.lowerBound - found.firstByte..<part.upperBound - found.firstByte
    }
    if policy.isHTTP, head.statusCode == 200, isUnsatisfiable(for: found) {
      head = head.unsatisfiable(found.body.byteCount)
      range = 0..<0
    }
    if request.method == .head { range = 0..<0 }
    guard let pieces = found.pieces(range, CacheExchange.pieceByteCount) else {
      cache.remove(found.name)
      return miss(.corrupt)
    }
    if case .cache(let age) = source {
      cache.counters.change { $0.hitCount += 1 }
      observe(.hit(age: age))
    }
    // A request for the cache alone changes nothing: the response may be right for a reader of another type.
    if policy.mode != .onlyIfCached {
      attempt?.decision?.offer(StoredCandidate(cache: cache, name: found.name), isStored: true)
    }
    observer.send(.source(source))
    observer.send(.head(head))
    deliver(pieces)
  }

  /// Delivers the pieces of a body, and waits while the consumer has too many of them.
  private func deliver(_ pieces: BodyPieces) {
    var pieces = pieces
    while !observer.isDisposed {
      guard let piece = pieces.next() else {
        if pieces.hasFailed {
          return observer.fail(
            NetworkError(.connectionLost, reason: "the stored body cannot be read", request: request))
        }
        if let metrics = state.withLock({ $0.metrics }) { observer.send(.metrics(metrics)) }
        return observer.complete()
      }
      observer.send(.body(piece))
      if let pressure = observer.pressure, pressure.isHigh {
        let rest = pieces
        return pressure.whenLow { [self] in transport.scheduler.schedule { self.deliver(rest) } }
      }
    }
  }
}

extension FoundResponse {
  /// The position of the first stored byte in the representation.
  var firstByte: Int { response.range?.first ?? 0 }

  /// Returns the head as it is delivered, with its age (RFC 9111 §4).
  func head(at now: Date, _ source: ResponseSource) -> HTTPResponse {
    var headers = response.head.headers
    if case .cache(let age) = source {
      headers = headers.withoutFields(of: CacheControl(headers))
      headers["Age"] = String(max(0, age.components.seconds))
    }
    return HTTPResponse(statusCode: response.head.statusCode, headers: headers, url: response.url)
  }

  /// Returns the pieces of a part of the body; `nil` if the stored body is damaged.
  func pieces(_ range: Range<Int>, _ size: Int) -> BodyPieces? {
    if case .disk(let entry) = body, !range.isEmpty, !entry.verify() { return nil }
    return BodyPieces(body: body, rest: range, size: size)
  }
}

extension HTTPResponse {
  /// The head of a 304 in place of the stored response (RFC 9110 §15.4.5).
  fileprivate var notModified: HTTPResponse {
    var head = self
    head.statusCode = 304
    head.headers["Content-Length"] = nil
    return head
  }

  /// Returns the head of a 416 for a representation with a length.
  fileprivate func unsatisfiable(_ length: Int) -> HTTPResponse {
    var head = self
    head.statusCode = 416
    head.headers["Content-Range"] = "bytes */\(length)"
    head.headers["Content-Length"] = "0"
    return head
  }

  /// Returns the head of a 206 with a part of the stored response (RFC 9110 §15.3.7).
  fileprivate func partial(_ part: Range<Int>, of found: FoundResponse) -> HTTPResponse {
    var head = self
    head.statusCode = 206
    let length = found.response.range?.length ?? found.body.byteCount
    let range = ContentRange(first: part.lowerBound, last: part.upperBound - 1, length: length)
    head.headers["Content-Range"] = range?.text
    head.headers["Content-Length"] = String(part.count)
    return head
  }
}

/// The pieces of a stored body, read one after another.
struct BodyPieces: Sendable {
  fileprivate let body: StoredBody
  fileprivate var rest: Range<Int>
  fileprivate let size: Int
  /// Whether the file could not be read any further.
  private(set) var hasFailed = false

  fileprivate init(body: StoredBody, rest: Range<Int>, size: Int) {
    self.body = body
    self.rest = rest
    self.size = size
  }

  /// Returns the next piece; `nil` at the end.
  mutating func next() -> Data? {
    if rest.isEmpty { return nil }
    switch body {
    case .data(let data):
      defer { rest = rest.upperBound..<rest.upperBound }
      return rest.count == data.count ? data : data.subdata(in: rest)
    case .disk(let entry):
      guard let piece = entry.read(at: rest.lowerBound, count: min(size, rest.count)), !piece.isEmpty else {
        hasFailed = true
        return nil
      }
      rest = rest.lowerBound + piece.count..<rest.upperBound
      return piece
    }
  }
}

/// A response from the cache, which is removed if it turns out to be unreadable.
struct StoredCandidate: StoreCandidate {
  let cache: ResponseCache
  let name: EntryName

  func commit() {}
  func discard() { cache.remove(name) }
}
