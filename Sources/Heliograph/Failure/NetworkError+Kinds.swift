import Signals

/// The questions that apps ask about an error most often; all others are a `switch` over ``domain`` and ``code``.
extension NetworkError {
  /// Whether a time-out ended the request: the idle or the total time-out, or a server's 408 or 504.
  public var isTimeout: Bool {
    switch (domain, code) {
    case (.network, .timedOut), (.client, .recoveryTimedOut), (.server, 408), (.server, 504): true
    default: false
    }
  }

  /// Whether the device has no network: known before anything was sent, or observed when the request failed.
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

  /// Whether the server refuses the credentials or wants some: 401, or a service's code that means ``Meaning/needsLogin``.
  public var isUnauthorized: Bool { domain == .server && code == 401 || meaning == .needsLogin }
}

extension NetworkError: CancellationReporting {
  /// The error of a cancelled task: domain `client`, code ``Code/cancelled``.
  public static var cancellation: NetworkError {
    NetworkError(.client, .cancelled, reason: "the task was cancelled")
  }
}
