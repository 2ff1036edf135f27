import Foundation
import Signals

/// A recording of one response: it grows with the body, awaits the reader's decision and is then stored.
///
/// A short body stays in memory; a longer one is written to disk piece by piece. Each request of a shared exchange
/// records a short body, all together write a longer one to one file, and the first to end stores it: the others may
/// have been cancelled. Pieces are added serially.
final class Recording: StoreCandidate {
  /// The facts about the response that are known when its head arrives.
  struct Draft: Sendable {
    var response: StoredResponse
    /// The stored range of the same representation, if the response is another range.
    let earlier: FoundResponse?
    /// The number of bytes that the body must have; `nil` if it is unknown.
    let byteCount: Int?
    /// Whether the response is stored even if its reader rejects it: in HTTP, a 404 is cacheable.
    let storesIfRejected: Bool
    /// The number of invalidations when the exchange began.
    let invalidations: Int
  }

  private struct State {
    var pieces: [Data] = []
    var byteCount = 0
    var file: DiskWriter?
    /// Whether the data has been taken: it is stored, or the body is too long.
    var isClosed = false
    var isStored = false
  }

  /// The size above which a body is written to disk as it is received.
  private static let memoryLimit = 262_144

  private let draft: Draft
  private let location: StorageLocation
  private let cache: ResponseCache
  private let storage: SharedStorage
  private let request: HTTPRequest
  private let recorder: (any AttemptRecorder)?
  private let state = Guarded(State())

  init(
    _ draft: Draft, at location: StorageLocation, in cache: ResponseCache, _ storage: SharedStorage,
    of request: HTTPRequest, _ recorder: (any AttemptRecorder)?
  ) {
    self.draft = draft
    self.location = location
    self.cache = cache
    self.storage = storage
    self.request = request
    self.recorder = recorder
  }

  func add(_ piece: Data) {
    let limit = cache.disk == nil ? cache.memoryBodyLimit : Recording.memoryLimit
    let (file, pieces, offset) = state.withLock { state -> (DiskWriter?, [Data]?, Int) in
      let offset = state.byteCount
      state.byteCount += piece.count
      if state.isClosed { return (nil, nil, 0) }
      if let file = state.file { return (file, [piece], offset) }
      state.pieces.append(piece)
      return (nil, state.byteCount > limit ? state.pieces : nil, 0)
    }
    guard let pieces else { return }
    guard let file = file ?? sharedFile(), file.append(pieces, at: offset) else {
      _ = take()
      let problem = "it is too long, a range of more than 256 KiB, or the disk is full"
      recorder?.recordCache(.notStored(problem), of: request)
      return
    }
    state.withLock { ($0.file, $0.pieces) = (file, []) }
  }

  /// Returns the file that the sharing requests write; `nil` if the body cannot be written.
  private func sharedFile() -> DiskWriter? {
    // Ranges are joined in memory.
    if draft.response.range != nil { return nil }
    let create = { [self] in
      cache.disk?.writer(for: location.key.name, head: StoredHead.response(draft.response).encoded)
    }
    guard let file = storage.file(create) else { return nil }
    // Another exchange may have changed the variants meanwhile, and with them the name.
    return file.name == location.key.name ? file : create()
  }

  private func take() -> State {
    state.withLock { state in
      defer { state = State(byteCount: state.byteCount, isClosed: true, isStored: state.isStored) }
      return state
    }
  }

  /// Stores the response or offers it to its reader, unless its body is incomplete.
  func finish(for decision: StoreDecision?) {
    if let byteCount = draft.byteCount, byteCount != state.withLock({ $0.byteCount }) { return }
    if let decision { decision.offer(self, isStored: false) } else { commit() }
  }

  func commit() {
    var byteCount = 0
    let result = cache.writing(location.key.name, of: location.primary, since: draft.invalidations) {
      () -> (isWritten: Bool, problem: String?)? in
      // Another request of the same exchange may have stored it.
      if !storage.claim() { return nil }
      if state.withLock({ $0.isClosed }) {
        // It cannot be stored. An older response must not outlive it, unless both are of one representation.
        let isSame = draft.earlier?.response.head.hasStrongTag(of: draft.response.head) ?? false
        if !isSame { removeStored() }
        return nil
      }
      let taken = take()
      byteCount = taken.byteCount
      if let file = taken.file { return cache.store(draft.response, .file(file), at: location) }
      let body = taken.pieces.joinedData
      let (response, whole) = draft.earlier?.joined(with: draft.response, body) ?? (draft.response, body)
      return cache.store(response, .data(whole), at: location)
    }
    guard let (isWritten, problem) = result ?? nil else { return }
    if isWritten { state.withLock { $0.isStored = true } }
    if let problem {
      recorder?.recordCache(.notStored(problem), of: request)
      return
    }
    cache.traces.insert(location.key.name, cost: 1, for: .trace(location.key.sharedHash))
    cache.counters.update { [byteCount] in
      $0.storedCount += 1
      $0.storedByteCount += byteCount
    }
    recorder?.recordCache(.stored(byteCount: byteCount), of: request)
  }

  func reject() {
    if state.withLock({ $0.isStored }) {
      removeStored()
    } else if draft.storesIfRejected {
      commit()
    }
  }

  private func removeStored() {
    cache.remove(location.key.name, unlessNewerThan: draft.response.head.requestedAt)
  }
}

extension [Data] {
  /// The pieces as one, copied only if there are several.
  fileprivate var joinedData: Data {
    if count < 2 { return first?.zeroBased ?? Data() }
    var data = Data(capacity: reduce(0) { $0 + $1.count })
    for piece in self { data.append(piece) }
    return data
  }
}
