import Heliograph

/// A reason to reject a request: the status of the response before the close, and a short text for its body.
struct RequestFault: Error {
  let status: Int
  let reason: String

  static func malformed(_ reason: String) -> RequestFault { RequestFault(status: 400, reason: reason) }
}

/// The request line and the header fields, validated as RFC 9112 requires of a server.
struct RequestHead {
  enum Framing: Equatable {
    case none
    case length(Int)
    case chunked
  }

  let method: String
  let target: String
  let minorVersion: Int
  private(set) var headers = HTTPHeaders()
  private(set) var framing = Framing.none
  private(set) var isPersistent: Bool
  private(set) var expectsContinue = false

  /// Parses lines that each end in CRLF; the empty line after them is not included.
  init(_ bytes: ArraySlice<UInt8>) throws(RequestFault) {
    let lines = bytes.split(separator: UInt8(ascii: "\n")).map { $0.dropLast() }
    let parts = lines.first?.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false) ?? []
    guard parts.count == 3 else { throw .malformed("request line") }
    method = String(decoding: parts[0], as: UTF8.self)
    guard method.isHTTPToken else { throw .malformed("request line") }
    guard !parts[1].isEmpty, parts[1].allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { throw .malformed("target") }
    target = String(decoding: parts[1], as: UTF8.self)
    minorVersion = try Self.minorVersion(String(decoding: parts[2], as: UTF8.self))
    isPersistent = minorVersion > 0
    for line in lines.dropFirst() { try addField(line) }
    try interpretFields()
  }

  private static func minorVersion(_ text: String) throws(RequestFault) -> Int {
    switch text {
    case "HTTP/1.1": return 1
    case "HTTP/1.0": return 0
    case _ where text.hasPrefix("HTTP/"): throw RequestFault(status: 505, reason: "version")
    default: throw .malformed("version")
    }
  }

  private mutating func addField(_ line: ArraySlice<UInt8>) throws(RequestFault) {
    // A folded line starts with white space, which no token contains, so it is rejected here (RFC 9112 §5.2).
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .malformed("field name") }
    let name = String(decoding: line[..<colon], as: UTF8.self)
    guard name.isHTTPToken else { throw .malformed("field name") }
    var value = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
    while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
    guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { throw .malformed("field value") }
    headers.add(String(decoding: value, as: UTF8.self), for: name)
  }

  private mutating func interpretFields() throws(RequestFault) {
    let hostCount = headers.values(for: "Host").count
    guard hostCount == 1 || minorVersion == 0 && hostCount == 0 else { throw .malformed("Host") }
    var length: Int?
    for text in headers.values(for: "Content-Length") {
      let value = try Self.length(text)
      guard length == nil || length == value else { throw .malformed("two lengths") }
      length = value
    }
    let coding = headers["Transfer-Encoding"]
    guard coding == nil || coding?.lowercased() == "chunked" else {
      throw RequestFault(status: 501, reason: "transfer coding")
    }
    // Both fields together enable request smuggling (RFC 9112 §6.1).
    guard coding == nil || length == nil && minorVersion > 0 else { throw .malformed("length of a chunked body") }
    framing = coding != nil ? .chunked : (length ?? 0) > 0 ? .length(length ?? 0) : .none
    if let expectation = headers["Expect"] {
      guard expectation.lowercased() == "100-continue" else {
        throw RequestFault(status: 417, reason: "expectation")
      }
      expectsContinue = minorVersion > 0
    }
    for option in headers["Connection"]?.lowercased().split(separator: ",") ?? [] {
      switch option.drop(while: { $0 == " " }).prefix(while: { $0 != " " }) {
      case "close": isPersistent = false
      case "keep-alive": isPersistent = isPersistent || minorVersion == 0
      default: break
      }
    }
  }

  private static func length(_ text: String) throws(RequestFault) -> Int {
    guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let value = Int(text) else {
      throw .malformed("Content-Length")
    }
    return value
  }
}
