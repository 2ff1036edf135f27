import Foundation
import Heliograph

/// The stream of a request to a stub, which is read before the answer.
struct StubbedStream: Sendable {
  /// The size limit: far more than a test sends, because a stream may be endless.
  private static let byteLimit = 64 << 20

  let stream: BodyStream
  let request: HTTPRequest
  private let bytes = Bytes()

  private final class Bytes: Sendable {
    let data = Guarded(Data())
  }

  /// Returns the bytes of the stream; an invalid stream fails as with every other transport.
  func read() -> Signal<Data, NetworkError> { .deferred { remainingBytes(of: stream.open()) } }

  private func remainingBytes(of next: @escaping BodyStream.Next) -> Signal<Data, NetworkError> {
    next().collect()
      .mapError { .failedStream($0).attaching(request) }
      .flatMap { pieces in
        let count = bytes.data.withLock { data in
          for piece in pieces { data += piece }
          return data.count
        }
        if let expected = stream.byteCount, pieces.isEmpty ? count < expected : count > expected {
          let error = NetworkError.sizeMismatch(declared: expected, read: pieces.isEmpty ? count : nil)
          return .fail(error.attaching(request))
        }
        guard !pieces.isEmpty, count < StubbedStream.byteLimit else { return .just(bytes.data.withLock { $0 }) }
        return remainingBytes(of: next)
      }
  }
}
