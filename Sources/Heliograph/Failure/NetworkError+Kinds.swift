import Signals

/// The most frequent questions about an error; for all others `switch` over ``domain`` and ``code``.
extension NetworkError {
  /// Whether a timeout failed the request: the idle or total timeout, that of a refresh, or a server's 408 or 504.
  public var isTimeout: Bool {
    switch (domain, code) {
    case (.network, .timedOut), (.client, .recoveryTimedOut), (.server, 408), (.server, 504): true
    default: false
    }
  }

  /// Whether the device has no network: known before sending, or observed at the failure.
  public var isOffline: Bool {
    switch (domain, code) {
    case (.client, .unreachable): true
    // -1009: not connected; -1018 and -1020: roaming or data not allowed; -1019: a call is in progress.
    case (.network, -1009), (.network, -1018), (.network, -1019), (.network, -1020): true
    case (.network, _):
      attribution.evidence.map { $0.reachabilityBefore == .unreachable || $0.reachabilityAfter == .unreachable }
        ?? false
    default: false
    }
  }

  /// Whether the task that awaited the request was cancelled.
  public var isCancelled: Bool { domain == .client && code == .cancelled }

  /// Whether credentials are missing or rejected: 401, or a service's code with the meaning ``Meaning/needsLogin``.
  public var isUnauthorized: Bool { domain == .server && code == 401 || meaning == .needsLogin }
}

extension NetworkError: CancellationReporting {
  /// The error of a cancelled task: domain `client`, code ``Code/cancelled``.
  public static var cancellation: NetworkError {
    NetworkError(.client, .cancelled, reason: "the task was cancelled")
  }
}
