import Foundation
import Signals

/// The recording of one response while it is received.
///
/// A short body is kept in memory until the response is complete; a longer one is written to disk piece by piece. Each
/// request of a shared exchange records a short one, and the first to end stores it: the others may have left. Its methods
/// are called one after another.
final class ResponseRecorder: Sendable {
  private struct State {
    var pieces: [Data] = []
    var byteCount = 0
    var writer: DiskWriter?
    var isDropped = false
  }

  /// The size from which a body is written to disk as it is received.
  private static let writtenByteCount = 262_144

  private let cache: ResponseCache
  private let place: StoragePlace
  private let key: CacheKey
  private let response: StoredResponse
  /// The stored part of the same representation, if the response is another part.
  private let earlier: FoundResponse?
  private let keepsRejected: Bool
  private let invalidations: Int
  /// The number of bytes that the body must have; `nil` if it is unknown.
  private let byteCount: Int?
  /// The log of the exchange, by which one of the requests that share it stores the response.
  private let log: SendLog?
  /// Whether the response belongs to the exchange of another request, which writes a long body to disk.
  private let isShared: Bool
  private let observe: (@Sendable (CacheEvent) -> Void)?
  private let state = Guarded(State())

  init(
    _ cache: ResponseCache, _ place: StoragePlace, _ key: CacheKey, _ response: StoredResponse,
    joining earlier: FoundResponse?, keepsRejected: Bool, since invalidations: Int,
    byteCount: Int?, log: SendLog?, isShared: Bool, _ observe: (@Sendable (CacheEvent) -> Void)?
  ) {
    self.log = log
    self.isShared = isShared
    self.invalidations = invalidations
    self.byteCount = byteCount
    self.cache = cache
    self.place = place
    self.key = key
    self.response = response
    self.earlier = response.range == nil ? nil : earlier
    self.keepsRejected = keepsRejected
    self.observe = observe
  }

  /// Adds the next piece of the body.
  func add(_ piece: Data) {
    let (writer, pieces) = state.withLock { state -> (DiskWriter?, [Data]?) in
      state.byteCount += piece.count
      if state.isDropped { return (nil, nil) }
      if let writer = state.writer { return (writer, [piece]) }
      state.pieces.append(piece)
      let limit = cache.disk == nil ? cache.memoryBodyLimit : ResponseRecorder.writtenByteCount
      return (nil, state.byteCount > limit ? state.pieces : nil)
    }
    guard let pieces else { return }
    let head = StoredHead.response(response)
    // A part is joined with others in memory.
    guard response.range == nil, !isShared,
      let writer = writer ?? cache.disk?.writer(for: place.key.name, head: head.encoded),
      pieces.allSatisfy({ writer.append($0) })
    else { return drop() }
    state.withLock { state in
      state.writer = writer
      state.pieces = []
    }
  }

  /// Stops recording: there is no room, or the body is too long.
  private func drop() {
    let before = state.withLock { state in
      let before = state
      state = State(byteCount: before.byteCount, isDropped: true)
      return before
    }
    withExtendedLifetime(before) {}
    if !isShared { observe?(.notStored("it is too long or the disk is full")) }
  }

  /// Returns the complete response as a candidate; `nil` if it was dropped.
  func finish() -> (any StoreCandidate)? {
    let last = state.withLock { state in
      let last = state
      state = State(isDropped: true)
      return last
    }
    if let byteCount, byteCount != last.byteCount { return nil }
    if last.isDropped {
      // An older response must not outlive this one.
      if !isShared { cache.remove(place.key.name) }
      return nil
    }
    var (response, content) = (response, last.writer.map { RecordedContent.file($0) })
    if content == nil {
      var body = last.pieces.joinedData
      if let earlier, let joined = earlier.joined(with: response, body) { (response, body) = joined }
      content = .data(body)
    }
    return content.map {
      RecordedCandidate(
        cache, place, key, response, $0, byteCount: last.byteCount, keepsRejected: keepsRejected,
        since: invalidations, log: log, observe)
    }
  }
}

extension [Data] {
  /// The pieces as one, without a copy if there is only one.
  fileprivate var joinedData: Data {
    if count < 2 { return first ?? Data() }
    var data = Data(capacity: reduce(0) { $0 + $1.count })
    for piece in self { data.append(piece) }
    return data
  }
}
