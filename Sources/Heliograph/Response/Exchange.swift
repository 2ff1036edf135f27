import Foundation
import Signals
import Synchronization

/// A collector that turns transport events into one response, which is then read, or into pieces of a response.
final class Exchange: Sendable {
  /// The scheduler, the reader and the function that read a collected response.
  struct Reading: Sendable {
    /// The scheduler on which the response is read and its results, or the failure of the exchange, are delivered.
    let scheduler: ProcessingQueue
    let reader: ResponseReader
    let read: ResponseReader.Read
    /// Receives the response before it is validated; `nil` if nothing follows the reading.
    let onBegin: (@Sendable (Response<Data>) -> Void)?

    /// Sends the results of a response and terminates; a 304 to a conditional request has none.
    func run(_ response: Response<Data>, _ observer: Observer<Response<Data>, NetworkError>) {
      onBegin?(response)
      if response.statusCode == 304 { return reader.endUnmodified(response, observer) }
      read(response, reader, observer)
    }
  }

  private struct State {
    var head: HTTPResponse?
    var body = Data()
    /// The metrics and the source; `nil` before either is known.
    var details: CopyOnWrite<ResponseDetails>?
    var hasReservedCapacity = false
    /// The response without a body, once its body is delivered in pieces.
    var streamedResponse: Response<Data>?
    var deliveredByteCount = 0

    /// Updates the details in the box that the response will share, because metrics are large.
    mutating func updateDetails(_ change: (inout ResponseDetails) -> Void) {
      var details = details.take() ?? CopyOnWrite(ResponseDetails())
      change(&details.value)
      self.details = details
    }

    /// Reserves capacity for the declared length, at the second chunk.
    mutating func reserveCapacity(upTo limit: Int) {
      hasReservedCapacity = true
      guard let length = head?.headers["Content-Length"].flatMap({ Int($0) }), length > body.count else { return }
      body.reserveCapacity(min(length, limit, Exchange.reservedByteLimit))
    }
  }

  /// The maximum capacity reserved for a length declared by a server: 64 MiB; a longer body grows as it is received.
  private static let reservedByteLimit = 67_108_864
  /// The maximum number of bytes collected of the body of an error, in a streamed exchange: 1 MiB.
  private static let errorBodyByteLimit = 1_048_576
  private let request: HTTPRequest
  private let attempt: AttemptContext
  private let observer: Observer<Response<Data>, NetworkError>
  private let evidence: EvidenceCollector
  private let scope = Disposable()
  private let reading: Reading?
  private let state = Guarded(State())
  /// Whether the exchange has ended; its response may still be read.
  private let hasEnded = Atomic<Bool>(false)

  private var isStreamed: Bool { request.isStreamed }

  private init(
    _ request: HTTPRequest, _ attempt: AttemptContext, _ evidence: EvidenceCollector, _ reading: Reading?,
    _ observer: Observer<Response<Data>, NetworkError>
  ) {
    self.request = request
    self.attempt = attempt
    self.reading = reading
    self.evidence = evidence
    self.observer = observer
  }

  /// Returns a signal of the response to a request, or of the results read from it.
  ///
  /// A failure contains the response received so far and its attribution. A body that exceeds the request's limit fails
  /// the signal and disposes the exchange. A response queued on the scheduler is retained until it is read, even if the
  /// subscription has been disposed. One object does all of this, because a chain of operators would allocate twenty
  /// objects for each request.
  ///
  /// A successful body (2xx) of a streamed exchange is delivered in pieces instead, each a response of its own, under
  /// the back-pressure of the subscriber. The first piece is empty and comes with the head; the last one is empty and
  /// has the metrics. Any other body is collected, up to 1 MiB: the rest of an error's body is not awaited.
  /// Without a reading, the response is delivered as received, or in pieces.
  static func results(
    of request: HTTPRequest, _ attempt: AttemptContext, over chain: any ChainedTransport, _ evidence: EvidenceCollector,
    _ reading: Reading?
  ) -> Signal<Response<Data>, NetworkError> {
    Signal { observer in
      let exchange = Exchange(request, attempt, evidence, reading, observer)
      let scope = exchange.scope
      attempt.recorder?.beginAttempt(request)
      if let deadline = request.deadline {
        deadline.enter(exchange, of: request) { exchange.fail(deadline.failure()) }
        observer.hold(
          Disposable {
            scope.dispose()
            deadline.leave(exchange)
          })
      } else {
        observer.hold(scope)
      }
      let pressure = exchange.isStreamed ? observer.pressure : nil
      let context = ExchangeContext(attempt: attempt, scope: scope, pressure: pressure) { exchange.receive($0) }
      chain.start(request, in: context)
      return nil
    }
  }

  func receive(_ event: Event<TransportEvent, NetworkError>) {
    if observer.isDisposed || hasEnded.load(ordering: .acquiring) { return }
    switch event {
    case .value(let event):
      if let run = attempt.run, run.isWatched { run.receive(event, of: attempt.adapted ?? request) }
      if isStreamed, stream(event) { return }
      if add(event) { return }
      if isStreamed { completeEarly() } else { failForLength(request.limits.bodyByteCount) }
    case .failed(let error): fail(error)
    case .completed:
      guard let response = takeResponse() else {
        // The total timeout has elapsed in the meantime, and its error has taken the response.
        if request.deadline?.hasPassed == true { return }
        // Middleware may have ended it.
        let sent = attempt.middleware.isEmpty ? attempt.adapted : nil
        return fail(
          NetworkError(.invalidResponse, reason: "the transport completed without a response", request: sent))
      }
      if let deadline = request.deadline { deadline.activity = .reading }
      complete(with: consume response)
    }
  }

  private func complete(with received: consuming Response<Data>) {
    if hasEnded.exchange(true, ordering: .acquiringAndReleasing) { return }
    let isStored = if case .cache = received.source { true } else { false }
    if !isStored, attempt.hasResponse {
      evidence.record(received.url)
      // The host that sent the redirect has also responded.
      if let first = received.request?.url, first != received.url { evidence.record(first) }
    }
    attempt.collector?.collect(&received, isLast: true, in: attempt.step)
    // A constant, because closures capture it; moved, not copied.
    let response = received
    guard let reading else { return observer.complete(with: response) }
    release()
    let readsInPlace = attempt.decision?.isReadInPlace(byteCount: response.value.count) == true
    if readsInPlace { return reading.run(response, observer) }
    reading.scheduler.schedule { [observer] in
      if !observer.isDisposed { reading.run(response, observer) }
    }
  }

  /// Releases the transport and the deadline, which are not needed for reading.
  private func release() {
    scope.dispose()
    request.deadline?.leave(self)
  }

  /// Delivers the status of a streamed exchange with the beginning of an error's body.
  private func completeEarly() {
    guard let response = takeResponse() else { return }
    complete(with: response.replacing(response.value.prefix(max(0, byteLimit))).updatingDetails { $0.isCut = true })
  }

  private var byteLimit: Int {
    let limit = request.limits.bodyByteCount
    return isStreamed ? min(limit, Self.errorBodyByteLimit) : limit
  }

  private func failForLength(_ limit: Int) {
    var error = NetworkError(.responseTooLarge, reason: "response body over the limit of \(limit) bytes")
    error.request = attempt.adapted
    error.response = takeResponse()?.truncated(to: 65_536)
    fail(error)
  }

  /// Delivers a piece of a successful body; returns `false` for events of a body that is collected.
  private func stream(_ event: TransportEvent) -> Bool {
    switch event {
    case .head(let head) where (200..<300).contains(head.statusCode):
      let sent = attempt.adapted ?? request
      let streamedResponse = state.withLock { state in
        state.head = head
        let streamedResponse = makeResponse(from: &state, head, to: sent)
        state.streamedResponse = streamedResponse
        return streamedResponse
      }
      deliver(streamedResponse)
      return true
    case .body(let data):
      let limit = request.limits.streamedByteCount ?? .max
      let (streamedResponse, count) = state.withLock { state in
        if state.streamedResponse != nil { state.deliveredByteCount += data.count }
        return (state.streamedResponse, state.deliveredByteCount)
      }
      guard let streamedResponse else { return false }
      if count > limit {
        failForLength(limit)
      } else if !data.isEmpty {
        deliver(streamedResponse.replacing(data.zeroBased))
      }
      return true
    default: return false
    }
  }

  private func deliver(_ piece: consuming Response<Data>) {
    attempt.collector?.collect(&piece, isLast: false, in: attempt.step)
    observer.send(piece)
  }

  /// Returns the response received so far and releases it, because nothing follows.
  private func takeResponse() -> Response<Data>? {
    var last = State()
    state.withLock { swap(&$0, &last) }
    guard let head = last.head else { return nil }
    return makeResponse(from: &last, head, to: attempt.adapted ?? request)
  }

  private func makeResponse(from state: inout State, _ head: HTTPResponse, to sent: HTTPRequest) -> Response<Data> {
    var sent = sent
    // A redirect may have lost the idempotency key; middleware may have passed on the order first.
    let isOrder = !head.isRepeatable || attempt.hasEarlierOrder && !request.isIdempotent
    if isOrder, sent.isIdempotent { sent.isIdempotent = false }
    state.updateDetails { [sent] in
      // RFC 9110 §13.1.2, §13.1.3.
      $0.isUnexpected304 =
        head.statusCode == 304 && !sent.headers.contains("If-None-Match") && !sent.headers.contains("If-Modified-Since")
      $0.request = sent
      $0.receipt = attempt.recorder?.log.position
    }
    return Response(state.body, head, state.details)
  }

  /// Adds an event to the response; returns whether the body is within the limit.
  private func add(_ event: TransportEvent) -> Bool {
    let limit = byteLimit
    return state.withLock { state in
      switch event {
      case .sent, .received: break
      case .source(let source): state.updateDetails { $0.source = source }
      case .head(let head): state.head = head
      case .metrics(let metrics): state.updateDetails { $0.metrics = metrics }
      case .body(let data):
        if state.body.isEmpty {
          state.body = data.zeroBased
        } else {
          if !state.hasReservedCapacity { state.reserveCapacity(upTo: limit) }
          state.body.append(data)
        }
      }
      return state.body.count <= limit
    }
  }

  /// Ends the exchange with an error, delivered on the scheduler of the reading.
  private func fail(_ error: NetworkError) {
    if hasEnded.exchange(true, ordering: .acquiringAndReleasing) { return }
    let sent = attempt.adapted ?? request
    // An error without a request is that of middleware, and says nothing about the host.
    let isOfHost = attempt.middleware.isEmpty || attempt.wasPassedOn && error.request != nil
    var error = error.attaching(sent)
    // A request to a third origin follows a redirect, so the first origin has responded, unless it is of middleware.
    if error.domain == .network, error.request?.id == request.id, let last = error.request?.url,
      [sent.url, request.url].allSatisfy({ Origin($0)?.matches(last) == false })
    {
      evidence.record(sent.url)
    }
    error.response = error.response ?? takeResponse()
    error.metrics = error.metrics ?? error.response?.metrics
    error = evidence.attributing(error, since: attempt.status, isOfHost: isOfHost)
    if attempt.hasResponse, !attempt.middleware.isEmpty { evidence.record(sent.url) }
    error = request.deadline?.attributed(error) ?? error
    attempt.fail()
    guard let reading else { return observer.fail(error) }
    release()
    reading.scheduler.schedule { [observer, error] in observer.fail(error) }
  }
}

extension Data {
  /// The bytes with indices from 0, for pieces of transports and middleware that are slices.
  var zeroBased: Data { startIndex == 0 ? self : Data(self) }
}
