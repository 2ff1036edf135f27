public import Foundation
import Signals

extension BodyStream {
  /// Creates a body from an asynchronous sequence that can be read only once, such as the body of an incoming request.
  ///
  /// ```swift
  /// let relayed = Request(.put, "/backup", body: .stream(BodyStream(readingOnce: incoming), contentType: "application/gzip"))
  /// ```
  /// The next piece is requested when the previous one has been sent, so the sequence is read only as fast as the
  /// server reads. It is iterated in a task, which is cancelled when the exchange terminates. If the sequence throws,
  /// the exchange fails with a `client` error, whose underlying error it is. A request that has begun to send it is
  /// neither retried nor recovered: it fails with its own error. A redirect that requires the body again fails with
  /// ``NetworkError/Code/invalidBody``.
  /// - Parameters:
  ///   - byteCount: The size of all pieces together, in bytes. Default: unknown.
  ///   - pieces: The sequence.
  public init<Pieces: AsyncSequence & Sendable>(byteCount: Int? = nil, readingOnce pieces: Pieces)
  where Pieces.Element == Data {
    let isOpen = Guarded(false)
    let open: @Sendable () -> Next = {
      let wasOpen = isOpen.withLock { isOpen in
        defer { isOpen = true }
        return isOpen
      }
      if wasOpen {
        let reason = "the body can be read only once and can't be sent again"
        return { .fail(NetworkError(.invalidBody, reason: reason)) }
      }
      let reading = Reading(pieces)
      return { reading.next() }
    }
    self.init(byteCount: byteCount, isSpent: { isOpen.withLock { $0 } }, open: open)
  }
}

/// A task that iterates a sequence, one element per request; it is cancelled when this object is deallocated.
private final class Reading: Sendable {
  private let handover: Handover
  private let task: Task<Void, Never>

  init<Pieces: AsyncSequence & Sendable>(_ pieces: Pieces) where Pieces.Element == Data {
    let handover = Handover()
    self.handover = handover
    task = Task {
      do {
        guard await handover.isRequested() else { return }
        for try await piece in pieces {
          // An empty piece would mean the end.
          if piece.isEmpty { continue }
          handover.deliver(piece)
          guard await handover.isRequested() else { return }
        }
        handover.end(nil)
      } catch {
        handover.end(error)
      }
    }
  }

  deinit {
    task.cancel()
    handover.end(CancellationError())
  }

  /// Requests the next piece.
  func next() -> Signal<Data, any Error> {
    Signal { [handover] observer in
      handover.request(observer)
      return nil
    }
  }
}

/// The channel between the task that reads pieces and the transport that requests them.
private final class Handover: Sendable {
  private struct State {
    /// The request that waits for a piece.
    var observer: Observer<Data, any Error>?
    /// The task that waits for a request.
    var reader: CheckedContinuation<Bool, Never>?
    /// The end of the sequence, or the cancellation of its task.
    var outcome: Result<Void, any Error>?
  }

  private let state = Guarded(State())

  func request(_ observer: Observer<Data, any Error>) {
    let (reader, outcome) = state.withLock { state in
      if state.outcome == nil { state.observer = observer }
      return (state.reader.take(), state.outcome)
    }
    reader?.resume(returning: true)
    outcome?.end(observer)
  }

  /// Waits for a request; `false` if the exchange has terminated.
  func isRequested() async -> Bool {
    await withCheckedContinuation { reader in
      let answer = state.withLock { state -> Bool? in
        if state.outcome != nil { return false }
        if state.observer != nil { return true }
        state.reader = reader
        return nil
      }
      if let answer { reader.resume(returning: answer) }
    }
  }

  func deliver(_ piece: Data) {
    let observer = state.withLock { $0.observer.take() }
    observer?.complete(with: piece)
  }

  func end(_ error: (any Error)?) {
    let outcome: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
    let (observer, reader) = state.withLock { state in
      if state.outcome == nil { state.outcome = outcome }
      return (state.observer.take(), state.reader.take())
    }
    reader?.resume(returning: false)
    if let observer { outcome.end(observer) }
  }
}

extension Result<Void, any Error> {
  fileprivate func end(_ observer: Observer<Data, any Error>) {
    switch self {
    case .success: observer.complete()
    case .failure(let error): observer.fail(error)
    }
  }
}
