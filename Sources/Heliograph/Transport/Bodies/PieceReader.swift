import Foundation
import Signals

/// A reader that requests the pieces of a stream one at a time, each when the previous one has been read, and compares
/// their length with the declared one.
///
/// The stream is opened with the first request: one that can be read only once stays usable until then.
final class PieceReader: Sendable {
  private struct State {
    /// The open stream; `nil` before the first request for a piece.
    var next: BodyStream.Next?
    var piece = Data()
    /// The end of the stream, or its failure.
    var outcome: Result<Void, any Error>?
    var isRequesting = false
    /// Whether the current request has delivered a piece; completion without one is the end of the stream.
    var hasReceivedPiece = false
    /// The number of bytes copied since the stream was opened.
    var offset = 0
    /// The instant at which the end of the stream was read.
    var endedAt: SuspendingClock.Instant?
    /// The number of rewinds; pieces requested before the last one are ignored.
    var rewindCount = 0
  }

  private let stream: BodyStream
  private let files: any SignalScheduler
  private let state = Guarded(State())
  private let onReady: @Sendable () -> Void
  private let subscription = Guarded<Disposable?>(nil)

  /// The stream's files are used on `files`; `onReady` is called on any thread when a piece or the end has arrived.
  init(
    _ stream: BodyStream, files: any SignalScheduler = .immediate, onReady: @escaping @Sendable () -> Void
  ) {
    self.stream = stream
    self.files = files
    self.onReady = onReady
  }

  func close() { subscription.withLock { $0.take() }?.dispose() }

  /// Whether the body can be sent from its beginning.
  var canRewind: Bool { !stream.isSpent || offset == 0 }

  var offset: Int { state.withLock { $0.offset } }

  var endedAt: SuspendingClock.Instant? { state.withLock { $0.endedAt } }

  /// The number of bytes copied; `nil` until the end of the stream was read.
  var byteCountAtEnd: Int? {
    state.withLock { $0.endedAt != nil || $0.offset == stream.byteCount ? $0.offset : nil }
  }

  /// Reopens the stream if bytes of it have been copied; otherwise a stream that can be read only once stays usable.
  func rewind() {
    let hasCopied = state.withLock { state in
      state.endedAt = nil
      return state.offset > 0
    }
    if !hasCopied { return }
    close()
    state.discardWithLock { state in
      defer { state = State(rewindCount: state.rewindCount + 1) }
      return state
    }
  }

  /// Copies the available bytes; returns their number, 0 at the end and `nil` if none have arrived yet.
  ///
  /// Each call requests at most one piece, so that a source of empty pieces does not occupy the thread. The last bytes
  /// of a declared length are held back until the source has ended; another length fails.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(NetworkError) -> Int? {
    if let count = try copy(buffer) { return count }
    return requestPiece() ? try copy(buffer) : nil
  }

  private func copy(_ buffer: UnsafeMutableRawBufferPointer) throws(NetworkError) -> Int? {
    let declared = stream.byteCount
    let (piece, outcome, offset, hasMore) = state.withLock { state -> (Data, Result<Void, any Error>?, Int, Bool) in
      let hasEnded = if case .success? = state.outcome { true } else { false }
      let isHeldBack = !hasEnded && state.offset + state.piece.count == declared
      let piece = isHeldBack ? Data() : state.piece.prefix(buffer.count)
      state.piece.removeFirst(piece.count)
      state.offset += piece.count
      return (piece, state.outcome, state.offset, !state.piece.isEmpty)
    }
    if !piece.isEmpty {
      if let declared, offset > declared || (offset == declared && hasMore) {
        throw .sizeMismatch(declared: declared, read: nil)
      }
      // libcurl does not read on at the declared length.
      if offset == declared { recordEnd() }
      buffer.copyBytes(from: piece)
      return piece.count
    }
    switch outcome {
    case .success:
      if let declared, offset < declared { throw .sizeMismatch(declared: declared, read: offset) }
      recordEnd()
      return 0
    case .failure(let error): throw .failedStream(error)
    case nil: return nil
    }
  }

  private func recordEnd() { state.withLock { $0.endedAt = $0.endedAt ?? .now } }

  /// Requests the next piece; returns whether it or the end has already arrived.
  private func requestPiece() -> Bool {
    var hasEnded = false
    let pending = state.withLock { state -> (BodyStream.Next?, Int)? in
      // The source may have ended since the bytes were copied, and is not asked again.
      hasEnded = state.outcome != nil
      // One request at a time.
      if hasEnded || state.isRequesting { return nil }
      state.isRequesting = true
      state.hasReceivedPiece = false
      return (state.next, state.rewindCount)
    }
    guard let (opened, rewindCount) = pending else { return hasEnded }
    let next = opened ?? open(rewindCount)
    let handle = next().subscribe { [self] event in receive(event, rewindCount) }
    let isPending = state.withLock { $0.isRequesting }
    if isPending { subscription.withLock { $0 = handle } }
    return !isPending
  }

  private func open(_ rewindCount: Int) -> BodyStream.Next {
    let next = stream.open(files: files)
    state.withLock { if $0.rewindCount == rewindCount { $0.next = next } }
    return next
  }

  private func receive(_ event: Event<Data, any Error>, _ rewindCount: Int) {
    // The former piece is freed outside of the lock, because the app may have created it with its own deallocator.
    let (isReady, _) = state.withLock { state -> (Bool, Data?) in
      guard state.rewindCount == rewindCount, state.isRequesting else { return (false, nil) }
      switch event {
      case .value(let data):
        let former = state.piece
        // Replaced if empty, because appending to an empty slice can crash in Foundation on Linux.
        state.piece = former.isEmpty ? data : former + data
        state.hasReceivedPiece = true
        return (false, former)
      case .failed(let error): state.outcome = .failure(error)
      // An empty piece is not the end of the stream.
      case .completed: if !state.hasReceivedPiece { state.outcome = .success(()) }
      }
      state.isRequesting = false
      return (true, nil)
    }
    if isReady { onReady() }
  }
}
