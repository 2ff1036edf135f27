import Foundation

/// The lines of a request as they came, and its body without the framing (RFC 9112).
package struct WireRequest {
  package struct Malformed: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) {
      self.description = description
    }
  }

  package var startLine: String
  /// The field lines, as they stand between two line ends.
  package var fields: [String]
  package var body: Data

  package init(_ bytes: Data) throws {
    let (head, rest) = try Self.halves(bytes).unwrapped("no end of the head")
    let text = try String(bytes: head, encoding: .utf8).unwrapped("a head that is not UTF-8")
    var lines = text.components(separatedBy: "\r\n")
    guard !lines.contains(where: { $0.utf8.contains { $0 == 10 || $0 == 13 } }) else {
      throw Malformed(description: "a line that does not end in CRLF")
    }
    startLine = lines.removeFirst()
    fields = lines
    body = rest
    if isChunked { body = try Self.joined(rest).unwrapped("chunks that do not end") }
    if let length = value(of: "Content-Length"), Int(length) != body.count {
      throw Malformed(description: "a body of \(body.count) bytes where \(length) are said")
    }
  }

  package static func isComplete(_ bytes: Data) -> Bool {
    guard let (head, rest) = halves(bytes) else { return false }
    let fields = String(decoding: head, as: UTF8.self).lowercased().components(separatedBy: "\r\n")
    if fields.contains("transfer-encoding: chunked") { return joined(rest) != nil }
    let length = fields.first { $0.hasPrefix("content-length:") }.flatMap { Int($0.dropFirst(15).filter(\.isNumber)) }
    return rest.count >= length ?? 0
  }

  /// The name that a field line begins with.
  package static func name(of field: String) -> String { String(field.prefix { $0 != ":" }) }

  private func value(of name: String) -> String? {
    fields.first { Self.name(of: $0).lowercased() == name.lowercased() }.map {
      $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
    }
  }

  package var isChunked: Bool { value(of: "Transfer-Encoding")?.lowercased() == "chunked" }

  private static func halves(_ bytes: Data) -> (head: Data, rest: Data)? {
    guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { return nil }
    return (Data(bytes[..<end.lowerBound]), Data(bytes[end.upperBound...]))
  }

  /// What the chunks hold, RFC 9112 §7.1; `nil` if the last one has not come.
  private static func joined(_ chunks: Data) -> Data? {
    let lineEnd = Data("\r\n".utf8)
    var (rest, joined) = (chunks, Data())
    while let end = rest.range(of: lineEnd) {
      guard let size = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16) else { return nil }
      let tail = Data(rest[end.upperBound...])
      if size == 0 { return tail == lineEnd ? joined : nil }
      guard tail.count >= size + 2 else { return nil }
      joined += tail.prefix(size)
      rest = Data(tail.dropFirst(size + 2))
    }
    return nil
  }
}

extension Optional {
  fileprivate func unwrapped(_ problem: String) throws -> Wrapped {
    guard let self else { throw WireRequest.Malformed(description: problem) }
    return self
  }
}
