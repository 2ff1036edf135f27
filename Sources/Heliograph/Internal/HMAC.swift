package import Foundation

/// Keyed hashes, as RFC 2104 has them.
package enum HMAC {
  /// HMAC-SHA256.
  ///
  /// - Parameters:
  ///   - message: what is to be proved.
  ///   - key: the secret, of any length.
  /// - Returns: 32 bytes.
  package static func sha256(_ message: Data, key: Data) -> Data {
    // A key longer than a block is hashed first, a shorter one filled with zeros.
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
  /// The digest of a whole message.
  ///
  /// - Parameter message: its bytes.
  /// - Returns: 32 bytes.
  package static func hash(_ message: some ContiguousBytes) -> [UInt8] {
    var hash = SHA256()
    hash.update(message)
    return hash.finalize()
  }
}

extension Sequence<UInt8> {
  /// Two lower-case hexadecimal digits for each byte.
  package var hexadecimal: String { Array(self).hexadecimalText }
}

extension [UInt8] {
  fileprivate var hexadecimalText: String {
    var text: [UInt8] = []
    text.reserveCapacity(2 * count)
    for byte in self {
      text.append((byte >> 4).loweredHexDigit)
      text.append((byte & 15).loweredHexDigit)
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var loweredHexDigit: UInt8 { self < 10 ? UInt8(ascii: "0") + self : UInt8(ascii: "a") - 10 + self }
}
