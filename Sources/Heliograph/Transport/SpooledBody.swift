import Foundation
import Signals

/// A stream written to a temporary file, for a transport that can send only what has a length.
enum SpooledBody {
  /// Runs an exchange with a request whose stream has become a file, which is removed when the exchange is over.
  static func exchange(
    _ request: HTTPRequest, _ stream: BodyStream,
    _ send: @escaping @Sendable (HTTPRequest) -> Signal<TransportEvent, NetworkError>
  ) -> Signal<TransportEvent, NetworkError> {
    .deferred {
      let url = FileManager.default.temporaryDirectory.appendingPathComponent("heliograph-\(UUID().uuidString)")
      let remove: @Sendable () -> Void = { try? FileManager.default.removeItem(at: url) }
      guard FileManager.default.createFile(atPath: url.path, contents: nil),
        let file = try? FileHandle(forWritingTo: url)
      else { return .fail(failure("no temporary file can be written", request)) }
      return write(stream.open(), to: file, request)
        .flatMap { count in
          if let expected = stream.byteCount, expected != count {
            return .fail(failure("the body was said to have \(expected) bytes, and has \(count)", request))
          }
          var spooled = request
          spooled.body = .file(url)
          return send(spooled)
        }
        .on(dispose: remove, terminate: remove)
    }
  }

  /// Writes the rest of a stream; gives how many bytes that were.
  private static func write(
    _ next: @escaping BodyStream.Next, to file: FileHandle, _ request: HTTPRequest, after count: Int = 0
  ) -> Signal<Int, NetworkError> {
    next().collect()
      .mapError { failure("the body's source failed", request, $0) }
      .flatMap { pieces in
        guard !pieces.isEmpty else { return .just(count) }
        do {
          for piece in pieces { try file.write(contentsOf: piece) }
        } catch {
          return .fail(failure("the temporary file cannot be written", request, error))
        }
        return write(next, to: file, request, after: pieces.reduce(count) { $0 + $1.count })
      }
  }

  private static func failure(_ reason: String, _ request: HTTPRequest, _ underlying: (any Error)? = nil)
    -> NetworkError
  {
    NetworkError(.client, .badBody, reason: reason, request: request, underlying: underlying)
  }
}
