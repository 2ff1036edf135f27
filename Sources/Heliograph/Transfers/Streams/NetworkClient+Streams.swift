public import Foundation
public import Signals

extension NetworkClient {
  /// Sends a request and delivers the body in pieces as they arrive.
  ///
  /// ```swift
  /// for try await piece in client.stream(request: "/export").values {
  ///   try handle.write(contentsOf: piece)
  /// }
  /// ```
  /// The request passes the same stages as every request: middleware, tokens, redirects, monitors and identity. Status
  /// and header fields are validated before the first piece; validators see an empty body. Retries and recoveries apply
  /// until the head is delivered, not afterwards. Nothing is decoded, except content codings such as gzip, and the
  /// cache is not used. The first 1 MiB of an error's body is collected, for ``NetworkError/response``.
  ///
  /// Pieces are delivered on the transport's thread. With a buffer downstream (`observe(on:)`, `values`) the connection
  /// pauses at 16 buffered pieces and resumes at 4, so memory is constant; a `URLSession` on Linux cannot pause. The
  /// idle timeout applies between pieces, except while the connection is paused; ``ResponseLimits/streamedByteCount``
  /// limits all pieces together. Disposal closes the connection.
  /// - Parameter request: The request to send.
  /// - Returns: The signal of pieces, none of which is empty. A 304 completes the signal without values.
  public func stream(request: some RequestConvertible) -> Signal<Data, NetworkError> {
    scope.streamed(request) { pieces, _ in pieces }.signal.compactMap { $0.value.isEmpty ? nil : $0.value }
  }

  /// Sends a request, which may be a string literal, and delivers the body in pieces as they arrive.
  ///
  /// See ``stream(request:)-(RequestConvertible)``.
  /// - Parameter request: The request to send.
  /// - Returns: The signal of pieces.
  public func stream(request: Request) -> Signal<Data, NetworkError> {
    stream(request: request.general)
  }
}
