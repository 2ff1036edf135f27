public import Signals

extension NetworkClient {
  /// Sends a request and delivers the server-sent events of the response as they arrive, and reconnects when a
  /// connection ends.
  ///
  /// ```swift
  /// for try await event in client.events(request: "/news").values {
  ///   print(event.type, event.data)
  /// }
  /// ```
  /// `Accept: text/event-stream` and `Cache-Control: no-store` are sent, unless the request has these fields. The
  /// response must be a 200 with the type `text/event-stream`; a 204 completes the signal. Events are parsed as
  /// specified in <https://html.spec.whatwg.org/multipage/server-sent-events.html>, on ``Configuration/processing``,
  /// and delivered there. An event longer than ``ResponseLimits/lineByteCount`` fails with
  /// ``NetworkError/Code/responseTooLarge``.
  ///
  /// **Reconnection.** A request with an idempotent method, such as a `GET`, is sent again when the response ends or
  /// the connection fails, with the last event ID as `Last-Event-ID`. The delay is the server's `retry`, at least half
  /// a second, or ``EventStreamOptions/reconnectionTime``, plus ``EventStreamOptions/backoff`` for consecutive
  /// reconnections without an event between them, on ``Configuration/scheduler``. A longer `Retry-After` takes
  /// precedence. The maximum delay is one day.
  ///
  /// | end of a connection | |
  /// |---|---|
  /// | end of the response, `network` errors such as the idle timeout, no network, an open circuit | reconnects |
  /// | statuses of transient failures: ``Retry/defaultStatuses`` | reconnects |
  /// | untrusted or rejected certificates, responses beyond a limit | fails |
  /// | all other failures: other statuses and types, a changed account | fails |
  /// | 204 | completes |
  ///
  /// A request with any other method, such as the `POST` of a model API, does not reconnect: the signal completes or
  /// fails with its response. Its ``Retry`` applies until the head is delivered. A request that can reconnect ignores
  /// its ``Retry``.
  ///
  /// All connections of a subscription belong to the same account and environment. When either changes, even during a
  /// delay, the signal fails with ``NetworkError/Code/contextChanged``. Total timeouts apply to each connection
  /// separately, and monitors observe each connection as a request, with the presentation style `.silent` if it can
  /// reconnect. Disposal closes the connection or ends the delay. Back-pressure is that of
  /// ``stream(request:)-(RequestConvertible)``.
  /// - Parameters:
  ///   - request: The request to send.
  ///   - options: The settings of the stream. Default: see ``EventStreamOptions``.
  /// - Returns: The signal of events.
  public func events(
    request: some RequestConvertible, options: EventStreamOptions = EventStreamOptions()
  ) -> Signal<ServerSentEvent, NetworkError> {
    .deferred { [scope] in EventStream(scope, request, options).events() }
  }

  /// Sends a request, which may be a string literal, and delivers the server-sent events of the response; see
  /// ``events(request:options:)-(RequestConvertible,_)``.
  ///
  /// - Parameters:
  ///   - request: The request to send.
  ///   - options: The settings of the stream. Default: see ``EventStreamOptions``.
  /// - Returns: The signal of events.
  public func events(
    request: Request, options: EventStreamOptions = EventStreamOptions()
  ) -> Signal<ServerSentEvent, NetworkError> {
    events(request: request.general, options: options)
  }
}
