public import Foundation

/// An observer of a client's requests: for logging, metrics and tracing.
///
/// It gets copies and can change nothing; what has to change requests is a ``Middleware``. Without monitors nothing is
/// recorded.
public protocol Monitor: Sendable {
  /// Called for each event, on the thread where it happened; it should return soon.
  ///
  /// Events of one request come one after another and in order, those of several requests may come at the same time.
  func observe(_ event: MonitorEvent)
}

/// An event of a request, or of its client.
///
/// A request is a subscription to a client's signal: it starts and ends exactly once, however it ends. In between are its
/// attempts: the first one, retries, and replays after a ``Recovery``; none, if the request could not be built. New cases
/// may be added, so a `switch` should have a `default`.
///
///     started ─▶ (sent ─▶ responded ─▶ received ─▶ delivered ─▶ attemptEnded)* ─▶ ended
public enum MonitorEvent: Sendable {
  /// A request has started; exactly one ``ended(_:)`` with the same id follows.
  ///
  /// The caller's description is `nil` if it could not be made.
  case started(RequestID, Request?)
  /// An attempt is handed to the transport: built, signed, and changed by middleware.
  ///
  /// ``HTTPRequest/id`` and ``HTTPRequest/attempt`` tell which one it is. An attempt that is not sent, as the offline gate
  /// refuses it, has no such event.
  case sent(HTTPRequest)
  /// The head of an attempt's response has arrived, after redirects.
  case responded(HTTPRequest, HTTPResponse)
  /// The whole response of an attempt has arrived, with its body; it has not been judged yet.
  case received(HTTPRequest, Response<Data>)
  /// A value was delivered: for an array whose elements come one by one, each of them.
  case delivered(HTTPRequest, HTTPResponse)
  /// An attempt has ended; another may follow.
  case attemptEnded(RequestReport)
  /// A request has ended.
  case ended(RequestReport)
  /// A note for the developer about the client; once, when the client is made.
  case notice(String)
}
