import Foundation
import Signals

/// A byte range of a body with a single source.
enum BodySegment: Sendable {
  case data(Data)
  case file(URL, byteCount: Int)
  case stream(BodyStream)

  /// Returns the segment of a file with its current size, which is checked while the file is read.
  static func file(_ url: URL) throws(NetworkError) -> BodySegment {
    guard url.isFileURL else {
      throw NetworkError(.invalidBody, reason: "the upload's URL is not a file URL")
    }
    do {
      // Checked before opening, because opening a pipe could block.
      guard let count = url.fileByteCount else { throw NetworkError.unreadable(url) }
      try FileHandle(forReadingFrom: url).close()
      return .file(url, byteCount: count)
    } catch {
      throw error as? NetworkError ?? .unreadable(url, error)
    }
  }

  var byteCount: Int? {
    switch self {
    case .data(let data): data.count
    case .file(_, let byteCount): byteCount
    case .stream(let stream): stream.byteCount
    }
  }

  static func body(of segments: [BodySegment]) -> HTTPBody {
    // An overflowing sum cannot be a real length; the length is then sent as unknown.
    let byteCount = segments.reduce(0 as Int?) { sum, segment in
      guard let sum, let count = segment.byteCount, count >= 0 else { return nil }
      let (total, isOverflow) = sum.addingReportingOverflow(count)
      return isOverflow ? nil : total
    }
    let segments = segments.reduce(into: []) { joined, segment in append(segment, to: &joined) }
    if segments.count == 1, case .data(let data) = segments[0] { return .data(data) }
    let streams = segments.compactMap { if case .stream(let stream) = $0 { stream } else { nil } }
    let isSpent: @Sendable () -> Bool = { streams.contains { $0.isSpent } }
    return .stream(BodyStream(byteCount: byteCount, isSpent: isSpent) { SegmentReader(segments, files: $0).next })
  }

  /// Appends a segment; consecutive segments in memory are joined.
  private static func append(_ segment: BodySegment, to segments: inout [BodySegment]) {
    if case .data(let data) = segment, case .data(var joined)? = segments.last {
      // Removed first, so that the append happens in place without a copy.
      segments.removeLast()
      joined.append(data)
      segments.append(.data(joined))
    } else {
      segments.append(segment)
    }
  }
}
