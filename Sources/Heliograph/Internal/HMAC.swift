package import Foundation

/// Keyed hashes (RFC 2104).
package enum HMAC {
  package static func sha256(_ message: Data, key: Data) -> Data {
    // A key longer than a block is hashed first; a shorter one is padded with zeros.
    var block = key.count > 64 ? SHA256.hash(key) : Array(key)
    block += repeatElement(0, count: 64 - block.count)
    var inner = SHA256()
    inner.update(block.map { $0 ^ 0x36 })
    inner.update(message)
    var outer = SHA256()
    outer.update(block.map { $0 ^ 0x5c })
    outer.update(inner.finalize())
    return Data(outer.finalize())
  }
}

extension SHA256 {
  package static func hash(_ message: some ContiguousBytes) -> [UInt8] {
    var hash = SHA256()
    hash.update(message)
    return hash.finalize()
  }
}

extension Sequence<UInt8> {
  /// The bytes as hexadecimal digits: two in lower case for each byte.
  package var hexadecimal: String {
    var text: [UInt8] = []
    text.reserveCapacity(2 * underestimatedCount)
    for byte in self {
      text.append(byte.highHexDigit | 0x20)
      text.append(byte.lowHexDigit | 0x20)
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension FixedWidthInteger {
  /// All hexadecimal digits of the number, in lower case.
  var hexadecimal: String { withUnsafeBytes(of: bigEndian) { $0.hexadecimal } }
}
