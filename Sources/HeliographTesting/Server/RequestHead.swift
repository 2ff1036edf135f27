import Foundation
import Heliograph

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

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
  private(set) var fields: [HTTPHeaders.Field] = []
  private(set) var framing = Framing.none
  private(set) var isPersistent: Bool
  private(set) var expectsContinue = false

  /// Parses lines that each end in CRLF; the empty line after them is not included.
  init(_ lines: UnsafeBufferPointer<UInt8>) throws(RequestFault) {
    let lineEnd = Self.index(of: UInt8(ascii: "\n"), in: lines) ?? lines.count
    let parts = lines[..<max(0, lineEnd - 1)].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count == 3, Self.isToken(parts[0]) else { throw .malformed("request line") }
    guard !parts[1].isEmpty, parts[1].allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { throw .malformed("target") }
    method = String(decoding: parts[0], as: UTF8.self)
    target = String(decoding: parts[1], as: UTF8.self)
    minorVersion = try Self.minorVersion(String(decoding: parts[2], as: UTF8.self))
    isPersistent = minorVersion > 0
    var start = lineEnd + 1
    while start < lines.count {
      let remaining = UnsafeBufferPointer(rebasing: lines[start...])
      let length = Self.index(of: UInt8(ascii: "\n"), in: remaining) ?? remaining.count
      fields.append(try Self.field(UnsafeBufferPointer(rebasing: remaining[..<max(0, length - 1)])))
      start += length + 1
    }
    try interpretFields()
  }

  private static func index(of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let base = bytes.baseAddress, let found = memchr(base, Int32(byte), bytes.count) else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }

  private static func minorVersion(_ text: String) throws(RequestFault) -> Int {
    switch text {
    case "HTTP/1.1": return 1
    case "HTTP/1.0": return 0
    case _ where text.hasPrefix("HTTP/"): throw RequestFault(status: 505, reason: "version")
    default: throw .malformed("version")
    }
  }

  private static func field(_ line: UnsafeBufferPointer<UInt8>) throws(RequestFault) -> HTTPHeaders.Field {
    // A folded line starts with white space, which no token contains, so it is rejected here (RFC 9112 §5.2).
    guard let colon = index(of: UInt8(ascii: ":"), in: line), isToken(line[..<colon]) else {
      throw .malformed("field name")
    }
    var value = line[(colon + 1)...]
    while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
    while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
    guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { throw .malformed("field value") }
    return HTTPHeaders.Field(
      name: String(decoding: line[..<colon], as: UTF8.self), value: String(decoding: value, as: UTF8.self))
  }

  /// Returns whether the bytes form a token (RFC 9110 §5.6.2).
  private static func isToken(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy { tokenBytes[Int($0)] }
  }

  private static let tokenBytes: [Bool] = {
    let allowed = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
    return (0...255).map { allowed.contains($0) }
  }()

  private mutating func interpretFields() throws(RequestFault) {
    var hostCount = 0
    var isChunked = false
    var length: Int?
    for field in fields {
      switch field.name.utf8.count {
      case 4 where field.name.equalsIgnoringASCIICase("Host"): hostCount += 1
      case 14 where field.name.equalsIgnoringASCIICase("Content-Length"):
        let value = try Self.length(field.value)
        guard length == nil || length == value else { throw .malformed("two lengths") }
        length = value
      case 17 where field.name.equalsIgnoringASCIICase("Transfer-Encoding"):
        guard !isChunked, field.value.equalsIgnoringASCIICase("chunked") else {
          throw RequestFault(status: 501, reason: "transfer coding")
        }
        isChunked = true
      case 10 where field.name.equalsIgnoringASCIICase("Connection"): interpretConnection(field.value)
      case 6 where field.name.equalsIgnoringASCIICase("Expect"):
        guard field.value.equalsIgnoringASCIICase("100-continue") else {
          throw RequestFault(status: 417, reason: "expectation")
        }
        expectsContinue = minorVersion > 0
      default: break
      }
    }
    guard hostCount == 1 || minorVersion == 0 && hostCount == 0 else { throw .malformed("Host") }
    // Both fields together enable request smuggling (RFC 9112 §6.1).
    guard !isChunked || length == nil && minorVersion > 0 else { throw .malformed("length of a chunked body") }
    framing = isChunked ? .chunked : (length ?? 0) > 0 ? .length(length ?? 0) : .none
  }

  private mutating func interpretConnection(_ value: String) {
    for option in value.split(separator: ",") {
      let option = option.drop { $0 == " " }.prefix { $0 != " " }
      if option.equalsIgnoringASCIICase("close") { isPersistent = false }
      if option.equalsIgnoringASCIICase("keep-alive"), minorVersion == 0 { isPersistent = true }
    }
  }

  private static func length(_ text: String) throws(RequestFault) -> Int {
    guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let value = Int(text) else {
      throw .malformed("Content-Length")
    }
    return value
  }
}
