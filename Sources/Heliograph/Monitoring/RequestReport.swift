/// The account of an attempt, or of a whole request, at its end.
public struct RequestReport: Sendable {
  /// The way in which it ended.
  public enum Outcome: Sendable {
    /// It completed.
    case succeeded
    /// It failed.
    case failed(NetworkError)
    /// It was disposed before it had terminated.
    case cancelled

    /// The error, if it failed.
    var error: NetworkError? { if case .failed(let error) = self { error } else { nil } }
  }

  /// The identity of the request.
  public let id: RequestID
  /// The number of the attempt, counted from 1; of a whole request the number of attempts, 0 if it could not be built.
  public let attempt: Int
  /// The request as it was sent, or as it was built if it was not sent; of a whole request that of the last attempt.
  ///
  /// Its description leaves out what may be secret.
  public let request: HTTPRequest?
  /// Whether it was handed to the transport; of a whole request whether any attempt was.
  ///
  /// `false` if the offline gate refused it, middleware failed, or it could not be built.
  public let wasSent: Bool
  /// The head of the last response.
  public let response: HTTPResponse?
  /// The number of bytes of the last response's body, after content codings were undone.
  public let bodyByteCount: Int
  /// The time from its start to its end, on the client's clock; of a whole request with all attempts and delays.
  public let duration: Duration
  /// What the last exchange cost, if the transport says.
  public let metrics: Metrics?
  /// The way in which it ended.
  public let outcome: Outcome

  /// The error, if it failed.
  public var error: NetworkError? { outcome.error }
}

extension RequestReport: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Request, outcome and duration on one line, without secrets.
  public var description: String {
    let name = request.map { "\($0)" } ?? "a request that was not built"
    let status = response.map { ", status \($0.statusCode)" } ?? ""
    return "\(name) (request \(id), attempt \(attempt)) \(outcome) in \(duration.milliseconds) ms\(status)"
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Nothing beyond ``description``.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension RequestReport.Outcome: CustomStringConvertible {
  /// The outcome in words.
  public var description: String {
    switch self {
    case .succeeded: "succeeded"
    case .failed(let error): "failed: \(error)"
    case .cancelled: "was cancelled"
    }
  }
}
