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
  var startsInBackground = false

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
    guard let fence = parts.fence, let bound = boundIdentity(of: request) else { return signal }
    return fence.guarding(signal, for: bound, unless: isGuarded)
      .mapError { withAppMessage($0, for: request) }
  }

  /// Returns the failure of a request of a bound scope after its identity has changed; `nil` before.
  func staleFailure(of request: any RequestConvertible) -> NetworkError? {
    boundIdentity(of: request)?.staleFailure.map { withAppMessage($0, for: request) }
  }

  private func boundIdentity(of request: any RequestConvertible) -> BoundIdentity? {
    guard let identity else { return nil }
    let resolved = try? parts.configuration.builder.resolve(try request.asRequest())
    return BoundIdentity(identity, needsEnvironment: isRefreshing || resolved?.hasService == true)
  }

  /// Returns the signal of a refresh, which every change of the scope's identity fails.
  func guardingRefresh<Value>(_ signal: Signal<Value, NetworkError>) -> Signal<Value, NetworkError> {
    guard let fence = parts.fence, let identity else { return signal }
    let bound = BoundIdentity(identity, needsEnvironment: true)
    // A rejection of the former account's token must not sign out the account that has taken its place.
    return fence.guarding(signal.mapError { bound.staleFailure ?? $0 }, for: bound)
  }

  /// Returns the error to deliver for one that has waited for the caller's actor; the error of a cancelled task gets
  /// the app's own message, and a failure whose identity has changed is replaced.
  func delivered(_ error: NetworkError, for request: any RequestConvertible) -> NetworkError {
    (error.isCancelled ? error : error.staleFailure).map { withAppMessage($0, for: request) } ?? error
  }

  func withAppMessage(_ error: NetworkError, for request: any RequestConvertible) -> NetworkError {
    let described = try? request.asRequest()
    let service = described.flatMap { try? parts.configuration.builder.resolve($0).service }
    return messages(for: described, service).applied(to: error, described?.options.presentation)
  }

  func messages(for request: Request?, _ service: (any Service)?) -> AppMessages {
    AppMessages(
      ofRequest: request?.options.messages ?? [:], ofService: service?.messages ?? [:],
      ofClient: parts.configuration.messages)
  }

  /// Returns the first value of a signal of this scope, or of one that is bound to the current identity.
  ///
  /// The work starts off the caller's actor, because building a request may encode and sign a long body, but with the
  /// identity at the time of the call. A short response from memory is also read there, unless the app has set a
  /// scheduler for reading. The value is awaited there too: a busy actor does not delay a cancellation, and a value
  /// that has arrived before one is returned. With immediate processing all of this happens on the actor.
  func first<Value>(
    isolation actor: isolated (any Actor)? = #isolation, _ signal: (ClientScope) -> Signal<Value, NetworkError>
  ) async throws(NetworkError) -> Value? {
    let startsHere = actor == nil || parts.readsImmediately
    let values = signal(starting(onActor: startsHere)).take(1).values.makeAsyncIterator()
    return try await values.next(isolation: startsHere ? actor : nil)
  }

  /// Returns an iterator of a signal's values, which are awaited on the caller's actor; the work starts as that of
  /// `first`.
  func values<Value>(
    isolation actor: isolated (any Actor)? = #isolation, _ signal: (ClientScope) -> Signal<Value, NetworkError>
  ) async -> AsyncValues<Value, NetworkError>.Iterator {
    let startsHere = actor == nil || parts.readsImmediately
    return await signal(starting(onActor: startsHere)).values(startingOnActor: startsHere)
  }

  /// Returns the scope of an async call; off the caller's actor, it is bound to the identity at the time of the call.
  private func starting(onActor startsHere: Bool) -> ClientScope {
    var scope = startsHere ? self : bound
    scope.startsInBackground = parts.processing.isBatching
    return scope
  }
}

enum ReadingStep: Sendable {
  /// A response is about to be validated and read.
  case began(Response<Data>)
  case value
  /// The response was read to its end.
  case completed
  /// The response was rejected or could not be read.
  case failed
}

extension ClientScope {
  /// Returns the signal of a request whose response is validated and read.
  ///
  /// A 304 to a conditional request completes it, unless one value is expected and `allowsNotModified` is `false`.
  /// `onReading` receives the steps of reading each response; with an `id`, only of the request's own responses, not of
  /// those of a background refresh.
  func interpret(
    _ request: any RequestConvertible, id: RequestID? = nil, expectsOneValue: Bool = false,
    allowsNotModified: Bool = false, watch: RequestTraits.Watch? = nil,
    onReading: (@Sendable (ReadingStep) -> Void)? = nil,
    _ read: @escaping ResponseReader.Read
  ) -> RequestSource {
    let traits = RequestTraits(id: id, expectsOneValue: expectsOneValue, watch: watch)
    return RequestSource(self, request, traits) { [parts] attempt in
      let onReading = id == nil || attempt.request.id == id ? onReading : nil
      let hasResponse = onReading.map { _ in Once() }
      let onBegin = onReading.map { onReading in
        { @Sendable response in
          onReading(.began(response))
          hasResponse?.claim()
        }
      }
      var reader = attempt.reader
      reader.expectsOneValue = expectsOneValue
      reader.allowsNotModified = allowsNotModified
      let reading = Exchange.Reading(scheduler: parts.processing, reader: reader, read: read, onBegin: onBegin)
      let results = Exchange.results(of: attempt.request, attempt.context, over: parts.chain, parts.evidence, reading)
      guard let onReading, let hasResponse else { return results }
      // Not `on`, which delivers a last value and its completion as two events: a handler of the value that signs in
      // would fail the request before it completes.
      return results.replacingFailure { event in
        switch event {
        case .value: onReading(.value)
        case .failed: if hasResponse.isClaimed { onReading(.failed) }
        case .completed: if hasResponse.isClaimed { onReading(.completed) }
        }
        return nil
      }
    }
  }

  /// Returns the signal of a request whose successful body is read in pieces, on the transport's thread.
  ///
  /// The first piece is empty and carries the validated head; the last one is empty and carries the metrics. Any other
  /// response is collected and validated: if a validator accepts it, its body is one piece. A 304 to a conditional
  /// request completes the signal, unless one value is expected. A failure after the first result is not retried.
  func streamed(
    _ request: any RequestConvertible, expectsOneValue: Bool = false, watch: RequestTraits.Watch? = nil,
    adjust: (@Sendable (inout Request) -> Void)? = nil,
    _ read: @escaping @Sendable (RequestRun.Results, HTTPRequest) -> RequestRun.Results
  ) -> RequestSource {
    RequestSource(self, request, RequestTraits(isStreamed: true, watch: watch, adjust: adjust)) { attempt in
      var reader = attempt.reader
      reader.expectsOneValue = expectsOneValue
      return read(attempt.response.validated(by: reader), attempt.request)
    }
  }
}

extension Signal where Value == Response<Data>, Failure == NetworkError {
  /// Returns the pieces of a response validated by its head, or by its whole body if it is not successful.
  func validated(by reader: ResponseReader) -> Signal {
    Signal { observer in
      let hasValidHead = Once()
      return subscribe(for: observer, under: observer.pressure) { event in
        guard case .value(let response) = event, !hasValidHead.isClaimed else { return observer.send(event) }
        if response.statusCode == 304 { return reader.endUnmodified(response, observer) }
        do throws(NetworkError) {
          try reader.validate(response)
        } catch {
          return observer.fail(reader.failure(error, response))
        }
        hasValidHead.claim()
        observer.send(event)
      }
    }
  }
}

/// A client's calls in flight by their identifiers, including those of batches and chains.
final class ActiveCalls: Sendable {
  private let cancellations = Guarded<[RequestID: @Sendable () -> Void]>([:])

  /// The identifiers in the order in which the calls were started.
  var ids: [RequestID] {
    cancellations.withLock { Array($0.keys) }.sorted { $0.rawValue < $1.rawValue }
  }

  func cancel(_ id: RequestID) { cancellations.withLock { $0[id] }?() }

  func add(_ id: RequestID, _ cancel: @escaping @Sendable () -> Void) {
    cancellations.withLock { $0[id] = cancel }
  }

  func remove(_ id: RequestID) { cancellations.discardWithLock { $0.removeValue(forKey: id) } }
}
