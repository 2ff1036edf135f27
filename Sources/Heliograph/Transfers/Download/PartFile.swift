import Foundation
import Signals

/// The part of a download on disk, with its journal beside it: locked against other downloads, and extended in order.
///
/// Each block of 256 KiB is noted in the journal with its checksum when it has been written, so the part survives the end
/// of the process at any moment. Data is synced in the background, against a crash of the system.
final class PartFile: Sendable {
  struct State {
    /// `nil` when the part is closed: nothing more is written.
    var file: OpenFile?
    /// `nil` until there is a validator, without which the part cannot be continued.
    var journal: OpenFile?
    var journalByteCount = 0
    var validator: String?
    var length: Int?
    /// The number of bytes written.
    var offset = 0
    var blockStart = 0
    var checksum = XXH64()
    var digest: SHA256?
    var unsyncedByteCount = 0
    /// The first position that the last request has asked for; `nil` if it has asked for the entire file.
    var requestedStart: Int?
    /// The maximum size of the file; `nil` for none.
    var limit: Int?
    /// Whether another request must follow at once.
    var needsContinuation = false
    /// The number of times that the part was discarded, because a response did not fit.
    var discardCount = 0
  }

  /// The end of a response.
  enum Outcome {
    /// The file is at its destination.
    case finished
    /// Another request must follow at once.
    case incomplete
    /// The download was disposed meanwhile.
    case closed
  }

  /// The size of a block in bytes: the maximum loss when the process is killed.
  static let blockByteCount = 262_144
  /// The number of discarded parts after which no more ranges are requested: otherwise a download might never end.
  private static let discardLimit = 2
  /// The number of bytes after which data is synced.
  private static let syncByteCount = 33_554_432

  let paths: PartPaths
  private let key: String
  private let options: DownloadOptions
  private let state: Guarded<State>

  /// Creates the part from its verified state; see ``PartOpening``.
  init(_ paths: PartPaths, key: String, _ options: DownloadOptions, _ state: State) {
    self.paths = paths
    self.key = key
    self.options = options
    self.state = Guarded(state)
  }

  /// Returns the first position to ask for, with the validator; `nil` if the entire file is needed.
  func nextRange() -> (start: Int, validator: String)? {
    state.withLock { state in
      state.needsContinuation = false
      state.requestedStart = nil
      guard state.offset > 0, let validator = state.validator else { return nil }
      state.requestedStart = state.offset
      return (state.offset, validator)
    }
  }

  /// Returns whether another request must follow at once, and resets it.
  func takeContinuation() -> Bool {
    state.withLock { state in
      defer { state.needsContinuation = false }
      return state.needsContinuation
    }
  }

  /// Begins with the body of a successful response: appended to the part, or instead of it.
  ///
  /// - Returns: `false` if the response does not fit the part, which is discarded: another request must follow.
  func begin(_ head: HTTPResponse, of request: HTTPRequest) throws(NetworkError) -> Bool {
    let (start, validator, length) = state.withLock { ($0.requestedStart, $0.validator, $0.length) }
    let range = ContentRange(head.headers)
    if head.statusCode == 206, let start, let validator {
      let fits = range.map { $0.first == start && ($0.length == length || $0.length == nil || length == nil) } ?? false
      guard fits, head.agrees(with: validator), head.headers["Content-Encoding"] == nil else {
        try discard()
        return false
      }
      try setLimit(of: request, range?.length ?? length)
      return true
    }
    if head.statusCode == 206, request.headers["Range"] == nil {
      // The entire file was requested; a part is accepted only if it is all of it.
      guard let range, range.first == 0, range.last + 1 == range.length else {
        throw NetworkError(
          .network, .invalidResponse, reason: "the server sent a part, and the entire file was requested")
      }
    }
    let isResumable = options.resumes && request.method == .get && head.statusCode == 200
    try reset(validator: isResumable ? head.strongValidator : nil, head.fileByteCount)
    try setLimit(of: request, head.fileByteCount)
    return true
  }

  /// Sets the length and the limit of the file; throws if the length exceeds it.
  private func setLimit(of request: HTTPRequest, _ length: Int?) throws(NetworkError) {
    let limit = request.limits.streamedByteCount
    state.withLock { ($0.length, $0.limit) = (length, limit) }
    if let limit, let length, length > limit { throw .fileTooLarge(limit) }
  }

  /// Removes the received bytes; the next request asks for the entire file, and must follow at once.
  private func discard() throws(NetworkError) {
    state.withLock { $0.discardCount += 1 }
    try reset(validator: nil, nil)
    state.withLock { $0.needsContinuation = true }
  }

  /// Removes the received bytes.
  private func reset(validator: String?, _ length: Int?) throws(NetworkError) {
    let (key, paths) = (key, paths)
    let failure = state.withLock { state -> NetworkError? in
      guard let file = state.file else { return nil }
      guard paths.isPart(file) else { return .cannotWrite(paths.part, ENOENT) }
      // The journal first: without it, no download continues the part.
      paths.removeJournal()
      let validator = state.discardCount < PartFile.discardLimit ? validator : nil
      state = State(
        file: file, validator: validator, length: length, digest: state.digest.map { _ in SHA256() },
        discardCount: state.discardCount)
      guard file.truncate(to: 0) else { return .cannotWrite(paths.part, errno) }
      guard let validator else { return nil }
      do throws(NetworkError) {
        let record = PartRecord(key: key, validator: validator, length: length)
        (state.journal, state.journalByteCount) = try paths.create(record)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  /// Appends bytes.
  func write(_ data: Data) throws(NetworkError) {
    let paths = paths
    let (failure, unsynced) = state.withLock { state -> (NetworkError?, State?) in
      guard state.file != nil else { return (nil, nil) }
      if let length = state.length, data.count > length - state.offset {
        return (NetworkError(.network, .invalidResponse, reason: "the response is longer than it declares"), nil)
      }
      if let limit = state.limit, data.count > limit - state.offset { return (.fileTooLarge(limit), nil) }
      guard state.append(data) else { return (.cannotWrite(paths.part, errno), nil) }
      guard state.unsyncedByteCount >= PartFile.syncByteCount else { return (nil, nil) }
      state.unsyncedByteCount = 0
      return (nil, state)
    }
    if let failure {
      if failure.code == .invalidResponse { try reset(validator: nil, nil) }
      throw failure
    }
    if let unsynced { PartFile.sync(unsynced) }
  }

  /// Checks that the file is complete, and moves it to its destination.
  func finish() throws(NetworkError) -> Outcome {
    let state = state.withLock { state in
      // Only a 416 tells the end of a file whose length the server does not state with a part.
      let isShort = state.length.map { state.offset < $0 } ?? true
      // A server may send less than it was asked for, as long as it sends something.
      state.needsContinuation = isShort && state.requestedStart.map { state.offset > $0 } ?? false
      return state
    }
    guard let file = state.file else { return .closed }
    if state.needsContinuation { return .incomplete }
    if state.requestedStart != nil, state.length == nil {
      throw NetworkError(.network, .connectionLost, reason: "the response ended without a byte")
    }
    if let length = state.length, length != state.offset {
      throw NetworkError(
        .network, .connectionLost, reason: "the response ended after \(state.offset) of \(length) bytes")
    }
    if let digest = state.digest?.finalize().hexadecimal, let expected = options.digest, digest != expected.hexadecimal
    {
      try reset(validator: nil, nil)
      throw NetworkError(
        .processing, .digestMismatch, reason: "the file has the SHA-256 digest \(digest), not \(expected.hexadecimal)")
    }
    if let number = file.sync() { throw .cannotWrite(paths.part, number) }
    return try move()
  }

  /// Moves the file to its destination, unless the part was closed while it was synced.
  private func move() throws(NetworkError) -> Outcome {
    let (paths, options) = (paths, options)
    let (file, failure) = state.withLock { state -> (OpenFile?, NetworkError?) in
      guard let file = state.file else { return (nil, nil) }
      do throws(NetworkError) {
        try paths.moveToDestination(file, options)
      } catch {
        return (nil, error)
      }
      (state.file, state.journal) = (nil, nil)
      return (file, nil)
    }
    if let failure { throw failure }
    guard let file else { return .closed }
    file.unlock()
    paths.syncFolder()
    return .finished
  }

  /// Moves the file to its destination if a refused range says that it is complete (416, RFC 9110 §15.5.17).
  ///
  /// A server evaluates `If-Range` before `Range`, so the content has not changed. Otherwise the part is discarded.
  func end(after refusal: HTTPResponse) throws(NetworkError) -> Outcome {
    let length = refusal.refusedLength
    let (start, isComplete) = state.withLock { state in
      let isComplete = state.requestedStart != nil && length == state.offset && state.length ?? state.offset == length
      if isComplete { state.length = length }
      return (state.requestedStart, isComplete)
    }
    if isComplete { return try finish() }
    guard start != nil else { return .closed }
    try discard()
    return .incomplete
  }

  /// Notes the last block, as far as it has been written.
  func pause() { state.withLock { $0.endBlock() } }

  /// Closes the part, which another download may open then; further calls have no effect.
  func close() {
    let last = state.withLock { state in
      state.endBlock()
      let last = state
      (state.file, state.journal) = (nil, nil)
      return last
    }
    guard let file = last.file else { return }
    // Before it is unlocked: afterwards it may be the part of another download.
    if last.journal == nil || last.offset == 0 { paths.remove(file) }
    file.unlock()
    PartFile.sync(last)
  }

  private static func sync(_ state: State) {
    guard let journal = state.journal, let file = state.file else { return }
    DispatchQueue.global(qos: .utility).async {
      _ = file.sync()
      _ = journal.sync()
    }
  }
}
