import Foundation
import Signals

/// A byte range of a multipart body with a single source.
enum MultipartSegment: Sendable {
  case data(Data)
  case file(URL, byteCount: Int)
  case stream(BodyStream)

  static let lineEnd = MultipartSegment.data(Data("\r\n".utf8))

  /// The maximum size of a body that is joined in memory: 1 MiB.
  private static let joinedByteLimit = 1 << 20

  var byteCount: Int? {
    switch self {
    case .data(let data): data.count
    case .file(_, let byteCount): byteCount
    case .stream(let stream): stream.byteCount
    }
  }

  static func body(of segments: [MultipartSegment]) -> HTTPBody {
    // An overflowing sum cannot be a real length; the length is then sent as unknown.
    let byteCount = segments.reduce(0 as Int?) { sum, segment in
      guard let sum, let count = segment.byteCount, count >= 0 else { return nil }
      let (total, isOverflow) = sum.addingReportingOverflow(count)
      return isOverflow ? nil : total
    }
    let segments = segments.reduce(into: []) { joined, segment in append(segment, to: &joined) }
    if let byteCount, byteCount <= joinedByteLimit, segments.count == 1, case .data(let data) = segments[0] {
      return .data(data)
    }
    let streams = segments.compactMap { if case .stream(let stream) = $0 { stream } else { nil } }
    let isSpent: @Sendable () -> Bool = { streams.contains { $0.isSpent } }
    return .stream(BodyStream(byteCount: byteCount, isSpent: isSpent) { MultipartPieces(segments).next })
  }

  /// Appends a segment; segments in memory are joined up to the limit, for fewer chunks.
  private static func append(_ segment: MultipartSegment, to segments: inout [MultipartSegment]) {
    if case .data(let data) = segment, case .data(var joined)? = segments.last,
      joined.count + data.count <= joinedByteLimit
    {
      // Removed first, so that the append happens in place without a copy.
      segments.removeLast()
      joined.append(data)
      segments.append(.data(joined))
    } else {
      segments.append(segment)
    }
  }
}
