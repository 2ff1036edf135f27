import Foundation
import Signals

/// A reader of a multipart body, segment by segment; each attempt has its own.
final class MultipartPieces: Sendable {
  /// The size of a chunk of data or of a file: 64 KiB.
  private static let pieceByteCount = 65_536

  private enum Source {
    case data(Data)
    case file(FileHandle, URL, remainingByteCount: Int)
    case stream(BodyStream.Next, remainingByteCount: Int?)
  }

  private struct State {
    var segments: ArraySlice<MultipartSegment>
    var source: Source?
  }

  private let state: Guarded<State>

  init(_ segments: [MultipartSegment]) { state = Guarded(State(segments: segments[...])) }

  /// Returns the next chunk; an empty signal at the end.
  ///
  /// Calls never overlap, so the state may be read and written under separate locks.
  @Sendable func next() -> Signal<Data, any Error> {
    do {
      while true {
        var state = state.withLock { $0 }
        guard let source = try state.source ?? state.segments.popFirst().map({ try MultipartPieces.open($0) }) else {
          return .empty
        }
        state.source = nil
        let piece = try read(source, &state.source)
        self.state.withLock { [state] in $0 = state }
        if let piece { return piece }
      }
    } catch {
      return .fail(error)
    }
  }

  private static func open(_ segment: MultipartSegment) throws -> Source {
    switch segment {
    case .data(let data): .data(data)
    case .file(let url, let byteCount):
      .file(try FileHandle(forReadingFrom: url), url, remainingByteCount: byteCount)
    case .stream(let stream): .stream(stream.open(), remainingByteCount: stream.byteCount)
    }
  }

  /// Reads the next chunk from a source and stores the remainder of the source; returns `nil` at its end.
  private func read(_ source: Source, _ remainder: inout Source?) throws -> Signal<Data, any Error>? {
    switch source {
    case .data(let data):
      if data.isEmpty { return nil }
      let piece = Data(data.prefix(MultipartPieces.pieceByteCount))
      remainder = .data(data.dropFirst(piece.count))
      return .just(piece)
    case .file(let handle, let url, let count):
      // Reads one byte more than expected, to detect a file that has grown.
      let piece = try handle.read(upToCount: min(MultipartPieces.pieceByteCount, count + 1)) ?? Data()
      guard piece.count <= count, !piece.isEmpty || count == 0 else {
        throw NetworkError(.invalidBody, reason: "\(url.path) changed size during the upload")
      }
      guard !piece.isEmpty else {
        try handle.close()
        return nil
      }
      remainder = .file(handle, url, remainingByteCount: count - piece.count)
      return .just(piece)
    case .stream(let next, let count):
      return next().collect().sharedFlatMap { [self] pieces in received(pieces, next, count) }
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
    // No chunk means the end of the stream: continue with the next segment.
    if pieces.isEmpty { return self.next() }
    state.withLock { $0.source = .stream(next, remainingByteCount: count.map { $0 - piece.count }) }
    return .just(piece)
  }
}
