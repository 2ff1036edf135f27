import Foundation
import Signals

/// A validated part: its header lines and its content.
struct MultipartSection {
  /// The header fields and the empty line after them.
  let head: String
  let content: BodySegment

  init(_ part: Multipart.Part) throws(NetworkError) {
    var head = "Content-Disposition: form-data; name=\"\(MultipartSection.escaped(part.name))\""
    if let fileName = part.fileName { head += "; filename=\"\(MultipartSection.escaped(fileName))\"" }
    head += "\r\n"
    if let type = part.contentType {
      // CR and LF would begin another field or the content; fields contain no other control characters (RFC 9110 §5.5).
      guard !type.hasControlCharacter else {
        throw NetworkError(
          .invalidHeader, reason: "control character in the content type of the part \(part.name.debugDescription)")
      }
      head += "Content-Type: \(type)\r\n"
    }
    self.head = head + "\r\n"
    content =
      switch part.content {
      case .data(let data): .data(data)
      case .file(let url): try .file(url)
      case .stream(let stream): .stream(stream)
      }
  }

  /// Returns the content of a quoted parameter with the escapes of browsers; unlike in browsers, a lone CR or LF in a
  /// name does not become CRLF, so that the server receives the name as it is.
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
}
