import Foundation
import Signals

/// A reader that requests the pieces of a stream one at a time, each when the previous one has been read.
///
/// The stream is opened with the first request: one that can be read only once stays usable until then.
final class PieceReader: Sendable {
  private struct State {
    /// The open stream; `nil` before the first request for a piece.
    var next: BodyStream.Next?
    var piece = Data()
    var outcome: Outcome?
    var isRequesting = false
    /// Whether the current request has delivered a piece; completion without one is the end of the stream.
    var hasReceivedPiece = false
    /// Whether bytes have been copied since the stream was opened.
    var hasCopied = false
    /// The number of rewinds; pieces requested before the last one are ignored.
    var rewindCount = 0
  }

  private enum Outcome {
    case end
    case failure(any Error)
  }

  private let stream: BodyStream
  private let files: any SignalScheduler
  private let state: Guarded<State>
  private let onReady: @Sendable () -> Void
  private let subscription = Guarded<Disposable?>(nil)

  /// - Parameters:
  ///   - stream: The stream.
  ///   - files: The scheduler on which the stream's files are opened, read and closed. Default: the reading thread.
  ///   - onReady: Called on any thread when a piece or the end has arrived.
  init(
    _ stream: BodyStream, files: any SignalScheduler = .immediate, onReady: @escaping @Sendable () -> Void
  ) {
    self.stream = stream
    self.files = files
    self.onReady = onReady
    state = Guarded(State())
  }

  /// Cancels the request for a piece.
  func close() { subscription.withLock { $0.take() }?.dispose() }

  /// Whether the body can be sent from its beginning.
  var canRewind: Bool { !stream.isSpent || !state.withLock { $0.hasCopied } }

  /// Reopens the stream if bytes of it have been copied; otherwise a stream that can be read only once stays usable.
  func rewind() {
    guard state.withLock({ $0.hasCopied }) else { return }
    close()
    state.discardWithLock { state in
      defer { state = State(rewindCount: state.rewindCount + 1) }
      return state
    }
  }

  var hasUnreadBytes: Bool { state.withLock { !$0.piece.isEmpty } }

  /// Copies the available bytes.
  ///
  /// Each call requests at most one piece, so that a source of empty pieces does not occupy the thread.
  ///
  /// - Parameters:
  ///   - buffer: The memory for the bytes.
  ///   - remainingByteCount: The number of bytes until the declared length. The last bytes are held back until the
  ///     source has ended.
  /// - Returns: The number of bytes: 0 at the end, `nil` if none have arrived yet.
  /// - Throws: A `client` error if the source fails.
  func read(into buffer: UnsafeMutableRawBufferPointer, remainingByteCount: Int?) throws(NetworkError) -> Int? {
    if let count = try copy(buffer, remainingByteCount) { return count }
    return requestPiece() ? try copy(buffer, remainingByteCount) : nil
  }

  private func copy(_ buffer: UnsafeMutableRawBufferPointer, _ remaining: Int?) throws(NetworkError) -> Int? {
    let (piece, outcome) = state.withLock { state -> (Data, Outcome?) in
      let hasEnded = if case .end = state.outcome { true } else { false }
      if !hasEnded, state.piece.count == remaining { return (Data(), state.outcome) }
      let piece = state.piece.prefix(buffer.count)
      state.piece.removeFirst(piece.count)
      if !piece.isEmpty { state.hasCopied = true }
      return (piece, state.outcome)
    }
    if !piece.isEmpty {
      buffer.copyBytes(from: piece)
      return piece.count
    }
    switch outcome {
    case .end: return 0
    case .failure(let error): throw .failedStream(error)
    case nil: return nil
    }
  }

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
    let isReady = state.withLock { state in
      guard state.rewindCount == rewindCount, state.isRequesting else { return false }
      switch event {
      case .value(let data):
        // Replaced if empty, because appending to an empty slice can crash in Foundation on Linux.
        state.piece = state.piece.isEmpty ? data : state.piece + data
        state.hasReceivedPiece = true
        return false
      case .failed(let error): state.outcome = .failure(error)
      // An empty piece is not the end of the stream.
      case .completed: if !state.hasReceivedPiece { state.outcome = .end }
      }
      state.isRequesting = false
      return true
    }
    if isReady { onReady() }
  }
}
