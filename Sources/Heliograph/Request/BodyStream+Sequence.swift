public import Foundation
import Signals

extension BodyStream {
  /// Creates a body from an asynchronous sequence that can be read only once, such as the body of an incoming request.
  ///
  /// ```swift
  /// let relayed = Request(.put, "/backup", body: .stream(BodyStream(readingOnce: incoming), contentType: "application/gzip"))
  /// ```
  /// Each piece is requested when the previous one has been sent, so the sequence is read only as fast as the server
  /// reads. A task iterates the sequence and is cancelled when the exchange terminates. If the sequence throws, the
  /// exchange fails with ``NetworkError/Code/invalidBody``, which contains the thrown error. Once sending has begun,
  /// the request is not sent again: it fails with its original error, and a ``Recovery`` refreshes before that, for the
  /// next requests. A redirect that requires the body again fails with ``NetworkError/Code/invalidBody``. A
  /// Digest challenge is not answered: the request fails with the 401, so send one without a body first; see
  /// ``DigestTransport``.
  /// - Parameters:
  ///   - byteCount: The total size of the pieces in bytes. Default: unknown.
  ///   - pieces: The sequence of pieces.
  public init<Pieces: AsyncSequence & Sendable>(byteCount: Int? = nil, readingOnce pieces: Pieces)
  where Pieces.Element == Data {
    let opening = Once()
    let open: @Sendable (any SignalScheduler) -> Next = { _ in
      if !opening.claim() {
        let reason = "the body can be read only once and can't be sent again"
        return { .fail(NetworkError(.invalidBody, reason: reason)) }
      }
      let reader = SequenceReader(pieces)
      return { reader.next() }
    }
    self.init(byteCount: byteCount, isSpent: { opening.isClaimed }, open: open)
  }
}

/// A reader of a sequence in a task, one element per request; deallocation cancels the task.
private final class SequenceReader: Sendable {
  private let channel: PieceChannel
  private let task: Task<Void, Never>

  init<Pieces: AsyncSequence & Sendable>(_ pieces: Pieces) where Pieces.Element == Data {
    let channel = PieceChannel()
    self.channel = channel
    task = Task {
      do {
        guard await channel.waitForRequest() else { return }
        for try await piece in pieces {
          channel.deliver(piece)
          guard await channel.waitForRequest() else { return }
        }
        channel.end(nil)
      } catch {
        channel.end(error)
      }
    }
  }

  deinit {
    task.cancel()
    channel.end(CancellationError())
  }

  func next() -> Signal<Data, any Error> {
    Signal { [channel] observer in
      channel.request(observer)
      return nil
    }
  }
}

/// The channel between the task that reads pieces and the transport that requests them.
private final class PieceChannel: Sendable {
  private struct State {
    /// The request that waits for a piece.
    var observer: Observer<Data, any Error>?
    /// The task that waits for a request.
    var reader: CheckedContinuation<Bool, Never>?
    /// The end or failure of the sequence, or the cancellation of its task.
    var outcome: Event<Data, any Error>?
  }

  private let state = Guarded(State())

  func request(_ observer: Observer<Data, any Error>) {
    let (reader, outcome) = state.withLock { state in
      if state.outcome == nil { state.observer = observer }
      return (state.reader.take(), state.outcome)
    }
    reader?.resume(returning: true)
    if let outcome { observer.send(outcome) }
  }

  /// Waits for a request; returns `false` if the exchange has terminated.
  func waitForRequest() async -> Bool {
    await withCheckedContinuation { reader in
      let isRequested = state.withLock { state -> Bool? in
        if state.outcome != nil { return false }
        if state.observer != nil { return true }
        state.reader = reader
        return nil
      }
      if let isRequested { reader.resume(returning: isRequested) }
    }
  }

  func deliver(_ piece: Data) {
    let observer = state.withLock { $0.observer.take() }
    observer?.complete(with: piece)
  }

  func end(_ error: (any Error)?) {
    let outcome: Event<Data, any Error> = error.map { .failed($0) } ?? .completed
    let (observer, reader) = state.withLock { state in
      if state.outcome == nil { state.outcome = outcome }
      return (state.observer.take(), state.reader.take())
    }
    reader?.resume(returning: false)
    observer?.send(outcome)
  }
}
