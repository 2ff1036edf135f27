import Foundation
public import Signals

/// A recovery from a failure common to many requests, such as an expired token, performed once for all of them.
///
/// ```swift
/// struct Session: Decodable, Equatable, Sendable { let token: String }
/// let session = CurrentValue<Session?>(nil)
/// let recovery = Recovery { client in
///   let old = session.value
///   return client.enqueue(request: Request(.post, "/token"), resultType: Session.self)
///     .on(value: { fresh in session.modify { if $0 == old { $0 = fresh.value } } })  // not after a sign-out meanwhile
/// }
/// ```
/// - The first matching failure begins the refresh; failures during the refresh wait for it.
/// - The waiting requests are notified one after another, on the thread of the refresh: their handlers must not block.
/// - When the refresh completes, each waiting request is built and sent again, **once**: a second failure within
///   ``window`` is delivered; after it, the token may have expired once more, so up to three refreshes, but no more
///   than ``limit``, repair a request. For a download that has advanced, both rules begin anew: its token was accepted.
///   A request whose body was read and cannot be read again fails with its first failure instead, and so does a `POST`
///   that a redirect has turned into the rejected `GET`, or that may have been received before its connection was lost
///   or its middleware failed; the reason says so.
/// - When the refresh fails, each waiting request fails once, with the error of the refresh, or with
///   ``NetworkError/Code/recoveryRefused`` if that is ``NetworkError/Code/cancelled`` or the refresh ends silently,
///   such as with its owner; a `POST` that may have been received keeps its own failure. If the error of the refresh is
///   ``NetworkError/Code/unreachable``, a request with ``NetworkClient/Configuration/waitsForConnectivity`` waits for a
///   network and is sent again.
/// - An attempt that started before a refresh terminated, and fails after it but within ``window``, gets the same
///   outcome without another refresh.
/// - A refresh goes on when the last waiting request is disposed, such as with its screen, because the server may
///   already have replaced the credentials. Later failures wait for it.
/// - A refresh that takes longer than ``totalTimeout`` is disposed and fails with
///   ``NetworkError/Code/recoveryTimedOut``; after a suspension of the process, it gets up to five more seconds for a
///   response that has arrived meanwhile.
/// - A rejection by an origin that is not one of the client's own, if it has any, or from which a redirect has removed
///   the credentials, begins none.
/// - If several recoveries match a failure, the first of them repairs it. None is started by the failure of a refresh.
/// - After ``limit`` refreshes within ``window``, no other is started. If the last one has failed, requests get its
///   error again; if it has succeeded, they fail with ``NetworkError/Code/recoveryRefused``, because refreshing
///   evidently does not repair the failure. A refresh does not count if its identity changes or nothing of it was sent:
///   there is no network, a ``CircuitBreaker`` is open, or the closure fails with a status of its own, such as
///   `NetworkError(.status(401))` for lack of a session.
///
/// These rules apply separately to each identity, which is an account in an environment: no request waits for the
/// refresh of another identity or gets its outcome. When the identity changes, its refresh is disposed, and the waiting
/// requests fail with ``NetworkError/Code/contextChanged``. A refresh should therefore not sign out. Sign out in
/// ``NetworkClient/Configuration/onUnauthorized`` after a 401, in `onFailure` after another rejection: both are called
/// after the waiting requests have failed with the error of the refresh, unless another account has been signed in by
/// then.
///
/// Send the refresh with the client passed to the closure. Requests of that client fail when the identity changes, and
/// are never recovered, so that a refresh cannot wait for itself. For the same reason, a request that begins on the
/// thread or in a task of a running refresh is not recovered, whichever client sends it: if the refresh sends to a
/// subject, observe that subject on another scheduler before sending requests. If a refresh changes threads and then
/// sends a request with another client that has the same recovery, the request waits for the refresh, and the refresh
/// for the request, until the total timeout.
///
/// Requests of the client that the closure gets use the cache only with a policy of their own, because a stored token
/// would count as a fresh one.
public final class Recovery: Sendable {
  /// The statuses that start a refresh.
  public let statuses: Set<Int>
  /// The codes that start a refresh, of any domain but `client`, such as a service's own, whatever the status.
  public let codes: Set<NetworkError.Code>
  /// The service whose requests are recovered; `nil` means all.
  public let service: ServiceID?
  /// The maximum number of refreshes within ``window``.
  public let limit: Int
  /// The time span in which refreshes are counted.
  public let window: Duration
  /// The maximum duration of one refresh.
  public let totalTimeout: Duration
  let refresh: SharedRefresh

  /// Creates a recovery; pass the same instance to all clients that share a token.
  ///
  /// These clients need the same ``NetworkClient/Configuration/account`` and
  /// ``NetworkClient/Configuration/environments``, because a refresh serves one identity.
  /// - Parameters:
  ///   - statuses: The statuses that start a refresh. Default: 401.
  ///   - codes: The codes that start a refresh, of any domain but `client`, such as `.api(1001)`. Default: none.
  ///   - service: The service whose requests are recovered. Default: `nil`, all.
  ///   - limit: The maximum number of refreshes within the window, for each identity; and in all for one request, up to
  ///     three, counted anew for a download that has advanced. Default: 3.
  ///   - window: The time span in which refreshes are counted, and in which a failure after a refresh is delivered.
  ///     Default: 60 seconds.
  ///   - totalTimeout: The maximum duration of one refresh. Default: 30 seconds.
  ///   - scheduler: The clock for the window and the timeout. With a `DispatchScheduler` the window, but not the
  ///     timeout, includes the time in which the device sleeps, because tokens expire meanwhile. Default: `.global`.
  ///   - refresh: Returns the signal of the refresh, on the thread of the first failure, which it must not block: the
  ///     timeout begins when it has returned. Its argument is a client
  ///     like that of the failed request, without recoveries and with the identity of that request. Values of the
  ///     signal are dropped; only its completion or failure matters. After its disposal the refresh must have no side
  ///     effects.
  ///   - onFailure: Called once for each failed refresh, after the waiting requests have failed, on the thread of
  ///     the failure. Sign out here if the server rejects a refresh with a status other than 401; for 401 use
  ///     ``NetworkClient/Configuration/onUnauthorized``. It is not called if the refresh fails because the
  ///     identity has changed, there is no network or a ``CircuitBreaker`` is open, or if another account has been
  ///     signed in meanwhile. Default: no action.
  public init<Value: Sendable>(
    statuses: Set<Int> = [401], codes: Set<NetworkError.Code> = [], service: ServiceID? = nil, limit: Int = 3,
    window: Duration = .seconds(60), totalTimeout: Duration = .seconds(30), scheduler: any SignalScheduler = .global,
    refresh: @escaping @Sendable (NetworkClient) -> Signal<Value, NetworkError>,
    onFailure: @escaping @Sendable (NetworkError) -> Void = { _ in }
  ) {
    self.statuses = statuses
    self.codes = codes
    self.service = service
    self.limit = limit
    self.window = window
    self.totalTimeout = totalTimeout
    let expiry = Signal<Void, NetworkError>.timeout(after: totalTimeout, on: scheduler)
      .then(Signal<Never, NetworkError>.fail(.timedOut(after: totalTimeout)))
    self.refresh = SharedRefresh(limit: limit, window: window, scheduler: scheduler, onFailure: onFailure) {
      makeClient, end in
      let client = makeClient()
      // A refresh that ends silently, such as when its owner is deallocated, would leave all requests waiting.
      let refreshing = client.scope.guardingRefresh(refresh(client))
      let ended = refreshing.take(until: expiry).finally { end(.failure(.refreshCancelled(by: nil))) }
      let handle = ended.subscribe { event in
        switch event {
        case .value: break
        case .failed(let error): end(.failure(error.isCancelled ? .refreshCancelled(by: error) : error))
        case .completed: end(.success(()))
        }
      }
      return SharedRefresh.Running(handle: handle, scope: client.scope)
    }
  }

  /// Creates a recovery whose refresh does not use the client, such as a refresh by another library.
  ///
  /// The parameters are those of the initializer whose `refresh` returns a signal and gets a client.
  public convenience init<Value: Sendable>(
    statuses: Set<Int> = [401], codes: Set<NetworkError.Code> = [], service: ServiceID? = nil, limit: Int = 3,
    window: Duration = .seconds(60), totalTimeout: Duration = .seconds(30), scheduler: any SignalScheduler = .global,
    refresh: @escaping @Sendable () -> Signal<Value, NetworkError>,
    onFailure: @escaping @Sendable (NetworkError) -> Void = { _ in }
  ) {
    self.init(
      statuses: statuses, codes: codes, service: service, limit: limit, window: window, totalTimeout: totalTimeout,
      scheduler: scheduler, refresh: { _ in refresh() }, onFailure: onFailure)
  }

  /// The number of refreshes that have ended.
  package var refreshCount: Int { refresh.endedCount }

  /// Returns whether the recovery applies to a failure.
  ///
  /// - Parameters:
  ///   - error: The failure.
  ///   - service: The service whose request failed.
  /// - Returns: Whether the service matches, and the code, the ``NetworkError/serverCode`` or the status.
  public func matches(_ error: NetworkError, service: ServiceID?) -> Bool {
    (self.service == nil || self.service == service) && error.hasCode(in: statuses, codes)
  }

  /// Returns the wait of a failed request for a refresh: the one in flight, one that has ended since, or a new one.
  ///
  /// `count` is the value of ``refreshCount`` when the attempt was built.
  func refreshed(
    as identity: Identity, after error: NetworkError, since count: Int,
    with makeClient: @escaping @Sendable () -> NetworkClient
  ) -> Signal<Void, NetworkError> {
    refresh.joined(as: identity, with: makeClient, after: error, since: count)
      .mapError { $0.ofRefresh(after: error) }
  }
}

extension NetworkError {
  /// Returns the error of a refresh as that of a request that waited for it.
  ///
  /// It has the style of neither: that of the refresh does not concern the request. Presenters get the path of the
  /// waiting request. Without a request it comes from the refresh itself and is attached to the waiting one.
  fileprivate func ofRefresh(after failure: NetworkError) -> NetworkError {
    var error = failure.request.map(attaching) ?? self
    error.presentation = nil
    error.marks.attemptBeforeRefresh = FailedAttempt(failure)
    error.marks.firstPath = failure.marks.firstPath ?? failure.request?.url.path
    return error
  }

  /// Returns the error of a refresh that cancelled its own task, or without an error, of one that has ended silently.
  ///
  /// Only async calls throw ``Code/cancelled``.
  fileprivate static func refreshCancelled(by error: NetworkError?) -> NetworkError {
    let cause = error == nil ? ": its owner was deallocated" : ""
    return NetworkError(.recoveryRefused, reason: "token refresh cancelled\(cause)", underlying: error)
  }

  fileprivate static func timedOut(after limit: Duration) -> NetworkError {
    NetworkError(
      .recoveryTimedOut,
      reason: "token refresh exceeded its timeout of \(limit); it may be waiting for a request of its own, "
        + "which must use the client passed to the refresh closure")
  }
}

extension Recovery {
  /// Creates a recovery whose refresh is an async function.
  ///
  /// ```swift
  /// configuration.recoveries = [
  ///   Recovery { client in
  ///     let old = session.value
  ///     let fresh = try await client.value(of: Request(.post, "/token"), as: Session.self)
  ///     session.modify { if $0 == old { $0 = fresh } }  // not after a sign-out meanwhile
  ///   }
  /// ]
  /// ```
  /// The refresh runs in a task. The task is cancelled when the identity changes and when the total timeout elapses,
  /// but not with the tasks of the requests that wait. A ``NetworkError`` thrown by the refresh is delivered unchanged.
  /// A failed connection of another library (`URLError`, `POSIXError`) becomes the `network` error or
  /// ``NetworkError/Code/unreachable`` that the client would report. Any other error, such as
  /// `URLError.badServerResponse`, and ``NetworkError/Code/cancelled``, becomes a `client` error with the code
  /// ``NetworkError/Code/recoveryRefused``; its user-facing message is the `errorDescription` of a `LocalizedError`, if
  /// there is one.
  ///
  /// The refresh stores the credentials, and must send its requests with the client passed to it. The other parameters
  /// are those of the initializer whose `refresh` returns a signal.
  public convenience init(
    statuses: Set<Int> = [401], codes: Set<NetworkError.Code> = [], service: ServiceID? = nil, limit: Int = 3,
    window: Duration = .seconds(60), totalTimeout: Duration = .seconds(30), scheduler: any SignalScheduler = .global,
    refresh: @escaping @Sendable (NetworkClient) async throws -> Void,
    onFailure: @escaping @Sendable (NetworkError) -> Void = { _ in }
  ) {
    let signal = { @Sendable (client: NetworkClient) in
      Signal<Void, NetworkError>.task { () async throws(NetworkError) in
        do {
          try await refresh(client)
        } catch let error as NetworkError {
          throw error
        } catch {
          if let failure = NetworkError(ofConnection: error) { throw failure }
          let message = (error as? any LocalizedError)?.errorDescription ?? ""
          throw NetworkError(
            .recoveryRefused, message: message, reason: "the refresh closure threw an error", underlying: error)
        }
      }
    }
    self.init(
      statuses: statuses, codes: codes, service: service, limit: limit, window: window, totalTimeout: totalTimeout,
      scheduler: scheduler, refresh: signal, onFailure: onFailure)
  }
}
