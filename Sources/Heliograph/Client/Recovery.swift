import Foundation
public import Signals

/// A repair of what fails requests in the same way, such as an expired token: done once for all of them, which are sent again.
///
/// ```swift
/// struct Session: Decodable, Sendable { let token: String }
/// let recovery = Recovery { client in
///   client.enqueue(request: Request(.post, "/token"), resultType: Session.self)
/// }
/// ```
/// - The first failure that matches begins the refresh; failures during the refresh wait for the same one.
/// - When it completes, each request that waited is built and sent again, **once**: if that fails too, the error is passed on.
/// - When it fails, each request that waited fails once, with its error.
/// - A request that had begun before a refresh ended, and fails after it, gets the same outcome without a further refresh.
/// - When the last request that waits is disposed, the refresh is disposed.
/// - A refresh that takes longer than ``totalTimeout`` is disposed and fails with ``NetworkError/Code/recoveryTimedOut``.
/// - More than ``limit`` refreshes within ``window`` are refused with ``NetworkError/Code/recoveryRefused``: something is
///   wrong that they do not repair. One that is disposed does not count.
///
/// All of this holds for one identity, which is an account in an environment: no request waits for the refresh of another one,
/// or gets its outcome. When the identity changes, its refresh is disposed, and the requests that wait fail with
/// ``NetworkError/Code/contextChanged``.
///
/// Send the refresh over the client that the closure gets. Its requests are never recovered, so that a refresh cannot wait for
/// itself, and end with the identity. What a refresh sends over another client, after it has changed threads, waits for itself
/// if that client has the same recovery: until the total time-out.
public final class Recovery: Sendable {
  /// The statuses that match.
  public let statuses: Set<Int>
  /// The codes of `api` errors that match.
  public let codes: Set<NetworkError.Code>
  /// The service whose requests it is for; `nil` means all.
  public let service: ServiceID?
  /// The maximum of refreshes within ``window``.
  public let limit: Int
  /// The time in which refreshes are counted.
  public let window: Duration
  /// The maximum time of one refresh.
  public let totalTimeout: Duration
  private let refresh: SharedRefresh<@Sendable () -> NetworkClient>

  /// Makes a recovery; give the same one to all clients that share a token.
  ///
  /// - Parameters:
  ///   - statuses: the statuses that match. Default: 401.
  ///   - codes: the codes of `api` errors that match. Default: none.
  ///   - service: the service whose requests it is for. Default: `nil`, all.
  ///   - limit: the maximum of refreshes within the window, for each identity. Default: 3.
  ///   - window: the time in which refreshes are counted. Default: 60 seconds.
  ///   - totalTimeout: the maximum time of one refresh. Default: 30 seconds.
  ///   - scheduler: the clock of window and time-out. Default: `.global`.
  ///   - refresh: makes the signal that repairs, on the thread of the first failure. It gets a client like the one whose request
  ///     has failed, without recoveries, and for the identity of that request. What the signal sends is dropped; it counts
  ///     when it completes or fails. What it changes elsewhere, it must not change once it has been disposed.
  public init<Value: Sendable>(
    statuses: Set<Int> = [401], codes: Set<NetworkError.Code> = [], service: ServiceID? = nil, limit: Int = 3,
    window: Duration = .seconds(60), totalTimeout: Duration = .seconds(30), scheduler: any SignalScheduler = .global,
    refresh: @escaping @Sendable (NetworkClient) -> Signal<Value, NetworkError>
  ) {
    self.statuses = statuses
    self.codes = codes
    self.service = service
    self.limit = limit
    self.window = window
    self.totalTimeout = totalTimeout
    let expiry = Signal<Void, NetworkError>.timer(after: totalTimeout, on: scheduler)
      .then(Signal<Never, NetworkError>.fail(.timedOut(after: totalTimeout)))
    self.refresh = SharedRefresh(limit: limit, window: window, scheduler: scheduler) { client, end in
      refresh(client()).take(until: expiry).subscribe { event in
        switch event {
        case .value: break
        case .failed(let error): end(.failure(error))
        case .completed: end(.success(()))
        }
      }
    }
  }

  /// Makes a recovery whose refresh sends nothing over the client, such as one that another library does.
  ///
  /// - Parameters:
  ///   - statuses: the statuses that match. Default: 401.
  ///   - codes: the codes of `api` errors that match. Default: none.
  ///   - service: the service whose requests it is for. Default: `nil`, all.
  ///   - limit: the maximum of refreshes within the window, for each identity. Default: 3.
  ///   - window: the time in which refreshes are counted. Default: 60 seconds.
  ///   - totalTimeout: the maximum time of one refresh. Default: 30 seconds.
  ///   - scheduler: the clock of window and time-out. Default: `.global`.
  ///   - refresh: makes the signal that repairs, on the thread of the first failure.
  public convenience init<Value: Sendable>(
    statuses: Set<Int> = [401], codes: Set<NetworkError.Code> = [], service: ServiceID? = nil, limit: Int = 3,
    window: Duration = .seconds(60), totalTimeout: Duration = .seconds(30), scheduler: any SignalScheduler = .global,
    refresh: @escaping @Sendable () -> Signal<Value, NetworkError>
  ) {
    self.init(
      statuses: statuses, codes: codes, service: service, limit: limit, window: window, totalTimeout: totalTimeout,
      scheduler: scheduler
    ) { _ in refresh() }
  }

  /// Whether it is for a failure.
  ///
  /// - Parameters:
  ///   - error: the failure.
  ///   - service: the service whose request failed.
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

  /// What a recovery has to know of the client whose request it is for.
  package struct Context: Sendable {
    var identity = Identity()
    /// Makes the client of a refresh.
    let client: @Sendable () -> NetworkClient
    /// Whether an address is of the client's own origins: a refusal by another server is none of the account's.
    var owns: @Sendable (URL) -> Bool = { _ in true }
    /// Ends a wait for a refresh when the identity changes.
    var guarding: @Sendable (Signal<Void, NetworkError>) -> Signal<Void, NetworkError> = { $0 }

    /// Makes the context of a client without identities.
    package init(client: @escaping @Sendable () -> NetworkClient) { self.client = client }
  }

  /// A request's signal, which is subscribed to once more after a failure that matches has been repaired.
  ///
  /// - Parameters:
  ///   - signal: the request, cold from building on.
  ///   - service: the service whose request it is.
  ///   - context: its identity and client.
  /// - Returns: the signal. A failure after its first value is passed on.
  package func recovering<Value: Sendable>(
    _ signal: Signal<Value, NetworkError>, for service: ServiceID?, in context: Context
  ) -> Signal<Value, NetworkError> {
    .deferred { [self] in
      if refresh.isBeginningHere { return signal }
      let endedCount = refresh.endedCount
      return signal.following { [self] error, hasSent in
        guard !hasSent, matches(error, service: service), error.response.map({ context.owns($0.url) }) != false
        else { return .fail(error) }
        let outcome = refresh.joined(as: context.identity, with: context.client, after: error, since: endedCount)
        return context.guarding(outcome).then(signal)
      }
    }
  }
}

extension NetworkError {
  fileprivate static func timedOut(after limit: Duration) -> NetworkError {
    NetworkError(
      .client, .recoveryTimedOut,
      reason: "the refresh of a Recovery took longer than \(limit); it may wait for a request of its own, "
        + "which must be sent over the client that the refresh gets")
  }
}
