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
  init?(_ text: String) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    // What follows the last line break is empty or a torn line.
    lines.removeLast()
    guard let head = lines.first?.split(separator: " "), head.count == 4, head[0] == Self.format,
      let data = Data(base64Encoded: String(head[3])), let validator = String(validating: data, as: UTF8.self)
    else { return nil }
    let length = Int(head[2])
    guard head[2] == "-" || length.map({ $0 >= 0 }) == true else { return nil }
    self.init(key: String(head[1]), validator: validator, length: length)
    for line in lines.dropFirst() {
      let fields = line.split(separator: " ")
      guard fields.count == 2, let end = Int(fields[0]), end > blocks.last?.end ?? 0, end <= length ?? .max,
        let checksum = UInt64(fields[1], radix: 16)
      else { return }
      blocks.append(Block(end: end, checksum: checksum))
    }
  }

  /// The whole journal.
  var text: String {
    let validator = Data(validator.utf8).base64EncodedString()
    let head = "\(Self.format) \(key) \(length.map(String.init) ?? "-") \(validator)\n"
    return head + blocks.map(\.line).joined()
  }
}
