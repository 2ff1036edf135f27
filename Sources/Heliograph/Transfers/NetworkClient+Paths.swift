public import Foundation
public import Signals

/// `GET` requests by their path alone.
extension NetworkClient {
  /// Sends a `GET` and returns the response with its decoded body; see ``send(_:as:)``.
  ///
  /// - Parameters:
  ///   - path: The path below the base URL, or an absolute URL.
  ///   - type: The type to decode.
  /// - Returns: The response.
  /// - Throws: Every failure, including a cancelled task.
  public func send<Output: Decodable & Sendable>(
    _ path: RequestPath, as type: Output.Type
  ) async throws(NetworkError) -> Response<Output> {
    try await send(Request(.get, path), as: type)
  }

  /// Sends a `GET` and returns the decoded value of the response; see ``value(of:as:)``.
  ///
  /// - Parameters:
  ///   - path: The path below the base URL, or an absolute URL.
  ///   - type: The type to decode.
  /// - Returns: The value.
  /// - Throws: Every failure, including a cancelled task.
  public func value<Output: Decodable & Sendable>(
    of path: RequestPath, as type: Output.Type
  ) async throws(NetworkError) -> Output {
    try await send(Request(.get, path), as: type).value
  }

  /// Sends a `GET` and returns the response as received, whatever its status; see ``response(for:)-(RequestConvertible)``.
  ///
  /// - Parameter path: The path below the base URL, or an absolute URL.
  /// - Returns: The response.
  /// - Throws: A `client` or `network` error; a cancelled task ``NetworkError/Code/cancelled``.
  public func response(for path: RequestPath) async throws(NetworkError) -> Response<Data> {
    try await response(for: Request(.get, path))
  }

  /// Sends a `GET` and decodes the response; see ``enqueue(request:resultType:)``.
  ///
  /// - Parameters:
  ///   - path: The path below the base URL, or an absolute URL.
  ///   - resultType: The type to decode.
  /// - Returns: The signal.
  public func enqueue<Result: Decodable & Sendable>(
    request path: RequestPath, resultType: Result.Type
  ) -> Signal<Response<Result>, NetworkError> {
    enqueue(request: Request(.get, path), resultType: resultType)
  }

  /// Sends a `GET` and delivers the response as received; see ``enqueue(request:)``.
  ///
  /// - Parameter path: The path below the base URL, or an absolute URL.
  /// - Returns: The signal.
  public func enqueue(request path: RequestPath) -> Signal<Response<Data>, NetworkError> {
    enqueue(request: Request(.get, path))
  }

  /// Sends a `GET` and transforms the validated response; see ``enqueue(request:transform:)``.
  ///
  /// - Parameters:
  ///   - path: The path below the base URL, or an absolute URL.
  ///   - transform: Creates the result.
  /// - Returns: The signal.
  public func enqueue<Result: Sendable>(
    request path: RequestPath, transform: @escaping @Sendable (Response<Data>) throws -> Result
  ) -> Signal<Response<Result>, NetworkError> {
    enqueue(request: Request(.get, path), transform: transform)
  }

  /// Sends a `GET`, reports its progress and delivers the body; see ``download(request:)``.
  ///
  /// - Parameter path: The path below the base URL, or an absolute URL.
  /// - Returns: The signal.
  public func download(request path: RequestPath) -> Signal<Transfer<Response<Data>>, NetworkError> {
    download(request: Request(.get, path))
  }

  /// Sends a `GET` and reports its progress, then decodes the response; see ``upload(request:resultType:)``.
  ///
  /// - Parameters:
  ///   - path: The path below the base URL, or an absolute URL.
  ///   - resultType: The type to decode.
  /// - Returns: The signal.
  public func upload<Result: Decodable & Sendable>(
    request path: RequestPath, resultType: Result.Type
  ) -> Signal<Transfer<Response<Result>>, NetworkError> {
    upload(request: Request(.get, path), resultType: resultType)
  }

  /// Sends a `GET` and writes the body to a file; see ``download(request:to:options:)``.
  ///
  /// - Parameters:
  ///   - path: The path below the base URL, or an absolute URL.
  ///   - file: The file to create.
  ///   - options: The settings. Default: see ``DownloadOptions``.
  /// - Returns: The signal.
  public func download(
    request path: RequestPath, to file: URL, options: DownloadOptions = DownloadOptions()
  ) -> Signal<Transfer<URL>, NetworkError> {
    download(request: Request(.get, path), to: file, options: options)
  }

  /// Sends a `GET` and delivers the body in pieces; see ``stream(request:)``.
  ///
  /// - Parameter path: The path below the base URL, or an absolute URL.
  /// - Returns: The signal.
  public func stream(request path: RequestPath) -> Signal<Data, NetworkError> {
    stream(request: Request(.get, path))
  }

  /// Returns a `GET` as it would be sent now, before middleware; see ``httpRequest(for:)``.
  ///
  /// - Parameter path: The path below the base URL, or an absolute URL.
  /// - Returns: The request to send.
  /// - Throws: A `client` error.
  public func httpRequest(for path: RequestPath) throws(NetworkError) -> HTTPRequest {
    try httpRequest(for: Request(.get, path))
  }
}
