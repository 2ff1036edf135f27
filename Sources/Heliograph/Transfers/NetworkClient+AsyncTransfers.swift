public import Foundation
import Signals

extension NetworkClient {
  /// Sends a request, reports its progress and returns the response with its decoded body.
  ///
  /// ```swift
  /// let response = try await client.upload(request, as: Receipt.self) { progress in
  ///   if progress.direction == .sending { bar.value = progress.fractionCompleted ?? 0 }
  /// }
  /// ```
  /// - Parameters:
  ///   - request: The request to send.
  ///   - type: The type to decode; `Data` for the body as received.
  ///   - progress: Receives the progress, at most once per ``RequestOptions/progressInterval``, on the caller's actor.
  ///     The last progress of each direction is delivered, unless a total timeout or a cancellation precedes it.
  ///     Default: none.
  /// - Returns: The response.
  /// - Throws: A ``NetworkError`` for every failure, including a 304. Cancelling the task cancels the transfer and
  ///   throws the code ``NetworkError/Code/cancelled``, unless the response has already arrived.
  public func upload<Output: Decodable & Sendable>(
    _ request: some RequestConvertible, as type: Output.Type, progress: (TransferProgress) -> Void = { _ in }
  ) async throws(NetworkError) -> Response<Output> {
    let read: ResponseReader.Read = { $1.read(type, from: $0, into: $2) }
    return try await response(of: request, progress) { client, _ in
      client.scope.transfer(of: request) { $0.interpret(request, expectsOneValue: true, watch: $1, read).signal }
    }
    .one(as: type)
  }

  /// Sends a request, reports its progress and returns the response with its body decoded on the caller's actor.
  ///
  /// This overload is chosen for a type whose conformance to `Decodable` is isolated, as for `send(_:as:)`.
  /// - Parameters:
  ///   - request: The request to send.
  ///   - type: The type to decode.
  ///   - progress: Receives the progress, on the caller's actor. Default: none.
  /// - Returns: The response.
  /// - Throws: A ``NetworkError`` for every failure, and when the task is cancelled before the response was decoded.
  public func upload<Output: Decodable>(
    _ request: some RequestConvertible, as type: Output.Type, progress: (TransferProgress) -> Void = { _ in }
  ) async throws(NetworkError) -> Response<Output> {
    let name: Any.Type = type
    var decoded: Response<Output>?
    func decode(_ body: CheckedBody) { decoded = body.decoded(as: type) }
    let response = try await response(of: request, progress, decode: decode) { client, ask in
      client.scope.transfer(of: request) {
        $0.decodedByCaller(request, for: name, watch: $1, asking: ask).signal
      }
    }
    return try response.replacing(by: decoded)
  }

  /// Sends a request, reports its progress, writes the body to a file and returns the response with the file's URL.
  ///
  /// See ``download(request:to:options:)-(RequestConvertible,_,_)`` for the file and for resuming.
  /// - Parameters:
  ///   - request: The request to send.
  ///   - file: The location of the file to create.
  ///   - options: The settings. Default: see ``DownloadOptions``.
  ///   - progress: Receives the progress, at most once per ``RequestOptions/progressInterval``, on the caller's actor.
  ///     The last progress of each direction is delivered, unless a total timeout or a cancellation precedes it.
  ///     Default: none.
  /// - Returns: The response.
  /// - Throws: A ``NetworkError`` for every failure, including a 304. Cancelling the task cancels the transfer and
  ///   throws the code ``NetworkError/Code/cancelled``; the received bytes remain for the next download. A file that is
  ///   complete is returned nevertheless.
  public func download(
    _ request: some RequestConvertible, to file: URL, options: DownloadOptions = DownloadOptions(),
    progress: (TransferProgress) -> Void = { _ in }
  ) async throws(NetworkError) -> Response<URL> {
    try await response(of: request, progress) { client, _ in
      client.saving(request, file, options, expectsOneValue: true)
    }
    .one(as: URL.self)
  }

  /// Sends a request, which may be a string literal, writes the body to a file and returns the response.
  ///
  /// Parameters and errors are those of ``download(_:to:options:progress:)-(RequestConvertible,_,_,_)``.
  public func download(
    _ request: Request, to file: URL, options: DownloadOptions = DownloadOptions(),
    progress: (TransferProgress) -> Void = { _ in }
  ) async throws(NetworkError) -> Response<URL> {
    try await download(request.general, to: file, options: options, progress: progress)
  }

  /// Returns the response of a transfer and calls closures with its progress and with bodies to decode, on the actor of
  /// the caller; the work starts as that of `ClientScope.values`.
  private func response(
    of request: any RequestConvertible, _ progress: (TransferProgress) -> Void,
    decode: (CheckedBody) -> Void = { _ in },
    _ transfer:
      @escaping @Sendable (NetworkClient, @escaping @Sendable (CheckedBody) -> Void) -> ClientScope.TransferResults
  ) async throws(NetworkError) -> Response<Data> {
    // Set when it arrives: the caller's actor may be busy, and the task be cancelled before it asks for it.
    let response = Guarded<Response<Data>?>(nil)
    let steps = await scope.values { scope in
      CallersStep.signal { transfer(NetworkClient(scope), $0) }.on(value: { step in
        if case .event(.finished(let value)) = step { response.set(value) }
      })
    }
    do throws(NetworkError) {
      while let step = try await steps.next() {
        switch step {
        case .decode(let body): decode(body)
        case .event(.progress(let value)): progress(value)
        case .event(.finished): break
        }
      }
    } catch {
      if !error.isCancelled || response.withLock({ $0 }) == nil { throw scope.delivered(error, for: request) }
    }
    return try current(response.withLock { $0 }, for: request)
  }
}
