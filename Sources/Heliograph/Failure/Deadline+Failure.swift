package import Signals

extension Deadline {
  /// The error of an exchange that its transport ends, with what it was doing by its metrics.
  func failure(of request: HTTPRequest, _ metrics: Metrics) -> NetworkError {
    failure(Evidence.Phase(metrics, of: request)?.activity ?? "waiting for the response", request, metrics)
  }

  /// The error of a request that no transport ends, with what the client was doing.
  func failure() -> NetworkError {
    var error: NetworkError
    switch activity {
    case .preparing:
      error = failure("preparing the request", request)
      error.attribution = Attribution(.client)
    // Nothing was sent: as if it waited in the queue.
    case .middleware: error = failure("in middleware", request, Metrics(endedAt: elapsed))
    case .exchange: error = failure("waiting for the response", request)
    case .retryDelay: error = failure("waiting before a retry", request)
    case .refresh: error = failure("waiting for a token refresh", request)
    case .reading:
      error = failure("reading the response", request)
      error.attribution = Attribution(.client)
    }
    return error
  }

  private func failure(_ activity: String, _ request: HTTPRequest?, _ metrics: Metrics? = nil) -> NetworkError {
    NetworkError(
      .network, .timedOut, reason: "the total time-out of \(duration) has passed while \(activity)", request: request,
      metrics: metrics)
  }

  /// The error with nobody blamed where the total time-out alone is no evidence.
  ///
  /// A server had its chance if more than half of the time was spent waiting for the head of its response. What was spent
  /// on queues, middleware, earlier attempts or a slow way is not its fault.
  func judged(_ error: NetworkError) -> NetworkError {
    guard hasPassed, error.domain == .network, error.code == .timedOut, error.attribution.party == .server else {
      return error
    }
    if error.attribution.evidence?.phase == .answering, let metrics = error.metrics, let sentAt = metrics.sentAt,
      metrics.endedAt - sentAt > duration / 2
    {
      return error
    }
    var error = error
    error.attribution = Attribution(.undetermined, evidence: error.attribution.evidence)
    return error
  }

  /// A signal that fails at the deadline.
  package func limiting<Value>(_ signal: Signal<Value, NetworkError>) -> Signal<Value, NetworkError> {
    signal.take(
      until: Signal<Void, NetworkError> { [self] observer in
        start { observer.fail(self.failure()) }
        return Disposable { self.stop() }
      })
  }
}

extension HTTPRequest {
  /// Whether it has a total time-out that nobody further out watches: a transport is used directly.
  var needsDeadline: Bool { totalTimeout != nil && deadline == nil }

  /// An exchange that fails at the deadline of this request.
  ///
  /// - Parameter send: makes the exchange, for the request with its deadline.
  /// - Returns: the signal.
  func limited(
    _ send: @escaping @Sendable (HTTPRequest) -> Signal<TransportEvent, NetworkError>
  ) -> Signal<TransportEvent, NetworkError> {
    .deferred {
      guard let totalTimeout else { return send(self) }
      let deadline = Deadline(after: totalTimeout, on: .global)
      var request = self
      request.context.deadline = deadline
      deadline.begin(request)
      deadline.activity = .exchange
      return deadline.limiting(send(request))
    }
  }

  /// The request with what is left of its total time-out, for the next transport.
  var withRemainingTime: HTTPRequest {
    guard let deadline else { return self }
    var request = self
    request.totalTimeout = deadline.remaining
    return request
  }
}
