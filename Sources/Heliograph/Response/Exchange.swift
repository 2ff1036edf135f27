import Foundation
import Signals

/// Gathers what a transport sends into one response.
final class Exchange: Sendable {
  private struct State {
    var head: HTTPResponse?
    var body = Data()
    var metrics: Metrics?
    var hasRoom = false
    /// The request as middleware has changed it.
    var adapted: HTTPRequest?

    /// Called at the second piece: from there on it pays to have room for all that was announced.
    mutating func makeRoom(upTo limit: Int) {
      hasRoom = true
      guard let length = head?.headers["Content-Length"].flatMap({ Int($0) }), length > body.count else { return }
      body.reserveCapacity(min(length, limit, Exchange.trustedByteCount))
    }
  }

  /// Starts an exchange: calls ``receive(_:)`` for one event after another, and ``note(_:)`` if middleware changes the request.
  typealias Start = @Sendable (Exchange) -> Disposable?

  /// How much memory is set aside on a server's mere word: 64 MiB.
  ///
  /// What is longer grows as it comes.
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

  /// The whole response to a request.
  ///
  /// A failure keeps what had come of the response, and says whose fault it seems to be. A body longer than the request's limit is one, and disposes the
  /// exchange. One object for all of it: every request comes by here, and a chain of operators would cost it ten.
  /// - Parameters:
  ///   - request: the request.
  ///   - evidence: collects the evidence of whose fault a failure is.
  ///   - status: whether there is a network, before it begins.
  ///   - start: starts the exchange and returns what disposes it.
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

  /// Takes the request as middleware has changed it.
  func note(_ request: HTTPRequest) { state.withLock { $0.adapted = request } }

  /// Takes the next event.
  func receive(_ event: Event<TransportEvent, NetworkError>) {
    // What answers within `start` cannot be disposed yet, and may go on after a failure.
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
        // Its total time-out has passed meanwhile, which has taken the response for the error.
        if request.deadline?.hasPassed == true { return }
        return fail(NetworkError(.network, .invalidResponse, reason: "the exchange ended without a response"))
      }
      if let deadline = request.deadline { deadline.activity = .reading }
      evidence.noteAnswer(from: request.url)
      observer.complete(with: response)
    }
  }

  /// The response received so far; it is released here, as nothing comes after it.
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

  /// Takes a part of the response; returns whether it is not too much.
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
    var error = error.blaming(request)
    error.response = error.response ?? takeResponse()
    error.metrics = error.metrics ?? error.response?.metrics
    error = evidence.testify(to: error, since: reachabilityBefore)
    observer.fail(request.deadline?.judged(error) ?? error)
  }
}

extension HTTPRequest {
  /// Whether it asks for a 304 where nothing has changed.
  ///
  /// RFC 9110 §13.1.2, §13.1.3.
  fileprivate var isConditional: Bool {
    headers.contains {
      $0.name.isEqualIgnoringCase(to: "If-None-Match") || $0.name.isEqualIgnoringCase(to: "If-Modified-Since")
    }
  }
}
