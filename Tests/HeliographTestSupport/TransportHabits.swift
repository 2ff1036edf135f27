import Foundation
import Heliograph
import TestSupport

/// All that may differ between what is wanted and what arrives, because a transport adds or changes it by itself.
///
/// Nothing else may: what is not said here must be the same, byte by byte.
package enum TransportHabits {
  /// Fields that a transport adds where the request has none of the name; they are left out of what is compared.
  package static let added: [String: String] = [
    "accept": "both say */*, as libcurl does",
    "accept-encoding": "the codings that a transport can undo, which depend on the libraries there are",
    "accept-language": "URLSession's: the device's languages",
    "priority": "URLSession's on Apple's systems, perhaps: RFC 9218",
    "connection": "URLSession's: keep-alive, which is what HTTP/1.1 does anyway",
    "user-agent": "URLSession's: the name of the program",
  ]

  /// What URLSession on Linux cannot send as it is wanted, and why: these requests are not sent over it.
  package static let refused: [String: String] = [
    "method-get-with-a-body": "it refuses a GET with a body",
    "headers-blank": "it leaves out a field whose value is blank",
    "address-dots": "the libcurl inside it removes dot segments (RFC 3986 §5.2.4)",
  ]

  /// The text that a golden file holds: request line, fields, an empty line, the body.
  package static func text(_ wire: WireRequest, wanted: HTTPRequest, port: UInt16) -> String {
    var wire = wire
    wire.fields = wire.fields.compactMap { field in
      let name = WireRequest.name(of: field).lowercased()
      // The port is another one in each run.
      if field == "Host: 127.0.0.1:\(port)" { return "Host: 127.0.0.1" }
      return wanted.headers[name] == nil && added[name] != nil ? nil : field
    }
    return ([wire.startLine] + wire.fields).joined(separator: "\n") + "\n\n" + shown(wire.body)
  }

  /// As it is, if it can be read; otherwise in hexadecimal digits.
  private static func shown(_ body: Data) -> String {
    let isText = body.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 10 }
    if isText, let text = String(bytes: body, encoding: .utf8) { return text }
    return "hexadecimal: " + body.map { String(format: "%02x", $0) }.joined()
  }
}

extension TransportHabits {
  /// What is compared of a text.
  ///
  /// Of libcurl all of it, byte by byte. What URLSession does to every request is done to both sides:
  /// - it keeps fields in a dictionary: their order is any, names are capitalized, those of one name are joined;
  /// - on Linux it announces an empty body with every method but `GET` and `HEAD`, though only some expect one;
  /// - on Linux it has a length for every stream, which is written to a file before, and so never sends chunks; on
  ///   Apple's systems it may write `Chunked`.
  ///
  /// From 8.20 on, libcurl writes escapes in upper case (curl/curl#21524).
  package static func comparable(_ text: String, _ kind: TransportKind) -> String {
    let text = Libcurl.isAtLeast("8.20") ? text.replacing(#/%[0-9a-f]{2}/#) { $0.output.uppercased() } : text
    guard kind == .urlSession, let end = text.range(of: "\n\n") else { return text }
    let lines = text[..<end.lowerBound].split(separator: "\n", omittingEmptySubsequences: false)
    let body = text[end.upperBound...]
    let expectsBody = ["POST", "PUT", "PATCH"].contains { text.hasPrefix($0 + " ") }
    var fields: [String: [String]] = [:]
    for line in lines.dropFirst() {
      let name = WireRequest.name(of: String(line)).lowercased()
      switch line {
      case _ where line.lowercased() == "transfer-encoding: chunked":
        fields["content-length"] = ["\(body.utf8.count)"]
      case "Content-Length: 0" where !expectsBody: break
      default: fields[name, default: []].append(line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces))
      }
    }
    let sorted = fields.sorted { $0.key < $1.key }.map { "\($0.key): " + $0.value.joined(separator: ",") }
    return ([String(lines[0])] + sorted).joined(separator: "\n") + "\n\n" + body
  }
}
