public import Signals

/// Puts right what fails requests in the same way, such as a token that has expired, once for all of them, and sends them again.
///
/// ```swift
/// let recovery = Recovery(service: .shop) { session.refresh() }
/// ```
/// - The first failure that matches begins the refresh; those that come while it is under way wait for the same one.
/// - When it completes, each that waited is built and sent again, **once**: if that fails too, the error is passed on.
/// - When it fails, each that waited fails once, with its error.
/// - A request that had begun before a refresh ended, and fails after it, gets the same outcome without a further refresh.
/// - Whoever is disposed leaves; when the last has left, the refresh is disposed.
/// - More than ``limit`` refreshes within ``window`` are refused with ``NetworkError/Code/recoveryRefused``: something is
///   wrong that they do not put right. One that is disposed does not count.
///
/// A request that the refresh sends as it begins is not recovered, as it would wait for itself. Requirement P5.
public final class Recovery: Sendable {
  /// The statuses that match.
  public let statuses: Set<Int>
  /// The codes of `api` errors that match.
  public let codes: Set<NetworkError.Code>
  /// Whose requests it is for; `nil` means all.
  public let service: ServiceID?
  /// How many refreshes there may be within ``window``.
  public let limit: Int
  /// The time in which refreshes are counted.
  public let window: Duration
  private let refresh: SharedRefresh

  /// Makes a recovery; give the same one to all that it is for.
  ///
  /// - Parameters:
  ///   - statuses: the statuses that match. Default: 401.
  ///   - codes: the codes of `api` errors that match. Default: none.
  ///   - service: whose requests it is for. Default: `nil`, all.
  ///   - limit: how many refreshes there may be within the window. Default: 3.
  ///   - window: the time in which refreshes are counted. Default: 60 seconds.
  ///   - scheduler: whose clock counts. Default: `.global`.
  ///   - refresh: makes the signal that puts things right, on the thread of the first failure. What it sends is dropped; it
  ///     counts when it completes or fails.
  public init<Value: Sendable>(
    statuses: Set<Int> = [401], codes: Set<NetworkError.Code> = [], service: ServiceID? = nil, limit: Int = 3,
    window: Duration = .seconds(60), scheduler: any Scheduler = .global,
    refresh: @escaping @Sendable () -> Signal<Value, NetworkError>
  ) {
    self.statuses = statuses
    self.codes = codes
    self.service = service
    self.limit = limit
    self.window = window
    self.refresh = SharedRefresh(limit: limit, window: window, scheduler: scheduler) { end in
      refresh().subscribe { event in
        switch event {
        case .value: break
        case .failed(let error): end(.failure(error))
        case .completed: end(.success(()))
        }
      }
    }
  }

  /// Whether it is for a failure.
  ///
  /// - Parameters:
  ///   - error: the failure.
  ///   - service: whose request failed.
  /// - Returns: whether status or code match, and the service does.
  public func matches(_ error: NetworkError, service: ServiceID?) -> Bool {
    guard self.service == nil || self.service == service else { return false }
    return switch error.domain {
    case .server: statuses.contains(error.code.rawValue)
    // A server may say with its status, too, what it says in the body.
    case .api: codes.contains(error.code) || error.statusCode.map(statuses.contains) == true
    case .client, .network, .processing: false
    }
  }

  /// A request's signal, which is subscribed to once more after a failure that matches has been put right.
  ///
  /// - Parameters:
  ///   - signal: the request, cold from building on.
  ///   - service: whose request it is.
  /// - Returns: the signal. A failure after its first value is passed on.
  package func recovering<Value: Sendable>(
    _ signal: Signal<Value, NetworkError>, for service: ServiceID? = nil
  ) -> Signal<Value, NetworkError> {
    .deferred { [self] in
      if refresh.isBeginningHere { return signal }
      let endedCount = refresh.endedCount
      return signal.following { [self] error, hasSent in
        guard !hasSent, matches(error, service: service) else { return .fail(error) }
        return refresh.joined(after: error, since: endedCount).then(signal)
      }
    }
  }
}
