import Foundation
import Signals

/// A client as its requests see it: its parts, and the identity to which all of them belong.
struct ClientScope: Sendable {
  let parts: ClientParts
  /// The identity of all requests; `nil` if each belongs to the one that is current when it begins.
  private(set) var identity: IdentitySnapshot?
  /// Whether the requests belong to a refresh, which no other refresh repeats.
  private(set) var isRefreshing = false
  /// Whether the requests start in the background, in a task of the caller, and nothing but that is asked for their responses.
  private(set) var startsInBackground = false

  init(_ configuration: NetworkClient.Configuration) { parts = ClientParts(configuration) }

  /// The settings; those of a refresh's client have no recoveries.
  var configuration: NetworkClient.Configuration {
    if !isRefreshing { return parts.configuration }
    var configuration = parts.configuration
    configuration.recoveries = []
    return configuration
  }

  /// The scope whose requests all belong to the current identity: they fail once it has changed.
  var bound: ClientScope {
    guard identity == nil, let fence = parts.fence else { return self }
    var scope = self
    scope.identity = fence.bind()
    return scope
  }

  /// Returns the scope of requests that start in the background, where a short response from memory is then read: unless the
  /// app has chosen a scheduler of its own for that.
  var inBackground: ClientScope {
    var scope = self
    scope.startsInBackground = parts.readsAnywhere
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

  /// Returns a signal that fails as soon as the identity of a bound scope changes, for the time between its requests.
  func guarding<Value>(
    _ signal: Signal<Value, NetworkError>, for request: any RequestConvertible
  ) -> Signal<Value, NetworkError> {
    guard let fence = parts.fence, let identity else { return signal }
    let resolved = try? parts.configuration.builder.find(try request.asRequest())
    let bound = BoundIdentity(identity, needsEnvironment: resolved.map(needsEnvironment) ?? false)
    return fence.guarding(signal, for: bound, needsEnvironment: bound.needsEnvironment)
      .mapError { worded($0, for: request) }
  }

  /// Returns whether a change of environment fails a request: one to a service, and every request of a refresh.
  func needsEnvironment(_ resolved: ResolvedRequest) -> Bool {
    parts.configuration.builder.environments != nil && (resolved.service != nil || isRefreshing)
  }

  /// Returns the error of a cancelled task with the app's own message: it is made where no request is known.
  func worded(_ error: NetworkError, for request: any RequestConvertible) -> NetworkError {
    let described = try? request.asRequest()
    let service = described.flatMap { try? parts.configuration.builder.find($0).service }
    return messages(for: described, service).wording(error, described?.options.presentation)
  }

  /// Returns the app's user-facing messages for a request's errors: those of the client, the service and the request.
  func messages(for request: Request?, _ service: (any Service)?) -> [NetworkError.Code: String] {
    var messages = parts.configuration.messages
    if let service { messages.overlay(service.messages) }
    if let request { messages.overlay(request.options.messages) }
    return messages
  }
}
