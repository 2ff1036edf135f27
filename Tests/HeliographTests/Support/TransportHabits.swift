import Foundation
import Heliograph

/// All that may differ between what is wanted and what arrives, because a transport adds or changes it by itself.
///
/// Nothing else may: what is not said here must be the same, byte by byte.
enum TransportHabits {
  /// Fields that a transport adds where the request has none of the name; they are left out of what is compared.
  static let added: [String: String] = [
    "accept": "both say */*, as libcurl does",
    "accept-encoding": "the codings that a transport can undo, which depend on the libraries there are",
    "accept-language": "URLSession's: the device's languages",
    "connection": "URLSession's: keep-alive, which is what HTTP/1.1 does anyway",
    "user-agent": "URLSession's: the name of the program",
  ]

  /// What URLSession on Linux cannot send at all.
  static func refusal(of name: String, _ kind: TransportKind) -> String? {
    #if os(Linux)
      if kind == .urlSession, name == "method-get-with-a-body" { return "it refuses a GET with a body" }
    #endif
    return nil
  }

  /// The text that a golden file holds: request line, fields, an empty line, the body.
  static func text(_ wire: WireRequest, wanted: HTTPRequest, port: UInt16) -> String {
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
  /// What is left of a text when what a transport does to all requests is taken out.
  static func comparable(_ text: String, _ kind: TransportKind) -> String {
    guard kind == .urlSession, let end = text.range(of: "\n\n") else { return text }
    return text
  }
}
