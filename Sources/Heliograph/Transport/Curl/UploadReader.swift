#if HELIOGRAPH_CURL
import Foundation
import Signals

/// A reader that supplies the bytes of a request's body when libcurl requests them; it belongs to the loop's thread.
///
/// That thread does all input and output of a transport, so files are read on another one; see ``FileScheduler``.
final class UploadReader {
  private let reader: PieceReader
  /// The declared length of the body; `nil` if it is unknown.
  let byteCount: Int?
  /// The number of bytes supplied so far.
  private(set) var offset = 0
  /// The instant at which the end of the body was read.
  private(set) var endedAt: SuspendingClock.Instant?

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - stream: The stream of the body.
  ///   - onReady: Called on any thread when bytes are available after `read` has returned `nil`.
  init(_ stream: BodyStream, onReady: @escaping @Sendable () -> Void) {
    reader = PieceReader(stream, files: FileScheduler(), onReady: onReady)
    byteCount = stream.byteCount
  }

  /// Cancels the request for a piece.
  func close() { reader.close() }

  /// Whether the body can be sent from its beginning.
  var canRewind: Bool { reader.canRewind }

  /// The number of bytes supplied; `nil` until the end of the body was read.
  var byteCountAtEnd: Int? { endedAt != nil || offset == byteCount ? offset : nil }

  func rewind() {
    offset = 0
    endedAt = nil
    reader.rewind()
  }

  /// Fills the buffer with the available bytes.
  ///
  /// - Returns: The number of bytes: 0 at the end, `nil` if none have arrived yet.
  /// - Throws: A `client` error if the source fails, or if its length differs from the declared one.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(NetworkError) -> Int? {
    guard let count = try reader.read(into: buffer, remainingByteCount: byteCount.map { $0 - offset }) else {
      return nil
    }
    offset += count
    if let byteCount {
      if count == 0, offset < byteCount { throw .sizeMismatch(declared: byteCount, read: offset) }
      let hasExcess = offset > byteCount || (offset == byteCount && reader.hasUnreadBytes)
      if hasExcess { throw .sizeMismatch(declared: byteCount, read: nil) }
    }
    // libcurl does not read on at the declared length.
    if endedAt == nil, count == 0 || offset == byteCount { endedAt = .now }
    return count
  }
}

extension HTTPBody {
  /// The maximum size of a body in memory that libcurl gets at once: 64 KiB, the most that it sends at a time.
  static let inMemoryByteLimit = 65_536

  /// Returns the stream of a body that libcurl requests piece by piece; `nil` for a body that it gets at once.
  ///
  /// The size of a file is determined, which may block.
  func uploadStream() throws(NetworkError) -> BodyStream? {
    switch self {
    case .empty: nil
    case .data(let data) where data.count <= HTTPBody.inMemoryByteLimit: nil
    case .data(let data): BodyStream(byteCount: data.count) { BodyStream.pieces(of: [data]) }
    case .file(let url): try BodySegment.body(of: [.file(url)]).uploadStream()
    case .stream(let stream): stream
    }
  }
}
#endif
