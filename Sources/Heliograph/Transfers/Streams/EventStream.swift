import Foundation
public import Signals

/// One subscription to an event stream: a sequence of connections.
final class EventStream: Sendable {
  /// The cause of a connection's end.
  private enum Interruption: Error {
    case end
    case failure(NetworkError)
  }

  private struct State {
    /// The last event ID; `nil` for that of the request.
    var lastEventID: String?
    var reconnectionTime: Duration
    /// The number of reconnections since the latest event, or connection that lasted.
    var reconnectionCount = 0
    /// The delay before the connection.
    var delay = Duration.zero
    /// The times of the head and of the latest bytes of the connection's response; `nil` before its head.
    var receipt: (first: Duration, last: Duration)?
    /// Whether the connection's request was created and may be sent again after its response.
    var canReconnect = false
    /// The presentation style of the connection's request.
    var presentation: PresentationStyle?
    var isTerminated = false
  }

  /// The maximum delay that a server can set.
  private static let maximumDelay = Duration.seconds(86_400)
  /// The minimum delay that a server can set, as in Firefox; a delay of zero would cause an endless loop of
  /// connections.
  private static let minimumDelay = Duration.milliseconds(500)
  /// The time for which a connection lasts at least that is no failed one.
  private static let minimumLifetime = Duration.seconds(5)

  private let scope: ClientScope
  private let request: any RequestConvertible
  private let options: EventStreamOptions
  private let state: Guarded<State>

  init(_ scope: ClientScope, _ request: any RequestConvertible, _ options: EventStreamOptions) {
    // All connections belong to the same account and environment.
    self.scope = scope.bound
    self.request = request
    self.options = options
    state = Guarded(State(lastEventID: options.lastEventID, reconnectionTime: max(options.reconnectionTime, .zero)))
  }

  /// Returns the events of the next connection and, as a tail call, of later ones.
  func events() -> Signal<ServerSentEvent, NetworkError> {
    .deferred { [self] in
      state.withLock { ($0.canReconnect, $0.receipt) = (false, nil) }
      return connection()
        .mapError { Interruption.failure($0) }
        .concat(.fail(.end))
        .catch { [self] in successor(after: $0) }
    }
  }

  private func connection() -> Signal<ServerSentEvent, NetworkError> {
    scope.streamed(request, adjust: prepare) { [self] sent, reader in
      let lastEventID = sent.headers["Last-Event-ID"] ?? ""
      let parser = EventParser(lastEventID: lastEventID, limit: sent.limits.lineByteCount)
      return EventReader(parser, reader, self)
    }
  }

  /// Sets the header fields and options of a connection's request, such as `Last-Event-ID`.
  private func prepare(_ request: inout Request) {
    if request.headers["Accept"] == nil { request.headers["Accept"] = "text/event-stream" }
    if request.headers["Cache-Control"] == nil { request.headers["Cache-Control"] = "no-store" }
    let (canReconnect, presentation) = (request.canReconnect, request.options.presentation)
    let lastEventID = state.withLock { state in
      (state.canReconnect, state.presentation) = (canReconnect, presentation)
      return state.lastEventID
    }
    if let lastEventID { request.headers["Last-Event-ID"] = lastEventID.isEmpty ? nil : lastEventID }
    if canReconnect {
      // Reconnections replace retries.
      request.options.retry = .never
      // The end of a connection is not presented to the user as an error.
      request.options.presentation = .silent
    }
  }

  private func successor(after interruption: Interruption) -> Signal<ServerSentEvent, NetworkError> {
    let (canReconnect, presentation) = state.withLock { ($0.canReconnect, $0.presentation) }
    guard canReconnect, let delay = delay(after: interruption) else {
      guard case .failure(var error) = interruption else { return .empty }
      if canReconnect { error.presentation = presentation }
      return .fail(error)
    }
    if delay == .zero { return events() }
    let pause = Signal<Void, NetworkError>.timer(after: delay, on: scope.parts.configuration.scheduler)
    return scope.guarding(pause, for: request).then(events())
  }

  /// Returns the delay before a reconnection; `nil` if there is none.
  private func delay(after interruption: Interruption) -> Duration? {
    var retryAfter = Duration.zero
    var isTimedOut = false
    if case .failure(let error) = interruption {
      guard error.allowsReconnection else { return nil }
      isTimedOut = error.code == .timedOut
      retryAfter = error.response?.head.retryAfter() ?? .zero
    }
    let now = scope.parts.configuration.scheduler.now
    let (count, time) = state.withLock { state -> (Int, Duration) in
      // A server that is silent until the timeout may have been dead since its latest bytes.
      if let receipt = state.receipt,
        (isTimedOut ? receipt.last : now) - receipt.first > max(state.delay, Self.minimumLifetime)
      {
        state.reconnectionCount = 0
      }
      if state.isTerminated || state.reconnectionCount >= options.reconnectionLimit ?? .max { return (0, .zero) }
      state.reconnectionCount += 1
      return (state.reconnectionCount, state.reconnectionTime)
    }
    if count == 0 { return nil }
    let backoffDelay = count > 1 ? options.backoff.delay(before: count - 1) : .zero
    let delay = max(min(time, Self.maximumDelay) + backoffDelay, min(retryAfter, Self.maximumDelay))
    state.withLock { $0.delay = delay }
    return delay
  }

  /// Records the receipt of the head or of a piece of the connection's response.
  func recordReceipt() {
    let now = scope.parts.configuration.scheduler.now
    state.withLock { $0.receipt = ($0.receipt?.first ?? now, now) }
  }

  /// Stores the parser's values that the next connection needs.
  func record(_ parser: EventParser, hasEvent: Bool) {
    state.withLock { state in
      state.lastEventID = parser.lastEventID
      if let time = parser.reconnectionTime { state.reconnectionTime = max(time, Self.minimumDelay) }
      if hasEvent { state.reconnectionCount = 0 }
    }
  }

  func finish() { state.withLock { $0.isTerminated = true } }
}

extension Request {
  /// Whether the request may be sent again after its response; a `POST` must be processed once.
  fileprivate var canReconnect: Bool { method.isIdempotent }
}

extension NetworkError {
  fileprivate var allowsReconnection: Bool {
    switch domain {
    case .network:
      brokenStatus.map { Retry.defaultStatuses.contains($0) }
        ?? (code != .untrustedCertificate && !code.isLocalCause)
    case .server: Retry.defaultStatuses.contains(code.number)
    case .client: isOutage
    case .api, .processing: false
    }
  }
}

/// The settings of an event stream, each with a default.
///
/// ```swift
/// client.events(request: "/news", options: EventStreamOptions(lastEventID: saved))
/// ```
public struct EventStreamOptions: Sendable, Hashable {
  /// The ID of the last event that was processed; the stream resumes after that event.
  ///
  /// The ID is sent as `Last-Event-ID`. Default: `nil`, no ID.
  public var lastEventID: String?
  /// The maximum number of consecutive reconnections without an event between them, or a connection that lasted longer
  /// than five seconds and the delay before it; 0 never reconnects.
  ///
  /// A connection that times out has lasted until its latest bytes, such as a comment; silence does not count.
  /// Once it is reached, the signal completes if the response ended, or fails with the error of the connection.
  /// Default: `nil`, no limit.
  public var reconnectionLimit: Int?
  /// The delay before a reconnection; the server can replace it with a `retry` field, which counts as at least half a
  /// second.
  ///
  /// Default: 3 seconds.
  public var reconnectionTime: Duration
  /// The backoff added to the reconnection delay from the second consecutive reconnection on; an event resets it, and
  /// so does a connection that lasted longer than five seconds and the delay before it.
  ///
  /// Default: exponential from 0.5 to 30 seconds, with full jitter, as in ``Retry``.
  public var backoff: Backoff

  /// Creates options.
  ///
  /// - Parameters:
  ///   - lastEventID: The ID of the last event that was processed. Default: none.
  ///   - reconnectionLimit: The maximum number of consecutive reconnections without an event. Default: no limit.
  ///   - reconnectionTime: The delay before a reconnection. Default: 3 seconds.
  ///   - backoff: The additional delays from the second consecutive reconnection on. Default: exponential from 0.5 to
  ///     30 seconds, with full jitter.
  public init(
    lastEventID: String? = nil, reconnectionLimit: Int? = nil, reconnectionTime: Duration = .seconds(3),
    backoff: Backoff = .exponential(jitter: 1)
  ) {
    self.lastEventID = lastEventID
    self.reconnectionLimit = reconnectionLimit
    self.reconnectionTime = reconnectionTime
    self.backoff = backoff
  }
}
