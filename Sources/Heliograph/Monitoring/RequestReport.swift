/// The report of an attempt or of a whole request at its end.
public struct RequestReport: Sendable {
  /// The outcome of an attempt or a request.
  public enum Outcome: Sendable {
    /// The request or attempt completed.
    case success
    /// The request or attempt failed.
    case failure(NetworkError)
    /// The request was disposed before it terminated.
    case cancelled

    /// The error, if it failed.
    var error: NetworkError? { if case .failure(let error) = self { error } else { nil } }
  }

  /// The identity of the request.
  public let id: RequestID
  /// The number of the attempt, counted from 1; for a whole request, the number of attempts, or 0 if it could not be
  /// built.
  public let attempt: Int
  /// The request as sent, or as built if it was not sent; for a whole request that of the last attempt.
  ///
  /// Its description omits secrets.
  public let request: HTTPRequest?
  /// Whether it was passed to the transport; for a whole request whether any attempt was.
  ///
  /// It is `false` if the offline gate rejected it, if middleware failed, or if it could not be built.
  public let wasSent: Bool
  /// The head of the last response.
  public let response: HTTPResponse?
  /// The number of bytes of the last response's body, after decoding of content codings.
  public let bodyByteCount: Int
  /// The duration on the client's clock; for a whole request with all attempts and delays.
  public let duration: Duration
  /// The metrics of the last exchange, if the transport reports them.
  public let metrics: Metrics?
  /// The outcome: success, failure or cancellation.
  public let outcome: Outcome
  /// The decisions of the run so far.
  var history: RunHistory?

  /// The error, if it failed.
  public var error: NetworkError? { outcome.error }
}

extension RequestReport: _Summarized {
  /// Request, outcome and duration on one line, without secrets.
  public var description: String {
    let name = request.map { "\($0)" } ?? "a request that was not built"
    let status = response.map { ", status \($0.statusCode)" } ?? ""
    return "\(name) (request \(id), attempt \(attempt)) \(outcome) in \(duration.milliseconds) ms\(status)"
  }
}

extension RequestReport.Outcome: CustomStringConvertible {
  /// The outcome as text, such as `success` or the error.
  public var description: String {
    switch self {
    case .success: "succeeded"
    case .failure(let error): "failed: \(error)"
    case .cancelled: "was cancelled"
    }
  }
}
