import Foundation

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

  /// Returns the content of a quoted parameter, escaped as browsers do.
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
      guard let count = url.fileByteCount else {
        throw NetworkError(.invalidBody, reason: "\(url.path.singleLine) is missing, or is not a regular file")
      }
      try FileHandle(forReadingFrom: url).close()
      return count
    } catch {
      throw (error as? NetworkError)
        ?? NetworkError(.invalidBody, reason: "cannot read \(url.path)", underlying: error)
    }
  }
}
