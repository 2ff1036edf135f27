public import Foundation

/// An observer of a client's requests: for logging, metrics and tracing.
///
/// It receives copies and cannot change requests; use a ``Middleware`` for that. Without monitors nothing is recorded.
public protocol Monitor: Sendable {
  /// Observes an event, on the thread where it occurred; an implementation should return quickly.
  ///
  /// Events of one request are delivered serially and in order. Events of several requests may be delivered concurrently.
  func observe(_ event: MonitorEvent)
}

/// An event of a request, or of its client.
///
/// A request is a subscription to a client's signal. It starts exactly once and ends exactly once, with any outcome. In
/// between are its attempts: the first one, retries, and replays after a ``Recovery``; there are none if the request
/// could not be built. New cases may be added, so a `switch` should have a `default`.
///
///     started ─▶ (sent ─▶ continued* ─▶ responded ─▶ received ─▶ delivered ─▶ attemptEnded)* ─▶ ended
public enum MonitorEvent: Sendable {
  /// A request has started; exactly one ``ended(_:)`` with the same id follows.
  ///
  /// The request is `nil` if it could not be created.
  case started(RequestID, Request?)
  /// An attempt is passed to the transport: built, signed, and adapted by middleware.
  ///
  /// ``HTTPRequest/id`` and ``HTTPRequest/attempt`` identify it. An attempt rejected by the offline gate has no such
  /// event.
  case sent(HTTPRequest)
  /// The cache has served or stored a response, or reports why it did not.
  case cache(HTTPRequest, CacheEvent)
  /// An exchange ended with a redirect or a Digest challenge, and another exchange of the same attempt follows.
  ///
  /// The values are the request, its response, and the next request.
  case continued(HTTPRequest, HTTPResponse, HTTPRequest)
  /// The head of an attempt's response has been received, after redirects.
  case responded(HTTPRequest, HTTPResponse)
  /// The whole response of an attempt, including its body, has been received but not yet validated.
  ///
  /// For a streamed body the value is empty, and the event follows ``delivered(_:_:)``.
  case received(HTTPRequest, Response<Data>)
  /// A value was delivered; for an array delivered element by element, one event per element.
  case delivered(HTTPRequest, HTTPResponse)
  /// An attempt has ended; another attempt may follow.
  case attemptEnded(RequestReport)
  /// A request has ended.
  case ended(RequestReport)
  /// An attempt was refused for lack of a network; the request waits for one, and another attempt follows.
  ///
  /// See ``NetworkClient/Configuration/waitsForConnectivity``.
  case waiting(HTTPRequest)
  /// A notice for the developer, once per client: about its transport, or about a slash that was escaped in a value
  /// interpolated into a path.
  case notice(String)
}
