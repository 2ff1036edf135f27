import Signals

/// The failed attempts of one request, for the metrics of its result.
final class AttemptLog: Sendable {
  private let failed = Guarded<[Metrics.Attempt]>([])

  /// The number of the next attempt, counted from 1.
  var nextNumber: Int { failed.withLock { $0.count } + 1 }

  /// Adds a failed attempt; returns its error with the earlier attempts.
  func added(_ error: NetworkError) -> NetworkError {
    let this = Metrics.Attempt(
      domain: error.domain.rawValue, code: error.code.number, duration: error.metrics?.endedAt)
    let earlier = failed.withLock { failed in
      defer { failed.append(this) }
      return failed
    }
    if earlier.isEmpty { return error }
    var error = error
    var metrics = error.metrics ?? Metrics()
    metrics.earlierAttempts = earlier
    error.metrics = metrics
    return error
  }

  /// Returns the response with the earlier attempts.
  func noted<Value>(on response: Response<Value>) -> Response<Value> {
    let earlier = failed.withLock { $0 }
    if earlier.isEmpty { return response }
    return response.detailed { details in
      var metrics = details.metrics ?? Metrics()
      metrics.earlierAttempts = earlier
      details.metrics = metrics
    }
  }
}
