/// The report of an attempt or of a whole request at its end.
public struct RequestReport: Sendable {
  /// The outcome of an attempt or a request.
  public enum Outcome: Sendable {
    /// The request or attempt completed, or was disposed after its value and whole response.
    case success
    /// The request or attempt failed.
    case failure(NetworkError)
    /// The request was disposed before it had delivered its value and received the whole response; or, for an attempt,
    /// the account or environment has changed, and the request fails with ``NetworkError/Code/contextChanged``.
    case cancelled

    var error: NetworkError? { if case .failure(let error) = self { error } else { nil } }
  }

  /// The identity of the request.
  public let id: RequestID
  /// The number of the attempt, counted from 1; for a whole request, the number of attempts, or 0 if it could not be
  /// built.
  public let attempt: Int
  /// The request as sent, or as built if it was not sent; for a whole request, the last attempt's.
  ///
  /// Its description omits secrets.
  public var request: HTTPRequest? { facts.value.request }
  /// Whether the attempt was passed to the transport; for a whole request, whether any attempt was.
  ///
  /// `false` if the response is that of the cache or of another request's exchange, the request was refused because
  /// there was no network, middleware failed, or it could not be built.
  public var wasSent: Bool { facts.value.wasSent }
  /// The head of the last response.
  public var response: HTTPResponse? { facts.value.response }
  /// The size in bytes of the last response's body, after content decoding.
  public var bodyByteCount: Int { facts.value.bodyByteCount }
  /// The duration on the client's clock; for a whole request, including all attempts and delays.
  public let duration: Duration
  /// The metrics of the last exchange, if the transport reports them.
  public var metrics: Metrics? { facts.value.details?.value.metrics }
  /// The outcome: success, failure or cancellation.
  public let outcome: Outcome
  var history: RunHistory? { position?.history }
  /// The error of a failed attempt or request.
  public var error: NetworkError? { outcome.error }

  /// The request and the response of an attempt, recorded while it is in flight.
  struct Facts: Sendable {
    var request: HTTPRequest?
    var wasSent = false
    var response: HTTPResponse?
    /// The details of the last response, which have its metrics.
    var details: CopyOnWrite<ResponseDetails>?
    var bodyByteCount = 0
  }

  /// The request and the response of the last attempt, in a box that both reports share unless they differ.
  let facts: CopyOnWrite<Facts>
  /// The position in the run's log at the end; `nil` if the decisions are unknown.
  let position: RunLog.Position?
  /// Whether a refresh sent the request with its client.
  var isOfRefresh = false

  /// The report without the bodies of its requests and responses, with the same ``explanation``.
  package var withoutBodies: RequestReport {
    // Most reports have none and need no copy.
    let requests = [request, facts.value.details?.value.request]
    if error == nil, !requests.contains(where: { $0?.hasBody(over: 0) == true }) { return self }
    var facts = facts
    facts.value.request = request?.withoutBody(over: 0)
    facts.value.details?.value.request = nil
    let outcome = error.map { Outcome.failure($0.withoutBodies(over: 0)) } ?? outcome
    return RequestReport(
      id: id, attempt: attempt, duration: duration, outcome: outcome, facts: facts, position: position,
      isOfRefresh: isOfRefresh)
  }
}

extension RequestReport: _Summarized {
  /// Request, outcome and duration on one line, without secrets.
  public var description: String {
    let name = request.map { "\($0)" } ?? "a request that was not built"
    let status = response.map { ", status \($0.statusCode)" } ?? ""
    return "\(name) (request \(id), attempt \(attempt)) \(outcome) in \(duration.inMilliseconds)\(status)"
  }
}

extension RequestReport.Outcome: CustomStringConvertible {
  /// The outcome as text: `succeeded`, `was cancelled`, or `failed:` with the error.
  public var description: String {
    switch self {
    case .success: "succeeded"
    case .failure(let error): "failed: \(error)"
    case .cancelled: "was cancelled"
    }
  }
}

extension RequestReport.Outcome {
  /// The outcome of an attempt: cancelled if the identity of the request has changed, because it did not itself fail.
  var ofAttempt: RequestReport.Outcome {
    if case .failure(let error) = self, error.code == .contextChanged { .cancelled } else { self }
  }

  var recorded: RunHistory.Outcome {
    switch self {
    case .success: .succeeded
    case .failure(let error): .failed(error.cause)
    case .cancelled: .cancelled
    }
  }
}

extension CopyOnWrite<ResponseDetails>? {
  /// Returns the details with the earlier attempts, at least one, unless they already have some.
  func following(_ earlier: [Metrics.Attempt]) -> CopyOnWrite<ResponseDetails>? {
    if self?.value.metrics?.earlierAttempts.isEmpty == false { return self }
    var value = self?.value ?? ResponseDetails()
    value.metrics = value.metrics ?? Metrics()
    value.metrics?.earlierAttempts = earlier
    return CopyOnWrite(value)
  }
}

extension NetworkError {
  /// The details of a failure, which have its metrics; `nil` if it has none.
  var details: CopyOnWrite<ResponseDetails>? {
    metrics.map { CopyOnWrite(ResponseDetails(metrics: $0)) }
  }
}
