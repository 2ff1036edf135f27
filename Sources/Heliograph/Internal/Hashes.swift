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
  package var hexadecimal: String { withUnsafeBytes(of: bigEndian) { $0.hexadecimal } }
}

/// MD5 (RFC 1321), which is broken: only for Digest authentication, where many servers offer nothing else.
enum MD5 {
  static func hash(_ message: [UInt8]) -> [UInt8] {
    var state: SIMD4<UInt32> = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476]
    var bytes = message + [0x80]
    bytes += repeatElement(0, count: (120 - bytes.count % 64) % 64)
    let bitCount = UInt64(message.count) &* 8
    bytes += (0..<8).map { UInt8(truncatingIfNeeded: bitCount >> UInt64(8 * $0)) }
    for start in stride(from: 0, to: bytes.count, by: 64) { compress(bytes[start..<start + 64], into: &state) }
    return (0..<16).map { UInt8(truncatingIfNeeded: state[$0 / 4] >> UInt32(8 * ($0 % 4))) }
  }

  /// Processes one block (RFC 1321 §3.4).
  private static func compress(_ block: ArraySlice<UInt8>, into state: inout SIMD4<UInt32>) {
    let words: [UInt32] = (0..<16).map { word in
      let start = block.startIndex + 4 * word
      return block[start..<start + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    for step in 0..<64 {
      let mixed: UInt32
      let word: Int
      switch step / 16 {
      case 0: (mixed, word) = ((b & c) | (~b & d), step)
      case 1: (mixed, word) = ((d & b) | (~d & c), (5 * step + 1) % 16)
      case 2: (mixed, word) = (b ^ c ^ d, (3 * step + 5) % 16)
      default: (mixed, word) = (c ^ (b | ~d), 7 * step % 16)
      }
      let sum = a &+ mixed &+ constants[step] &+ words[word]
      let shift = shifts[step / 16 * 4 + step % 4]
      (a, d, c, b) = (d, c, b, b &+ (sum << shift | sum >> (32 - shift)))
    }
    state = [state[0] &+ a, state[1] &+ b, state[2] &+ c, state[3] &+ d]
  }

  private static let shifts: [UInt32] = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]

  /// The first 32 bits of the fractional parts of |sin 1|, |sin 2| and so on.
  private static let constants = (1...64).map { UInt32(abs(sin(Double($0))) * 0x1p32) }
}
