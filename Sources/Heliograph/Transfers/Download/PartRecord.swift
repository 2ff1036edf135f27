import Foundation

/// The journal of a part: the identity of its content, and a checksum of each written block.
///
/// The journal is text, with one line per block. The part is valid up to the first incomplete line or wrong checksum,
/// so the order in which a file system writes does not matter.
struct PartRecord: Sendable, Equatable {
  /// A block of the part, which begins where the previous one ends.
  struct Block: Sendable, Equatable {
    let end: Int
    let checksum: UInt64

    var line: String { "\(end) \(String(checksum, radix: 16))\n" }
  }

  private static let format = "heliograph-part-1"

  /// The checksum of the content's identity.
  let key: String
  /// The strong validator of the representation, as sent in `If-Range`.
  let validator: String
  /// The length of the whole file; `nil` if it is unknown.
  let length: Int?
  /// The content codings of the file, separated by commas; empty if there are none.
  let codings: String
  /// The blocks, in order of increasing ends.
  var blocks: [Block] = []

  init(key: String, validator: String, length: Int?, codings: String) {
    self.key = key
    self.validator = validator
    self.length = length
    self.codings = codings
  }

  /// Parses a journal; `nil` if its first line is incomplete.
  init?(_ data: Data) {
    // The text after the last line break is empty or an incomplete line.
    var lines = data.prefix(upTo: data.lastIndex(of: 0x0A) ?? data.startIndex)
    guard let first = Self.takeLine(&lines) else { return nil }
    let head = first.split(separator: " ")
    guard [4, 5].contains(head.count), head[0] == Self.format, let bytes = Data(base64Encoded: String(head[3])),
      let validator = String(validating: bytes, as: UTF8.self)
    else { return nil }
    let length = Int(head[2])
    guard head[2] == "-" || length.map({ $0 >= 0 }) == true else { return nil }
    self.init(
      key: String(head[1]), validator: validator, length: length, codings: head.count == 5 ? String(head[4]) : "")
    while let line = Self.takeLine(&lines) {
      let fields = line.split(separator: " ")
      guard fields.count == 2, let end = Int(fields[0]), end > blocks.last?.end ?? 0, end <= length ?? .max,
        let checksum = UInt64(fields[1], radix: 16)
      else { return }
      blocks.append(Block(end: end, checksum: checksum))
    }
  }

  /// Removes and returns the next line, without splitting the whole text, which may have a million lines.
  private static func takeLine(_ lines: inout Data) -> String? {
    guard !lines.isEmpty else { return nil }
    let end = lines.firstIndex(of: 0x0A) ?? lines.endIndex
    defer { lines = lines[end...].dropFirst() }
    return String(decoding: lines[..<end], as: UTF8.self)
  }

  var head: String {
    let validator = Data(validator.utf8).base64EncodedString()
    let suffix = codings.isEmpty ? "" : " \(codings)"
    return "\(Self.format) \(key) \(length.map(String.init) ?? "-") \(validator)\(suffix)\n"
  }

  /// The length of the whole journal in bytes.
  var byteCount: Int { blocks.reduce(head.utf8.count) { $0 + $1.line.utf8.count } }
}

extension HTTPResponse {
  /// The validator for `If-Range`; `nil` if there is no strong one that could be sent (RFC 9110 §13.1.5).
  ///
  /// A date is strong if the response is at least a second younger than the content (RFC 9110 §8.8.2.2). A coded body
  /// without a length is coded while it is sent, so another response may have other bytes.
  var strongValidator: String? {
    let hasRanges = headers["Accept-Ranges"]?.isEqualIgnoringCase(to: "none") != true
    guard let codings = fileCodings, codings.isEmpty || fileByteCount != nil, hasRanges else { return nil }
    if let etag = headers["ETag"], !etag.hasControlCharacter {
      return EntityTag(etag).flatMap { $0.isWeak ? nil : $0.opaque }
    }
    guard let modified = headers["Last-Modified"], !modified.hasControlCharacter,
      let modifiedAt = HTTPDate.parse(modified),
      let sentAt = headers["Date"].flatMap({ HTTPDate.parse($0) }), sentAt.timeIntervalSince(modifiedAt) >= 1
    else { return nil }
    return modified
  }

  /// Returns whether the response has the same validator; `nil` if it has no validator of that kind.
  func agrees(with validator: String) -> Bool? {
    if validator.utf8.first == UInt8(ascii: "\"") {
      let tag = EntityTag(opaque: validator, isWeak: false)
      return headers["ETag"].map { EntityTag($0)?.matchesStrongly(tag) ?? false }
    }
    return headers["Last-Modified"].map { $0.hasSameBytes(as: validator) }
  }

  /// The content codings of the body as written to a file, separated by commas and empty if there are none; `nil` if
  /// the transport decodes the body, so that neither its ranges nor its length are known.
  var fileCodings: String? {
    let codings = headers.contentCodings
    return codings.isEmpty || keepsContentCodings ? codings.joined(separator: ",") : nil
  }

  /// The length of the body as written to a file; `nil` if it is unknown.
  var fileByteCount: Int? {
    guard fileCodings != nil, headers["Transfer-Encoding"] == nil else { return nil }
    return headers["Content-Length"].flatMap { Int($0) }
  }
}
