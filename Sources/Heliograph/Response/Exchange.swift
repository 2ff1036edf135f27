import Foundation
import Signals

/// A collector of transport events into one response.
final class Exchange: Sendable {
  private struct State {
    var head: HTTPResponse?
    var body = Data()
    var metrics: Metrics?
    var hasRoom = false
    /// The request as adapted by middleware.
    var adapted: HTTPRequest?

    /// Reserves capacity for the declared length, at the second chunk.
    mutating func makeRoom(upTo limit: Int) {
      hasRoom = true
      guard let length = head?.headers["Content-Length"].flatMap({ Int($0) }), length > body.count else { return }
      body.reserveCapacity(min(length, limit, Exchange.trustedByteCount))
    }
  }

  /// A closure that starts an exchange and calls ``receive(_:)`` for each event and ``note(_:)`` for an adapted request.
  typealias Start = @Sendable (Exchange) -> Disposable?

  /// The maximum capacity reserved for a length declared by a server: 64 MiB.
  ///
  /// A longer body grows as it is received.
  private static let trustedByteCount = 67_108_864
  private let request: HTTPRequest
  private let observer: Observer<Response<Data>, NetworkError>
  private let evidence: EvidenceCollector
  private let reachabilityBefore: ReachabilityStatus
  private let state = Guarded(State())

  private init(
    _ request: HTTPRequest, _ evidence: EvidenceCollector, _ status: ReachabilityStatus,
    _ observer: Observer<Response<Data>, NetworkError>
  ) {
    self.request = request
    self.evidence = evidence
    self.observer = observer
    reachabilityBefore = status
  }

  /// Returns the whole response to a request as a signal.
  ///
  /// A failure contains the response received so far and its attribution. A body longer than the request's limit is a
  /// failure and disposes the exchange. A single object does all of it: every request uses it, and a chain of operators
  /// would allocate ten.
  /// - Parameters:
  ///   - request: the request.
  ///   - evidence: the collector of evidence for the attribution of a failure.
  ///   - status: the network status at the start.
  ///   - start: starts the exchange and returns its disposable.
  /// - Returns: the signal.
  static func gather(
    _ request: HTTPRequest, _ evidence: EvidenceCollector, at status: ReachabilityStatus, _ start: @escaping Start
  ) -> Signal<Response<Data>, NetworkError> {
    Signal { observer in
      let exchange = Exchange(request, evidence, status, observer)
      guard let deadline = request.deadline else { return start(exchange) }
      deadline.begin(request)
      deadline.enter(exchange) { exchange.fail(deadline.failure()) }
      let work = start(exchange)
      return Disposable {
        work?.dispose()
        deadline.leave(exchange)
      }
    }
  }

  /// Stores the request as adapted by middleware.
  func note(_ request: HTTPRequest) { state.withLock { $0.adapted = request } }

  /// Processes the next event.
  func receive(_ event: Event<TransportEvent, NetworkError>) {
    // An exchange that answers within `start` cannot be disposed yet and may continue after a failure.
    if observer.isDisposed { return }
    switch event {
    case .value(let event):
      if !add(event) {
        let limit = request.limits.bodyByteCount
        var error = NetworkError(.network, .responseTooLarge, reason: "the body is longer than \(limit) bytes")
        error.response = takeResponse()?.beginning
        fail(error)
      }
    case .failed(let error): fail(error)
    case .completed:
      guard let response = takeResponse() else {
        // The total timeout has elapsed meanwhile, and its error has taken the response.
        if request.deadline?.hasPassed == true { return }
        return fail(NetworkError(.network, .invalidResponse, reason: "the exchange ended without a response"))
      }
      if let deadline = request.deadline { deadline.activity = .reading }
      evidence.noteAnswer(from: request.url)
      observer.complete(with: response)
    }
  }

  /// Returns the response received so far and releases it, because nothing follows.
  private func takeResponse() -> Response<Data>? {
    var last = State()
    state.withLock { swap(&$0, &last) }
    guard let head = last.head else { return nil }
    let sent = last.adapted ?? request
    let isUnasked = head.statusCode == 304 && !sent.isConditional
    return Response(
      last.body, head,
      .some(ResponseDetails.Contents(metrics: last.metrics, request: sent, isUnasked: isUnasked)))
  }

  /// Adds a part of the response; returns whether it is within the limit.
  private func add(_ event: TransportEvent) -> Bool {
    let limit = request.limits.bodyByteCount
    return state.withLock { state in
      switch event {
      case .sent: break
      case .head(let head): state.head = head
      case .metrics(let metrics): state.metrics = metrics
      case .body(let data):
        if state.body.isEmpty {
          state.body = data
        } else {
          if !state.hasRoom { state.makeRoom(upTo: limit) }
          state.body.append(data)
        }
      }
      return state.body.count <= limit
    }
  }

  private func fail(_ error: NetworkError) {
    var error = error.attaching(request)
    error.response = error.response ?? takeResponse()
    error.metrics = error.metrics ?? error.response?.metrics
    error = evidence.attributing(error, since: reachabilityBefore)
    observer.fail(request.deadline?.judged(error) ?? error)
  }
}

extension HTTPRequest {
  /// Whether the request is conditional on a change, and so expects a 304 (RFC 9110 §13.1.2, §13.1.3).
  fileprivate var isConditional: Bool {
    headers.contains {
      $0.name.isEqualIgnoringCase(to: "If-None-Match") || $0.name.isEqualIgnoringCase(to: "If-Modified-Since")
    }
  }
}
