import Foundation
import Signals

/// A recording of one response: grows with the body, awaits the reader's decision and is stored.
///
/// A short body stays in memory; a longer one is written to disk piece by piece. Each request of a shared exchange
/// records a short one, and the first to end stores it: the others may have been cancelled. Pieces are added
/// serially.
final class Recording: StoreCandidate {
  /// The facts about the response that are known when its head arrives.
  struct Draft: Sendable {
    var response: StoredResponse
    /// The stored range of the same representation, if the response is another range.
    let earlier: FoundResponse?
    /// The number of bytes that the body must have; `nil` if it is unknown.
    let byteCount: Int?
    /// Whether HTTP stores the response even if the reader rejects it: a 404 is cacheable.
    let keepsRejected: Bool
    /// Whether the response belongs to another request's exchange; that request writes a long body to disk.
    let isShared: Bool
    /// The number of invalidations when the exchange began.
    let invalidations: Int
  }

  private struct State {
    var pieces: [Data] = []
    var byteCount = 0
    var writer: DiskWriter?
    /// Whether nothing is to be stored: the body is too long, or already stored.
    var isEmpty = false
    var isStored = false
  }

  /// The size above which a body is written to disk as it is received.
  private static let writtenByteCount = 262_144

  private let draft: Draft
  private let place: StoragePlace
  private let cache: ResponseCache
  /// The claim that lets only one of the sharing requests store the response.
  private let storage: Once
  private let request: HTTPRequest
  private let run: (any AttemptObserver)?
  private let state = Guarded(State())

  init(
    _ draft: Draft, at place: StoragePlace, in cache: ResponseCache, _ storage: Once, of request: HTTPRequest,
    _ run: (any AttemptObserver)?
  ) {
    self.draft = draft
    self.place = place
    self.cache = cache
    self.storage = storage
    self.request = request
    self.run = run
  }

  /// Adds the next piece of the body.
  func add(_ piece: Data) {
    let limit = cache.disk == nil ? cache.memoryBodyLimit : Recording.writtenByteCount
    let (writer, pieces) = state.withLock { state -> (DiskWriter?, [Data]?) in
      state.byteCount += piece.count
      if state.isEmpty { return (nil, nil) }
      if let writer = state.writer { return (writer, [piece]) }
      state.pieces.append(piece)
      return (nil, state.byteCount > limit ? state.pieces : nil)
    }
    guard let pieces else { return }
    // Ranges are joined in memory.
    guard draft.response.range == nil, !draft.isShared,
      let writer = writer ?? cache.disk?.writer(for: place.key.name, head: StoredHead.response(draft.response).encoded),
      pieces.allSatisfy({ writer.append($0) })
    else {
      // The disk is full, or the body is too long.
      _ = take()
      if !draft.isShared { run?.observe(.notStored("it is too long or the disk is full"), of: request) }
      return
    }
    state.withLock { ($0.writer, $0.pieces) = (writer, []) }
  }

  /// Takes the received data and leaves nothing to store.
  private func take() -> State {
    state.withLock { state in
      defer { state = State(byteCount: state.byteCount, isEmpty: true, isStored: state.isStored) }
      return state
    }
  }

  /// Ends the recording and returns whether the response can be stored.
  func finish() -> Bool {
    let (byteCount, isEmpty) = state.withLock { ($0.byteCount, $0.isEmpty) }
    if let expected = draft.byteCount, expected != byteCount { return false }
    // An older response must not outlive this one.
    if isEmpty, !draft.isShared { cache.remove(place.key.name) }
    return !isEmpty
  }

  func commit() {
    var byteCount = 0
    let result = cache.writing(place.key.name, of: place.primary, since: draft.invalidations) {
      () -> (isWritten: Bool, problem: String?)? in
      // Another request of the same exchange may have stored it.
      if !storage.claim() { return nil }
      let last = take()
      if last.isEmpty { return nil }
      byteCount = last.byteCount
      if let writer = last.writer { return cache.store(draft.response, .file(writer), at: place) }
      let body = last.pieces.joinedData
      let (response, whole) = draft.earlier?.joined(with: draft.response, body) ?? (draft.response, body)
      return cache.store(response, .data(whole), at: place)
    }
    guard let (isWritten, problem) = result ?? nil else { return }
    if isWritten { state.withLock { $0.isStored = true } }
    if let problem {
      run?.observe(.notStored(problem), of: request)
      return
    }
    cache.traces.insert(CacheTrace(name: place.key.name), cost: 1, for: .trace(place.key.shared))
    cache.counters.change { [byteCount] in
      $0.storedCount += 1
      $0.storedByteCount += byteCount
    }
    run?.observe(.stored(byteCount: byteCount), of: request)
  }

  func discard() {
    if state.withLock({ $0.isStored }) {
      cache.remove(place.key.name)
    } else if draft.keepsRejected {
      commit()
    }
  }
}

extension [Data] {
  /// The pieces as one, copied only if there are several.
  fileprivate var joinedData: Data {
    if count < 2 { return first ?? Data() }
    var data = Data(capacity: reduce(0) { $0 + $1.count })
    for piece in self { data.append(piece) }
    return data
  }
}
