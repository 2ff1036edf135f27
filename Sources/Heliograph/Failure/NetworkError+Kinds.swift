public import Signals

/// The most common questions about an error; for all others, `switch` over ``code``.
extension NetworkError {
  /// Whether the request timed out: its idle or total timeout, the timeout of a refresh, or a server's 408 or 504.
  public var isTimeout: Bool {
    switch code {
    case .timedOut, .recoveryTimedOut, .status(408), .status(504): true
    default: false
    }
  }

  /// Whether the device has no network: known before sending, or observed at the failure.
  public var isOffline: Bool {
    switch code {
    case .unreachable: true
    case _ where domain == .network:
      code.isOffline
        || attribution.evidence.map { $0.reachabilityBefore == .unreachable || $0.reachabilityAfter == .unreachable }
          ?? false
    default: false
    }
  }

  /// Whether the request was cancelled by its task, its call or its `Progress`; see ``Code/cancelled``.
  public var isCancelled: Bool { code == .cancelled }

  /// Whether credentials are missing or rejected: the code `.status(401)`, or a service's code with the meaning
  /// ``Meaning/needsLogin``, whatever the status; also if ``Recovery/limit`` has refused the refresh for it.
  public var isUnauthorized: Bool {
    if code == .recoveryRefused, let failure = underlying as? NetworkError { return failure.isUnauthorized }
    return code == .status(401) || meaning == .needsLogin
  }

  /// The codes by which recoveries, retries and messages know the error, the most specific first.
  ///
  /// A server may report one failure by the code in the body and by the status, whichever of them rejects the response.
  /// A validator may have reported an `api` code of its own.
  var allCodes: [Code] {
    let status = (domain == .api ? statusCode : brokenStatus).map { Code.status($0) }
    let codes = domain == .api ? [code, serverCode, status] : [serverCode, code, status]
    return codes.compactMap { $0 }
  }

  /// The error status that a `network` error has because the body of the response was cut or undecodable; `nil` for
  /// other errors.
  ///
  /// The status is the failure: the request was answered.
  var brokenStatus: Int? { domain == .network ? statusCode.flatMap { $0 >= 400 ? $0 : nil } : nil }

  /// Returns whether one of the codes is among these statuses or codes; always `false` for a `client` error, which
  /// neither a repetition nor a refresh repairs.
  func hasCode(in statuses: Set<Int>, _ codes: Set<Code>) -> Bool {
    if domain == .client { return false }
    return allCodes.contains { codes.contains($0) || ($0.domain == .server && statuses.contains($0.number)) }
  }
}

extension NetworkError: TimeoutExplaining {
  package func explained(byTimeout interval: Duration) -> NetworkError {
    code == .timedOut && loggedReason.isEmpty ? withReason("timeout of the signal: no event for \(interval)") : self
  }
}

extension NetworkError: CancellationReporting {
  /// The error of a cancelled task: code ``Code/cancelled``.
  public static var cancellation: NetworkError {
    NetworkError(.cancelled, reason: "the task was cancelled")
  }
}

extension Signal where Failure == NetworkError {
  /// Returns the first value; throws only a ``NetworkError``.
  ///
  /// The source is disposed after the first value and when the task is cancelled.
  /// - Throws: The signal's failure; ``NetworkError/Code/noValue`` if the signal completes without a value, as after a
  ///   304 or when a ``Lane`` has dropped it; ``NetworkError/cancellation`` if the task is cancelled before the first
  ///   value.
  public func value() async throws(NetworkError) -> Value {
    if let value = try await first() { return value }
    throw NetworkError(.noValue, reason: "the signal completed without a value")
  }
}

extension NetworkError {
  /// What a service's error code means to the app, whichever service sent it: for example, that the user has to sign in
  /// again.
  ///
  /// An envelope's table maps codes to meanings. Define your own meanings as static members.
  public struct Meaning: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name of the meaning.
    public let rawValue: String

    /// Creates a meaning from a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a meaning from a name.
    public init(stringLiteral value: String) { rawValue = value }

    /// The user has to sign in again.
    public static let needsLogin: Meaning = "needsLogin"
    /// The app has to be updated.
    public static let needsUpdate: Meaning = "needsUpdate"
  }
}

extension Metrics.Attempt {
  /// Creates the record of an attempt that failed with an error.
  init(_ error: NetworkError) {
    let code = error.code
    self.init(domain: code.domain.rawValue, code: code.number, duration: error.metrics?.endedAt)
    name = code.name
  }
}

/// The style in which an error is presented to the user.
public enum PresentationStyle: String, Sendable, Hashable, CaseIterable {
  /// A dialog that stays until the user confirms it; one at a time.
  case dialog
  /// A toast that disappears by itself.
  case toast
  /// A text next to the source of the error, such as a form, until the next submission.
  case inline
  /// No presentation; the caller still receives the error.
  case silent
}
