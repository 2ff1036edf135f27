import Foundation
import Signals

/// A reader of values in the pieces of a body.
protocol BodyReader: Sendable {
  associatedtype Output: Sendable

  /// Checks the head; returns `false` to ignore the body.
  mutating func begin(_ head: Response<Data>) throws(NetworkError) -> Bool
  /// Adds a piece, after ``next()`` has returned `nil` for the previous one.
  mutating func append(_ piece: Data)
  /// Returns the next value; `nil` if another piece is needed.
  mutating func next() throws(NetworkError) -> Output?
  /// Returns the last value, if the body ended without terminating it.
  mutating func finish() throws(NetworkError) -> Output?
}

extension ClientScope {
  /// Returns the values that a reader finds in the response body, read on ``NetworkClient/Configuration/processing``.
  ///
  /// `adjust` changes the request of each attempt. Default: none.
  func streamed<Reader: BodyReader>(
    _ request: any RequestConvertible, adjust: (@Sendable (inout Request) -> Void)? = nil,
    by makeReader: @escaping @Sendable (HTTPRequest, ResponseReader) -> Reader
  ) -> Signal<Reader.Output, NetworkError> {
    let processing = parts.configuration.processing
    return RequestSource(self, request, RequestTraits(isStreamed: true, adjust: adjust)) { attempt in
      let reader = attempt.reader
      return attempt.response.validated(by: reader).read(by: makeReader(attempt.request, reader), on: processing)
    }
    .signal.compactMap { ($0.read as? ReadValue<Reader.Output>)?.value }
  }
}

extension Signal where Value == Response<Data>, Failure == NetworkError {
  /// Reads the pieces of a streamed body on a scheduler and delivers the values there, under back-pressure.
  ///
  /// Each subscription has a copy of the reader. The first result has no value and is sent with the head, so that
  /// nothing is retried after it.
  fileprivate func read<Reader: BodyReader>(
    by reader: Reader, on scheduler: any SignalScheduler
  ) -> RequestRun.Results {
    let pieces = observe(on: scheduler)
    return Signal { observer in
      let reading = BodyReading(reader, observer)
      return pieces.subscribe(for: observer, under: observer.pressure) { reading.receive($0) }
    }
  }
}

extension Response<Data> {
  /// Throws if the body is the beginning of one that validators have accepted, although its status is not 2xx.
  func checkLength() throws(NetworkError) {
    if !isCut { return }
    throw NetworkError(
      .responseTooLarge,
      reason: "status \(statusCode) was accepted, but only the body of a 2xx is delivered in pieces",
      response: truncated(to: 65_536))
  }
}

/// The reading of one body.
///
/// Events arrive one at a time, so the lock only satisfies the compiler. The lock is not held during calls of the
/// observer and the reader, which may run the app's decoder.
private final class BodyReading<Reader: BodyReader>: Sendable {
  private let state: Guarded<(reader: Reader?, head: Response<Data>?)>
  private let observer: Observer<Response<Data>, NetworkError>

  init(_ reader: Reader, _ observer: Observer<Response<Data>, NetworkError>) {
    state = Guarded((reader, nil))
    self.observer = observer
  }

  func receive(_ event: Event<Response<Data>, NetworkError>) {
    switch event {
    case .failed(let error): observer.fail(error)
    case .completed: perform { reader throws(NetworkError) in try reader.finish() }
    case .value(let piece):
      if !begin(piece) || piece.value.isEmpty { return }
      withReader { $0.append(piece.value) }
      perform(isLast: false) { reader throws(NetworkError) in try reader.next() }
    }
  }

  /// Passes the head of the first piece to the reader; returns whether the body is read.
  private func begin(_ piece: Response<Data>) -> Bool {
    do throws(NetworkError) {
      let head = piece.replacing(Data())
      let isFirst = state.withLock { state in
        defer { state.head = state.head ?? head }
        return state.head == nil
      }
      guard isFirst else { return true }
      let readsBody = try withReader { reader throws(NetworkError) in try reader.begin(head) } ?? false
      if readsBody { observer.send(head) }
      if !readsBody { observer.complete() }
      return readsBody
    } catch {
      fail(error)
      return false
    }
  }

  /// Sends the values that a function of the reader returns: all until `nil`, or one and then completion.
  private func perform(isLast: Bool = true, _ read: (inout Reader) throws(NetworkError) -> Reader.Output?) {
    do throws(NetworkError) {
      while !observer.isDisposed {
        let value = try withReader(read) ?? nil
        if let value, let head = state.withLock({ $0.head }) { observer.send(head.withReadValue(value)) }
        if isLast { return observer.complete() }
        if value == nil { return }
      }
    } catch {
      fail(error)
    }
  }

  /// Calls a function of the reader, which is removed from the state during the call.
  @discardableResult
  private func withReader<Result, Problem: Error>(
    _ body: (inout Reader) throws(Problem) -> Result
  ) throws(Problem) -> Result? {
    guard var reader = state.withLock({ $0.reader.take() }) else { return nil }
    defer { state.withLock { [reader] in $0.reader = reader } }
    return try body(&reader)
  }

  private func fail(_ error: NetworkError) { observer.fail(error.attaching(state.withLock { $0.head })) }
}
