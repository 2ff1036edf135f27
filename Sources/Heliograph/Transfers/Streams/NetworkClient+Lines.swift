import Foundation
public import Signals

extension NetworkClient {
  /// Sends a request and delivers the lines of the body as they arrive.
  ///
  /// ```swift
  /// for try await line in client.lines(request: "/log").values { print(line) }
  /// ```
  /// Lines end with LF or CRLF and are delivered without the line break, on ``Configuration/processing``. Empty lines
  /// and an unterminated last line are delivered. The text is UTF-8; invalid bytes become U+FFFD, and a byte order mark
  /// is removed. A line longer than ``ResponseLimits/lineByteCount`` fails with ``NetworkError/Code/responseTooLarge``.
  ///
  /// Stages, retries, timeouts, back-pressure and disposal are those of ``stream(request:)-(RequestConvertible)``. With
  /// a buffer downstream (`values`, `observe(on:)`) the connection pauses when the consumer is slow.
  /// - Parameter request: The request to send.
  /// - Returns: The signal of lines. A 304 completes the signal without values.
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
  /// the body of the error's response is the line.
  ///
  /// See ``lines(request:)-(RequestConvertible)`` for limits and threads.
  /// - Parameters:
  ///   - request: The request to send.
  ///   - type: The type to decode each line as.
  /// - Returns: The signal of values. A 304 completes the signal without values.
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

  /// Sends a request, which may be a string literal, and delivers the lines of the body; see
  /// ``lines(request:)-(RequestConvertible)``.
  ///
  /// - Parameter request: The request to send.
  /// - Returns: The signal of lines.
  public func lines(request: Request) -> Signal<String, NetworkError> { lines(request: request.general) }

  /// Sends a request, which may be a string literal, and decodes the lines of the body; see
  /// ``lines(request:of:)-(RequestConvertible,_)``.
  ///
  /// - Parameters:
  ///   - request: The request to send.
  ///   - type: The type to decode each line as.
  /// - Returns: The signal of values.
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
  }
}
