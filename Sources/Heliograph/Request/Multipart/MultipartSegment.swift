import Foundation
import Signals

/// A stretch of a body, from one source.
enum MultipartSegment: Sendable {
  case data(Data)
  case file(URL, byteCount: Int)
  case stream(BodyStream)

  static let lineEnd = MultipartSegment.data(Data("\r\n".utf8))

  /// Bodies up to this many bytes are put together in memory: 1 MiB.
  private static let joinedByteCount = 1 << 20

  var byteCount: Int? {
    switch self {
    case .data(let data): data.count
    case .file(_, let byteCount): byteCount
    case .stream(let stream): stream.byteCount
    }
  }

  /// All of them, one after another.
  static func body(of segments: [MultipartSegment]) -> HTTPBody {
    // What overflows is no length that anything could have; it is sent as if it were not known.
    let byteCount = segments.reduce(0 as Int?) { sum, segment in
      guard let sum, let count = segment.byteCount, count >= 0 else { return nil }
      let (total, isOverflow) = sum.addingReportingOverflow(count)
      return isOverflow ? nil : total
    }
    let segments = segments.reduce(into: []) { joined, segment in append(segment, to: &joined) }
    if let byteCount, byteCount <= joinedByteCount, segments.count == 1, case .data(let data) = segments[0] {
      return .data(data)
    }
    return .stream(BodyStream(byteCount: byteCount) { MultipartPieces(segments).next })
  }

  /// Puts what is short and in memory together with what came before: fewer pieces.
  private static func append(_ segment: MultipartSegment, to segments: inout [MultipartSegment]) {
    if case .data(let data) = segment, case .data(var joined)? = segments.last,
      joined.count + data.count <= joinedByteCount
    {
      // Taken out first, so that nothing is copied to append.
      segments.removeLast()
      joined.append(data)
      segments.append(.data(joined))
    } else {
      segments.append(segment)
    }
  }
}
