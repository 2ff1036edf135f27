import Foundation
import Signals

/// A reader of a body, segment by segment; each attempt has its own.
///
/// Calls never overlap, so the state may be read and written under separate locks.
final class SegmentReader: Sendable {
  /// The size of a chunk of data or of a file: 256 KiB.
  static let pieceByteCount = 262_144

  private enum Source {
    case data(Data)
    /// A file, which is opened when its first chunk is read.
    case file(URL, byteCount: Int, OpenFile? = nil, offset: Int = 0)
    case stream(BodyStream.Next, remainingByteCount: Int?)
  }

  private struct State {
    var segments: ArraySlice<BodySegment>
    var source: Source?
  }

  private let state: Guarded<State>
  /// The scheduler on which files are opened, read and closed.
  private let files: any SignalScheduler

  init(_ segments: [BodySegment], files: any SignalScheduler) {
    state = Guarded(State(segments: segments[...]))
    self.files = files
  }

  deinit {
    let source = state.withLock { $0.source.take() }
    // The scheduler gets the last reference, whose release closes the file.
    if case .file? = source { files.schedule { [source = consume source] in withExtendedLifetime(source) {} } }
  }

  /// Returns the next chunk; an empty signal at the end.
  @Sendable func next() -> Signal<Data, any Error> {
    while let source = currentSource() {
      switch source {
      case .data(let data):
        let piece = Data(data.prefix(SegmentReader.pieceByteCount))
        state.withLock { $0.source = piece.count < data.count ? .data(data.dropFirst(piece.count)) : nil }
        if !piece.isEmpty { return .just(piece) }
      case .file: return Signal.deferred { [self] in readFile() }.subscribe(on: files)
      case .stream(let next, let count):
        return next().collect().sharedFlatMap { [self] pieces in received(pieces, next, count) }
      }
    }
    return .empty
  }

  /// Returns the source of the next chunk; `nil` at the end of the last segment.
  private func currentSource() -> Source? {
    if let source = state.withLock({ $0.source }) { return source }
    guard let segment = state.withLock({ $0.segments.popFirst() }) else { return nil }
    let source: Source =
      switch segment {
      case .data(let data): .data(data)
      case .file(let url, let byteCount): .file(url, byteCount: byteCount)
      case .stream(let stream): .stream(stream.open(files: files), remainingByteCount: stream.byteCount)
      }
    state.withLock { $0.source = source }
    return source
  }

  /// Reads the next chunk of a file, which may be empty at its end.
  private func readFile() -> Signal<Data, any Error> {
    guard case .file(let url, let byteCount, let opened, let offset)? = state.withLock({ $0.source }) else {
      return .empty
    }
    do {
      let file = try opened ?? OpenFile(reading: url)
      // One byte more than expected, to detect a file that has grown.
      let count = min(SegmentReader.pieceByteCount, byteCount - offset + 1)
      guard let piece = file.data(at: offset, count: count) else {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
      let (isAtEnd, end) = (piece.count < count, offset + piece.count)
      guard isAtEnd ? end == byteCount : end <= byteCount else {
        throw NetworkError(.invalidBody, reason: "\(url.path) changed size during the upload")
      }
      state.discardWithLock { state in
        defer { state.source = isAtEnd ? nil : .file(url, byteCount: byteCount, file, offset: end) }
        return state.source
      }
      return .just(piece)
    } catch {
      return .fail(error as? NetworkError ?? .unreadable(url, error))
    }
  }

  private func received(
    _ pieces: [Data], _ next: @escaping BodyStream.Next, _ count: Int?
  ) -> Signal<Data, any Error> {
    let piece = pieces.reduce(into: Data()) { $0.append($1) }
    if let count, piece.count > count || (pieces.isEmpty && count > 0) {
      let reason = "size mismatch of a part's stream: it differs from the declared size"
      return .fail(NetworkError(.invalidBody, reason: reason))
    }
    state.withLock { state in
      state.source = pieces.isEmpty ? nil : .stream(next, remainingByteCount: count.map { $0 - piece.count })
    }
    // No chunk means the end of the stream: continue with the next segment.
    return pieces.isEmpty ? self.next() : .just(piece)
  }
}
