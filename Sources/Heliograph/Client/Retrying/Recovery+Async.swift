import Foundation
public import Signals

extension Recovery {
  /// Creates a recovery whose refresh is an async function.
  ///
  /// ```swift
  /// configuration.recoveries = [
  ///   Recovery { client in
  ///     session.value = try await client.value(of: Request(.post, "/token"), as: Session.self)
  ///   }
  /// ]
  /// ```
  /// The refresh runs in a task. The task is cancelled when the last waiting request is disposed, when the identity
  /// changes, and when the total timeout elapses. A ``NetworkError`` thrown by the refresh is delivered unchanged. Any
  /// other error, and ``NetworkError/Code/cancelled``, becomes a `client` error with the code
  /// ``NetworkError/Code/recoveryRefused``; its user-facing message is the `errorDescription` of a `LocalizedError`, if
  /// there is one.
  /// - Parameters:
  ///   - statuses: The statuses that start a refresh. Default: 401.
  ///   - codes: The codes that start a refresh, of any domain but `client`, such as `.api(1001)`. Default: none.
  ///   - service: The service whose requests are recovered. Default: `nil`, all.
  ///   - limit: The maximum number of refreshes within the window, for each identity. Default: 3.
  ///   - window: The time span in which refreshes are counted. Default: 60 seconds.
  ///   - totalTimeout: The maximum duration of one refresh. Default: 30 seconds.
  ///   - scheduler: The clock for the window and the timeout. Default: `.global`.
  ///   - refresh: Refreshes and stores the credentials. It must send its requests with the client passed to it, which
  ///     has no recoveries.
  ///   - onFailure: Called once for each failed refresh, after the waiting requests have failed, on the thread of
  ///     the failure. Sign out here if the server rejects a refresh with a status other than 401; for 401 use
  ///     ``NetworkClient/Configuration/onUnauthorized``. It is not called for a refresh that is disposed, or that
  ///     fails because the identity has changed or there is no network. Default: no action.
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
