public import Foundation
public import Signals

extension NetworkClient {
  /// Sends a request and delivers the head and then the body in pieces as they arrive.
  ///
  /// ```swift
  /// for try await piece in client.stream(request: "/export").values {
  ///   try handle.write(contentsOf: piece.value)
  /// }
  /// ```
  /// Each element is a response with status, header fields and, as its value, a piece of the body. The first is
  /// delivered with the head and is empty. The last is empty, too, and has the ``Response/metrics``.
  ///
  /// The request passes the same stages as every request: middleware, tokens, redirects, monitors and identity. Status
  /// and header fields of a success (2xx) are validated before the first piece; validators see an empty body. Any other
  /// response is collected, and if validators accept it, it is the only element, with its body; if that exceeds 1 MiB
  /// or ``ResponseLimits/bodyByteCount``, the signal fails with ``NetworkError/Code/responseTooLarge``. Retries and
  /// recoveries apply until the head is delivered, not afterwards. Nothing is decoded, except content codings such as
  /// gzip, and the cache is not used. The envelope of a success is not opened: a failure reported in it is delivered as
  /// the body, and recoveries by its code do not apply. The first 1 MiB of an error's body is collected, for
  /// ``NetworkError/response``.
  ///
  /// Responses are delivered on the transport's thread: do not block it. With a buffer downstream (`observe(on:)`,
  /// `values`) the connection pauses at 16 buffered pieces and resumes at 4, so memory is constant. A `URLSession` on
  /// Linux cannot pause; on Apple's platforms it may go on delivering, and the signal fails with
  /// ``NetworkError/Code/responseTooLarge`` when about 64 MiB are buffered. The idle timeout applies between pieces,
  /// except while the connection is paused; ``ResponseLimits/streamedByteCount`` limits all pieces together. Disposal
  /// cancels the exchange, and closes its connection unless other exchanges share it (HTTP/2).
  /// - Parameter request: The request to send.
  /// - Returns: The signal of pieces. A 304 to a conditional request completes the signal without values.
  public func stream(request: some RequestConvertible) -> Signal<Response<Data>, NetworkError> {
    scope.streamed(request) { pieces, _ in
      pieces.tryMap { piece throws(NetworkError) in
        try piece.checkLength()
        return piece
      }
    }.signal
  }

  /// Sends a request, which may be a string literal, and delivers the head and then the body in pieces.
  ///
  /// See ``stream(request:)-(RequestConvertible)``.
  public func stream(request: Request) -> Signal<Response<Data>, NetworkError> {
    stream(request: request.general)
  }

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
  /// reconnections without an event or a lasting connection between them, on ``Configuration/scheduler``. A longer
  /// `Retry-After` takes precedence. The maximum delay is one day. The number of reconnections is limited only by
  /// ``EventStreamOptions/reconnectionLimit``.
  ///
  /// | end of a connection | |
  /// |---|---|
  /// | end of the response, `network` errors such as the idle timeout, no network, an open circuit | reconnects |
  /// | a token refresh that took too long | reconnects, and begins another refresh |
  /// | statuses of transient failures: ``Retry/defaultStatuses`` | reconnects |
  /// | untrusted or rejected certificates, responses beyond a limit | fails |
  /// | all other failures: other statuses and types, a changed account | fails |
  /// | 204 | completes |
  ///
  /// A request with any other method, such as the `POST` of a model API, does not reconnect: the signal completes or
  /// fails with its response. Its ``Retry`` applies until the head is delivered. A request that can reconnect ignores
  /// its ``Retry``.
  ///
  /// All connections of a subscription belong to the same account and, with a service, to the same environment. When
  /// either changes, even during a delay, the signal fails with ``NetworkError/Code/contextChanged``. Total timeouts
  /// apply to each connection separately, and monitors observe each connection as a request, with the presentation
  /// style `.silent` if it can reconnect. Disposal cancels the exchange or ends the delay. Back-pressure is that of
  /// ``stream(request:)-(RequestConvertible)``.
  /// - Parameters:
  ///   - request: The request to send.
  ///   - options: The settings of the stream. Default: see ``EventStreamOptions``.
  /// - Returns: The signal of events.
  public func events(
    request: some RequestConvertible, options: EventStreamOptions = EventStreamOptions()
  ) -> Signal<ServerSentEvent, NetworkError> {
    .deferred { [scope] in EventStream(scope, request, options).events() }.named(after: request)
  }

  /// Sends a request, which may be a string literal, and delivers the server-sent events of the response.
  ///
  /// The parameters are those of ``events(request:options:)-(RequestConvertible,_)``.
  public func events(
    request: Request, options: EventStreamOptions = EventStreamOptions()
  ) -> Signal<ServerSentEvent, NetworkError> {
    events(request: request.general, options: options)
  }

  /// Sends a request and delivers the lines of the body as they arrive.
  ///
  /// ```swift
  /// for try await line in client.lines(request: "/log").values { print(line) }
  /// ```
  /// Lines end with LF or CRLF and are delivered without the line break, on ``Configuration/processing``. Empty lines
  /// and an unterminated last line are delivered. The text is UTF-8; invalid bytes become U+FFFD, and a byte order mark
  /// is removed. A line longer than ``ResponseLimits/lineByteCount`` fails with ``NetworkError/Code/responseTooLarge``.
  ///
  /// Stages, retries, timeouts, back-pressure and disposal are those of ``stream(request:)-(RequestConvertible)``; the
  /// envelope of a success is not opened, so a failure reported in it is delivered as lines. With a buffer downstream
  /// (`values`, `observe(on:)`) the connection pauses when the consumer is slow.
  /// - Parameter request: The request to send.
  /// - Returns: The signal of lines. A 304 to a conditional request completes the signal without values.
  public func lines(request: some RequestConvertible) -> Signal<String, NetworkError> {
    lines(request) { _ in { line, _, _ in String(decoding: line, as: UTF8.self) } }
  }

  /// Sends a request and decodes the lines of the body as they arrive: newline-delimited JSON, one value per line.
  ///
  /// ```swift
  /// for try await order in client.lines(request: "/orders.ndjson", of: Order.self).values { show(order) }
  /// ```
  /// Each line is decoded by ``Stages/decoder`` and ``JSONCoding`` of the request, on ``Configuration/processing``;
  /// envelopes and mappers are not used. Blank lines are skipped. A line that cannot be decoded fails the signal with a
  /// `processing` error after the values of the earlier lines: the reason contains the line number, counted from 1, and
  /// the body of the error's response is the line. If a response without `Content-Length` ends
  /// within the JSON of a line, the signal fails with ``NetworkError/Code/connectionLost``.
  ///
  /// See ``lines(request:)-(RequestConvertible)`` for limits and threads.
  /// - Parameters:
  ///   - request: The request to send.
  ///   - type: The type to decode each line as.
  /// - Returns: The signal of values. A 304 to a conditional request completes the signal without values.
  public func lines<Value: Decodable & Sendable>(
    request: some RequestConvertible, of type: Value.Type
  ) -> Signal<Value, NetworkError> {
    lines(request) { reader in
      { line, number, head throws(NetworkError) in
        if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return nil }
        return try reader.decode(type, from: head.replacing(Data(line)), prefix: "line \(number): ")
      }
    }
  }

  /// Sends a request, which may be a string literal, and delivers the lines of the body.
  ///
  /// See ``lines(request:)-(RequestConvertible)``.
  public func lines(request: Request) -> Signal<String, NetworkError> { lines(request: request.general) }

  /// Sends a request, which may be a string literal, and decodes the lines of the body.
  ///
  /// The parameters are those of ``lines(request:of:)-(RequestConvertible,_)``.
  public func lines<Value: Decodable & Sendable>(
    request: Request, of type: Value.Type
  ) -> Signal<Value, NetworkError> {
    lines(request: request.general, of: type)
  }

  private func lines<Value: Sendable>(
    _ request: any RequestConvertible,
    _ makeConvert: @escaping @Sendable (ResponseReader) -> LineReader<Value>.Convert
  ) -> Signal<Value, NetworkError> {
    scope.streamed(request) { LineReader(limit: $0.limits.lineByteCount, makeConvert($1)) }
      .named(after: request)
  }
}
