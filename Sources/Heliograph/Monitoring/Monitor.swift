public import Foundation

/// An observer of a client's requests: for logging, metrics and tracing.
///
/// It receives copies and cannot change requests; use a ``Middleware`` for that. Without monitors nothing is recorded.
public protocol Monitor: Sendable {
  /// Observes an event; an implementation should return quickly.
  ///
  /// Events of one request are delivered serially and in order. Events of several requests may be delivered concurrently.
  /// The thread is the one where the event occurred, or the one that is delivering an earlier event of the request. The
  /// end is delivered before a failure, and before a value that comes with it, as that of a decoded response, unless
  /// another thread is delivering an earlier event.
  /// A subscription whose source was dropped ends on the thread that frees it, which may hold a lock of the app.
  func observe(_ event: MonitorEvent)
}

/// An event of a request, or of its client.
///
/// A request is a subscription to a client's signal. It starts exactly once and ends exactly once, with any outcome. In
/// between are its attempts: the first one, retries, and replays after a ``Recovery``; there are none if the request
/// could not be built. New cases may be added, so a `switch` should have a `default`.
///
///     started ─▶ (sent ─▶ redirected* ─▶ responded ─▶ received ─▶ delivered ─▶ attemptEnded)* ─▶ ended
public enum MonitorEvent: Sendable {
  /// A request has started; exactly one ``ended(_:)`` with the same id follows.
  ///
  /// The request is `nil` if it could not be created.
  case started(RequestID, Request?)
  /// An attempt is passed to the transport: built, signed, adapted by middleware, and with the stored cookies of that
  /// moment.
  ///
  /// The same attempt has another such event if middleware passes it on again, or if the cache does not accept the
  /// response to a conditional or range request and sends it again without the condition.
  /// ``HTTPRequest/id`` and ``HTTPRequest/attempt`` identify it. An attempt refused before it is sent, because there is
  /// no network, has no such event.
  case sent(HTTPRequest)
  /// The cache has served or stored a response, or reports why it did not.
  case cache(HTTPRequest, CacheEvent)
  /// An exchange ended with a redirect, and another exchange of the same attempt follows.
  ///
  /// The values are the request, its response, and the next request.
  case redirected(HTTPRequest, HTTPResponse, HTTPRequest)
  /// The head of an attempt's response has been received, after redirects.
  case responded(HTTPRequest, HTTPResponse)
  /// The whole response of an attempt, including its body, has been received but not yet validated.
  ///
  /// For a streamed body the value is empty, and ``delivered(_:_:)`` may come before or after.
  case received(HTTPRequest, Response<Data>)
  /// A value was delivered: one event per element of an array read element by element, and one for the first piece of a
  /// streamed body.
  case delivered(HTTPRequest, HTTPResponse)
  /// An attempt has ended; another attempt may follow.
  case attemptEnded(RequestReport)
  /// A request has ended.
  case ended(RequestReport)
  /// An attempt or its token refresh failed for lack of a network; the request waits for one, and another attempt follows.
  ///
  /// See ``NetworkClient/Configuration/waitsForConnectivity``.
  case waiting(HTTPRequest)
  /// A notice for the developer.
  ///
  /// It is about the client's transport, about a property of a ``Service`` that is ignored because its type is not that
  /// of the setting, or about a slash that was escaped in a value interpolated into a path, once for each literal and
  /// client.
  case notice(String)

  /// Returns the text of the event, with secrets redacted; `nil` if the level does not include it.
  func text(_ level: ConsoleMonitor.Level) -> String? {
    switch self {
    case .started, .attemptEnded, .redirected, .responded: return nil
    case .sent(let request):
      if level < .requests { return nil }
      let line = "\(request) (request \(request.id), attempt \(request.attempt))"
      return level < .headers ? line : "\(line)\n  \(request.curlCommand(withBody: level >= .bodies))"
    case .received(let request, let response):
      if level < .headers { return nil }
      let size = request.isStreamed && response.value.isEmpty ? "streamed" : "\(response.value.count) bytes"
      var text = "\(response.head), \(size) (request \(request.id), attempt \(request.attempt))"
      text += response.headers.map { "\n  \($0.name.singleLine): \($0.redactedValue.singleLine)" }.joined()
      if level >= .bodies, !response.value.isEmpty { text += "\n  \(response.redactedBody)" }
      return text
    case .cache(let request, let event):
      return level < .requests ? nil : "\(event): \(request) (request \(request.id))"
    case .waiting(let request):
      return level < .requests ? nil : "\(request) waits for a network (request \(request.id))"
    case .delivered(let request, let response):
      if level < .requests { return nil }
      return "\(response.url.redacted) => \(response.statusCode) (request \(request.id))"
    case .ended(let report):
      switch report.outcome {
      case .success: return nil
      case .failure(let error): return "\(error) (request \(report.id))"
      case .cancelled: return level < .requests ? nil : "request \(report.id) was cancelled after \(report.duration)"
      }
    case .notice(let text): return text
    }
  }
}

extension HTTPRequest {
  fileprivate func curlCommand(withBody includesBody: Bool) -> String {
    if includesBody { return curlCommand.shortened(to: MonitorLimits.bodyByteCount) }
    var request = self
    request.body = .empty
    return request.curlCommand
  }
}

extension Response<Data> {
  /// The beginning of the body on one line, with redacted secrets.
  fileprivate var redactedBody: String {
    guard value.count <= MonitorLimits.parsedByteCount, let text = String(validating: value, as: UTF8.self) else {
      return "<\(value.count) bytes>"
    }
    return text.redactingSecrets(of: headers["Content-Type"]).singleLine.shortened(to: MonitorLimits.bodyByteCount)
  }
}

private enum MonitorLimits {
  /// The maximum length of a body in the output.
  static let bodyByteCount = 4_096
  /// The maximum length of a body that is searched for secrets.
  static let parsedByteCount = 1_048_576
}
