#if HELIOGRAPH_CURL
import Foundation
import Signals

/// A reader that supplies the bytes of a request's body when libcurl requests them; it belongs to the loop's thread.
final class UploadReader {
  /// The maximum size of a body in memory that is passed to libcurl at once: 64 KiB, the most that it sends at a
  /// time.
  static let inMemoryByteLimit = 65_536

  private enum Source {
    case data(Data)
    case file(FileHandle)
    case stream(PieceReader)
  }

  private let source: Source
  /// The length of the body at its beginning; `nil` if it is unknown.
  let byteCount: Int?
  /// The number of bytes supplied so far.
  private(set) var offset = 0
  /// The instant at which the end of the body was read.
  private(set) var endedAt: SuspendingClock.Instant?

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - request: The request with the body, whose bytes libcurl does not have yet.
  ///   - onReady: Called on any thread when bytes are available after `read` has returned `nil`.
  /// - Throws: A `client` error if the file cannot be opened.
  init(_ request: HTTPRequest, onReady: @escaping @Sendable () -> Void) throws(NetworkError) {
    switch request.body {
    case .empty: source = .data(Data())
    case .data(let data): source = .data(data)
    case .file(let url):
      // Opening and reading a pipe could block the loop.
      guard url.fileByteCount != nil else { throw request.failure(ofFile: url) }
      do {
        source = .file(try FileHandle(forReadingFrom: url))
      } catch {
        throw request.failure(ofFile: url, error)
      }
    case .stream(let stream): source = .stream(PieceReader(stream, onReady: onReady))
    }
    byteCount = request.body.byteCount
  }

  /// Closes the file, or cancels the request for a piece.
  func close() {
    switch source {
    case .data: break
    case .file(let handle): try? handle.close()
    case .stream(let reader): reader.close()
    }
  }

  /// Whether the body can be sent from its beginning.
  var canRewind: Bool { if case .stream(let reader) = source { reader.canRewind } else { true } }

  /// The number of bytes supplied; `nil` until the end of the body was read.
  var byteCountAtEnd: Int? { endedAt != nil || offset == byteCount ? offset : nil }

  /// Restarts from the beginning.
  func rewind() {
    offset = 0
    endedAt = nil
    switch source {
    case .data: break
    case .file(let handle): try? handle.seek(toOffset: 0)
    case .stream(let reader): reader.rewind()
    }
  }

  /// Fills the buffer with the available bytes.
  ///
  /// - Returns: The number of bytes: 0 at the end, `nil` if none have arrived yet.
  /// - Throws: A `client` error if the source fails, or if its length differs from the declared one.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(NetworkError) -> Int? {
    guard let count = try copy(buffer) else { return nil }
    offset += count
    if let byteCount, offset > byteCount || (offset == byteCount && hasExcess) || (count == 0 && offset < byteCount) {
      throw .sizeMismatch(declared: byteCount, read: count == 0 ? offset : nil)
    }
    // libcurl does not read on at the declared length.
    if endedAt == nil, count == 0 || offset == byteCount { endedAt = .now }
    return count
  }

  /// Whether there are bytes beyond the declared length, which libcurl does not request.
  private var hasExcess: Bool {
    switch source {
    case .data: false
    case .file(let handle):
      withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { byte in
        pread(handle.fileDescriptor, byte.baseAddress, 1, off_t(offset)) > 0
      }
    case .stream(let reader): reader.hasUnreadBytes
    }
  }

  private func copy(_ buffer: UnsafeMutableRawBufferPointer) throws(NetworkError) -> Int? {
    switch source {
    case .data(let data):
      let piece = data[(data.startIndex + offset)...].prefix(buffer.count)
      buffer.copyBytes(from: piece)
      return piece.count
    case .file(let handle):
      let count = Foundation.read(handle.fileDescriptor, buffer.baseAddress, buffer.count)
      guard count >= 0 else { throw NetworkError(.invalidBody, reason: "cannot read the rest of the file") }
      return count
    case .stream(let reader):
      return try reader.read(into: buffer, remainingByteCount: byteCount.map { $0 - offset })
    }
  }
}
#endif
