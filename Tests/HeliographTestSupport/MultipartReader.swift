import Foundation

/// Reads a multipart body as RFC 2046 §5.1.1 has it: the independent half of the tests.
package enum MultipartReader {
  package struct Part: Equatable {
    package var fields: [String: String] = [:]
    package var content = Data()

    package init(fields: [String: String] = [:], content: Data = Data()) {
      self.fields = fields
      self.content = content
    }

    package var disposition: String? { fields["content-disposition"] }
    package var type: String? { fields["content-type"] }
  }

  /// `nil` if the body is not well-formed.
  package static func parts(of body: Data, contentType: String) -> [Part]? {
    let prefix = "multipart/form-data; boundary="
    guard contentType.hasPrefix(prefix) else { return nil }
    let boundary = contentType.dropFirst(prefix.count)
    guard !boundary.isEmpty, !boundary.contains("\"") else { return nil }
    // The first delimiter has no line before it that it could end.
    let text = Data("\r\n".utf8) + body
    let delimiter = Data("\r\n--\(boundary)".utf8)
    var ranges: [Range<Int>] = []
    var from = 0
    while let found = text.range(of: delimiter, in: from..<text.count) {
      ranges.append(found)
      from = found.upperBound
    }
    guard let last = ranges.last, ranges[0].lowerBound == 0, text[last.upperBound...] == Data("--\r\n".utf8) else {
      return nil
    }
    var parts: [Part] = []
    for (one, next) in zip(ranges, ranges.dropFirst()) {
      guard let part = part(text[one.upperBound..<next.lowerBound]) else { return nil }
      parts.append(part)
    }
    return parts
  }

  private static func part(_ text: Data) -> Part? {
    guard text.starts(with: "\r\n".utf8), let end = text.range(of: Data("\r\n\r\n".utf8)) else { return nil }
    var part = Part(content: Data(text[end.upperBound...]))
    // By bytes: to a string, a character with an accent after it is another character.
    let head = text[text.startIndex..<end.lowerBound]
    for line in head.split(whereSeparator: { $0 == 13 || $0 == 10 }) {
      guard let colon = line.range(of: Data(": ".utf8)) else { return nil }
      let name = String(decoding: line[line.startIndex..<colon.lowerBound], as: UTF8.self).lowercased()
      part.fields[name] = String(decoding: line[colon.upperBound...], as: UTF8.self)
    }
    return part
  }
}
