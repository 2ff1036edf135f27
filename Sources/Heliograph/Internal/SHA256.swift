#if !canImport(CryptoKit)
package import Foundation

/// SHA-256 (FIPS 180-4 §6.2), for systems without CryptoKit; only the result is allocated.
package struct SHA256 {
  private static let blockByteCount = 64

  private var state = SIMD8<UInt32>(
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)
  private var rest = SIMD64<UInt8>()
  private var restByteCount = 0
  private var totalByteCount: UInt64 = 0

  package init() {}

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    totalByteCount &+= UInt64(bytes.count)
    var bytes = bytes[...]
    if restByteCount > 0 {
      let taken = bytes.prefix(Self.blockByteCount - restByteCount)
      buffer(taken)
      bytes = bytes.dropFirst(taken.count)
      guard restByteCount == Self.blockByteCount else { return }
      compressRest()
    }
    let blocks = UnsafeRawBufferPointer(rebasing: bytes.prefix(bytes.count & ~(Self.blockByteCount - 1)))
    Self.compress(blocks, into: &state)
    buffer(bytes.dropFirst(blocks.count))
  }

  package mutating func update(_ bytes: some ContiguousBytes) {
    bytes.withUnsafeBytes { update($0) }
  }

  package consuming func finalize() -> [UInt8] {
    let bitCount = totalByteCount &* 8
    rest[restByteCount] = 0x80
    restByteCount += 1
    if restByteCount > Self.blockByteCount - 8 {
      for index in restByteCount..<Self.blockByteCount { rest[index] = 0 }
      compressRest()
    }
    for index in restByteCount..<Self.blockByteCount - 8 { rest[index] = 0 }
    for index in 0..<8 { rest[56 + index] = UInt8(truncatingIfNeeded: bitCount >> UInt64(56 - 8 * index)) }
    compressRest()
    return [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
      for index in 0..<32 {
        digest.initializeElement(
          at: index, to: UInt8(truncatingIfNeeded: state[index / 4] >> UInt32(24 - 8 * (index % 4))))
      }
      count = 32
    }
  }

  /// Appends bytes to the incomplete block, which must have room for them.
  private mutating func buffer(_ bytes: Slice<UnsafeRawBufferPointer>) {
    guard !bytes.isEmpty else { return }
    withUnsafeMutableBytes(of: &rest) { room in
      UnsafeMutableRawBufferPointer(rebasing: room[restByteCount...]).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: bytes))
    }
    restByteCount += bytes.count
  }

  private mutating func compressRest() {
    withUnsafeBytes(of: rest) { Self.compress($0, into: &state) }
    restByteCount = 0
  }
}

extension SHA256 {
  /// Processes whole blocks (FIPS 180-4 §6.2.2).
  private static func compress(_ blocks: UnsafeRawBufferPointer, into state: inout SIMD8<UInt32>) {
    guard let start = blocks.baseAddress, !blocks.isEmpty else { return }
    constants.withUnsafeBufferPointer { constants in
      withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
        words.initialize(repeating: 0)
        for offset in stride(from: 0, to: blocks.count, by: blockByteCount) {
          schedule(start + offset, words)
          rounds(words, constants, &state)
        }
      }
    }
  }

  @inline(__always)
  private static func schedule(_ block: UnsafeRawPointer, _ words: UnsafeMutableBufferPointer<UInt32>) {
    for index in 0..<16 {
      words[index] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
    }
    for index in 16..<64 {
      let early = words[index &- 15]
      let late = words[index &- 2]
      let first = rotated(early, 7) ^ rotated(early, 18) ^ (early &>> 3)
      let second = rotated(late, 17) ^ rotated(late, 19) ^ (late &>> 10)
      words[index] = words[index &- 16] &+ first &+ words[index &- 7] &+ second
    }
  }

  @inline(__always)
  private static func rounds(
    _ words: UnsafeMutableBufferPointer<UInt32>, _ constants: UnsafeBufferPointer<UInt32>,
    _ state: inout SIMD8<UInt32>
  ) {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    var index = 0
    // Eight rounds at a time: after them, each variable is back in its position, so none has to be moved.
    while index < 64 {
      round(a, b, c, &d, e, f, g, &h, words[index] &+ constants[index])
      round(h, a, b, &c, d, e, f, &g, words[index &+ 1] &+ constants[index &+ 1])
      round(g, h, a, &b, c, d, e, &f, words[index &+ 2] &+ constants[index &+ 2])
      round(f, g, h, &a, b, c, d, &e, words[index &+ 3] &+ constants[index &+ 3])
      round(e, f, g, &h, a, b, c, &d, words[index &+ 4] &+ constants[index &+ 4])
      round(d, e, f, &g, h, a, b, &c, words[index &+ 5] &+ constants[index &+ 5])
      round(c, d, e, &f, g, h, a, &b, words[index &+ 6] &+ constants[index &+ 6])
      round(b, c, d, &e, f, g, h, &a, words[index &+ 7] &+ constants[index &+ 7])
      index &+= 8
    }
    state = state &+ SIMD8(a, b, c, d, e, f, g, h)
  }

  @inline(__always)
  private static func round(
    _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32, _ g: UInt32,
    _ h: inout UInt32, _ word: UInt32
  ) {
    let choice = g ^ (e & (f ^ g))
    let first = h &+ (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) &+ choice &+ word
    let majority = (a & b) | (c & (a | b))
    d = d &+ first
    h = first &+ (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ majority
  }

  @inline(__always)
  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    (word &>> count) | (word &<< (32 &- count))
  }

  /// The constants of FIPS 180-4 §4.2.2.
  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}
#endif

extension String {
  /// Appends a length-prefixed component, so that different lists of components never yield the same text to hash.
  package mutating func appendComponent(_ component: String) {
    // A string of at most 15 bytes needs no allocation.
    self += String(unsafeUninitializedCapacity: 15) { digits in
      var (rest, start) = (component.utf8.count, 14)
      digits[start] = UInt8(ascii: ":")
      repeat {
        start -= 1
        digits[start] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      } while rest > 0 && start > 0
      for index in start..<15 { digits[index - start] = digits[index] }
      return 15 - start
    }
    self += component
  }
}
