public import Signals

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
  /// The maximum number of consecutive reconnections without an event between them; 0 never reconnects.
  ///
  /// Once it is reached, the signal completes if the response ended, or fails with the error of the connection.
  /// Default: `nil`, no limit.
  public var reconnectionLimit: Int?
  /// The delay before a reconnection; the server can replace it with a `retry` field, which counts as at least half a
  /// second.
  ///
  /// Default: 3 seconds.
  public var reconnectionTime: Duration
  /// The backoff added to the reconnection delay from the second consecutive reconnection on; an event resets it.
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
