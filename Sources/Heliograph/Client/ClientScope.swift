import Foundation
import Signals

/// The client as seen by a request: its components, and the identity of all its requests.
struct ClientScope: Sendable {
  let parts: ClientParts
  /// The identity of all requests; `nil` if each request takes the current one at its start.
  private(set) var identity: IdentitySnapshot?
  /// Whether the requests belong to a refresh, so that no recovery applies to them.
  private(set) var isRefreshing = false
  /// Whether the requests start in the background, in a task of the caller.
  private(set) var startsInBackground = false

  init(_ configuration: NetworkClient.Configuration) { parts = ClientParts(configuration) }

  /// The settings; without recoveries in the scope of a refresh.
  var configuration: NetworkClient.Configuration {
    if !isRefreshing { return parts.configuration }
    var configuration = parts.configuration
    configuration.recoveries = []
    return configuration
  }

  /// The scope whose requests all belong to the current identity and fail once it changes.
  var bound: ClientScope {
    guard identity == nil, let fence = parts.fence else { return self }
    var scope = self
    scope.identity = fence.takeSnapshot()
    return scope
  }

  /// Returns the scope of an async call, whose requests read short responses from memory where they start, unless the
  /// app has set a scheduler for reading.
  ///
  /// Off the caller's actor, requests belong to the identity at the time of the call, not of their start.
  func ofAsyncCall(startsOnActor: Bool) -> ClientScope {
    var scope = startsOnActor ? self : bound
    scope.startsInBackground = parts.processing.isBatching
    return scope
  }

  /// Returns the scope of a refresh, with the identity of the request that begins it.
  func refreshing(as identity: IdentitySnapshot?) -> ClientScope {
    var scope = self
    scope.identity = identity
    scope.isRefreshing = true
    scope.startsInBackground = false
    return scope
  }

  /// Returns a signal that fails as soon as a bound scope's identity changes, also between its requests, unless it
  /// already does so by itself.
  func guarding<Value>(
    _ signal: Signal<Value, NetworkError>, for request: any RequestConvertible, unless isGuarded: Once? = nil
  ) -> Signal<Value, NetworkError> {
    guard let fence = parts.fence, let identity else { return signal }
    let resolved = try? parts.configuration.builder.resolve(try request.asRequest())
    let bound = BoundIdentity(identity, needsEnvironment: resolved.map(needsEnvironment) ?? false)
    return fence.guarding(signal, for: bound, needsEnvironment: bound.needsEnvironment, unless: isGuarded)
      .mapError { withAppMessage($0, for: request) }
  }

  /// Returns whether a change of environment fails a request: one to a service, and every request of a refresh.
  func needsEnvironment(_ resolved: ResolvedRequest) -> Bool {
    parts.configuration.builder.environments != nil && (resolved.service != nil || isRefreshing)
  }

  /// Returns the error to deliver for one that has waited for the caller's actor.
  ///
  /// The error of a cancelled task gets the app's own message, and a failure whose identity has changed is replaced.
  func delivered(_ error: NetworkError, for request: any RequestConvertible) -> NetworkError {
    (error.isCancelled ? error : error.staleFailure).map { withAppMessage($0, for: request) } ?? error
  }

  /// Returns an error with the app's own message.
  func withAppMessage(_ error: NetworkError, for request: any RequestConvertible) -> NetworkError {
    let described = try? request.asRequest()
    let service = described.flatMap { try? parts.configuration.builder.resolve($0).service }
    return messages(for: described, service).applied(to: error, described?.options.presentation)
  }

  /// Returns the app's user-facing messages for a request's errors: those of the client, the service and the request.
  func messages(for request: Request?, _ service: (any Service)?) -> [NetworkError.Code: String] {
    var messages = parts.configuration.messages
    if let service { messages.overlay(service.messages) }
    if let request { messages.overlay(request.options.messages) }
    return messages
  }
}
