import Foundation
import Signals

/// A validated part: its header lines and its content.
struct MultipartSection {
  /// The header fields and the empty line after them.
  let head: String
  let content: MultipartSegment

  init(_ part: Multipart.Part) throws(NetworkError) {
    var head = "Content-Disposition: form-data; name=\"\(MultipartSection.escaped(part.name))\""
    if let fileName = part.fileName { head += "; filename=\"\(MultipartSection.escaped(fileName))\"" }
    head += "\r\n"
    if let type = part.contentType {
      // CR and LF would begin another field or the content; fields contain no other control characters (RFC 9110 §5.5).
      guard !type.utf8.contains(where: \.isControl) else {
        throw NetworkError(
          .invalidHeader, reason: "control character in the content type of the part \(part.name.debugDescription)")
      }
      head += "Content-Type: \(type)\r\n"
    }
    self.head = head + "\r\n"
    content =
      switch part.content {
      case .data(let data): .data(data)
      case .file(let url): .file(url, byteCount: try MultipartSection.byteCount(of: url))
      case .stream(let stream): .stream(stream)
      }
  }

  /// Returns the content of a quoted parameter with the escapes of browsers.
  ///
  /// Unlike in browsers, a lone CR or LF in a name does not become CRLF, so that the server receives the name as it is.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "%22"
      case "\r": result += "%0D"
      case "\n": result += "%0A"
      case "\0": result += "%00"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func byteCount(of url: URL) throws(NetworkError) -> Int {
    guard url.isFileURL else {
      throw NetworkError(.invalidBody, reason: "the upload's URL is not a file URL")
    }
    do {
      // Checked before opening, because opening a pipe could block.
      guard let count = url.fileByteCount else { throw NetworkError.unreadable(url) }
      try FileHandle(forReadingFrom: url).close()
      return count
    } catch {
      throw error as? NetworkError ?? .unreadable(url, error)
    }
  }
}

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
