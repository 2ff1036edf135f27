import Foundation

/// The journal of a part: the content it belongs to, and a checksum of each block that has been written.
///
/// It is a text of lines, appended block by block. A line that was not written as a whole ends it, and a block whose
/// checksum differs ends the part: neither needs the order in which a file system writes its data.
struct PartRecord: Sendable, Equatable {
  /// A block of the part, which begins where the one before it ends.
  struct Block: Sendable, Equatable {
    let end: Int
    let checksum: UInt64

    /// The line of the block.
    var line: String { "\(end) \(String(checksum, radix: 16))\n" }
  }

  private static let format = "heliograph-part-1"

  /// The checksum of the content's identity.
  let key: String
  /// The strong validator of the representation, as sent in `If-Range`.
  let validator: String
  /// The length of the whole file; `nil` if it is unknown.
  let length: Int?
  /// The blocks in order, each with more bytes than the one before it ends with.
  var blocks: [Block] = []

  init(key: String, validator: String, length: Int?) {
    self.key = key
    self.validator = validator
    self.length = length
  }

  /// Parses a journal; `nil` if its first line is not whole.
  init?(_ data: Data) {
    // What follows the last line break is empty or a torn line.
    var lines = data.prefix(upTo: data.lastIndex(of: 0x0A) ?? data.startIndex)
    guard let first = Self.takeLine(&lines) else { return nil }
    let head = first.split(separator: " ")
    guard head.count == 4, head[0] == Self.format, let bytes = Data(base64Encoded: String(head[3])),
      let validator = String(validating: bytes, as: UTF8.self)
    else { return nil }
    let length = Int(head[2])
    guard head[2] == "-" || length.map({ $0 >= 0 }) == true else { return nil }
    self.init(key: String(head[1]), validator: validator, length: length)
    while let line = Self.takeLine(&lines) {
      let fields = line.split(separator: " ")
      guard fields.count == 2, let end = Int(fields[0]), end > blocks.last?.end ?? 0, end <= length ?? .max,
        let checksum = UInt64(fields[1], radix: 16)
      else { return }
      blocks.append(Block(end: end, checksum: checksum))
    }
  }

  /// Returns the next line and drops it; a journal of a large file has a million.
  private static func takeLine(_ lines: inout Data) -> String? {
    guard !lines.isEmpty else { return nil }
    let end = lines.firstIndex(of: 0x0A) ?? lines.endIndex
    defer { lines = lines[end...].dropFirst() }
    return String(decoding: lines[..<end], as: UTF8.self)
  }

  /// The first line.
  var head: String {
    let validator = Data(validator.utf8).base64EncodedString()
    return "\(Self.format) \(key) \(length.map(String.init) ?? "-") \(validator)\n"
  }

  /// The length of the whole journal in bytes.
  var byteCount: Int { blocks.reduce(head.utf8.count) { $0 + $1.line.utf8.count } }
}
