private let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
private let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
private let prime3: UInt64 = 0x1656_67B1_9E37_79F9
private let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
private let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

/// XXH64, a fast incremental 64-bit checksum against accidental changes only.
///
/// Source: version 0.1.1 of the specification, `doc/xxhash_spec.md` of github.com/Cyan4973/xxHash.
struct XXH64: Sendable {
  private static let stripeByteCount = 32

  private let seed: UInt64
  private var lane1: UInt64
  private var lane2: UInt64
  private var lane3: UInt64
  private var lane4: UInt64
  private var rest = SIMD4<UInt64>()
  private var restByteCount = 0
  private var totalByteCount: UInt64 = 0

  init(seed: UInt64 = 0) {
    self.seed = seed
    lane1 = seed &+ prime1 &+ prime2
    lane2 = seed &+ prime2
    lane3 = seed
    lane4 = seed &- prime1
  }

  static func checksum(of bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    var hasher = XXH64(seed: seed)
    hasher.update(bytes)
    return hasher.value
  }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
    totalByteCount &+= UInt64(bytes.count)
    var offset = 0
    if restByteCount > 0 {
      offset = min(Self.stripeByteCount - restByteCount, bytes.count)
      buffer(UnsafeRawBufferPointer(start: start, count: offset))
      guard restByteCount == Self.stripeByteCount else { return }
      let stripe = rest
      withUnsafeBytes(of: stripe) { consume($0) }
      restByteCount = 0
    }
    let stripesByteCount = (bytes.count - offset) & ~(Self.stripeByteCount - 1)
    consume(UnsafeRawBufferPointer(start: start + offset, count: stripesByteCount))
    offset += stripesByteCount
    buffer(UnsafeRawBufferPointer(start: start + offset, count: bytes.count - offset))
  }

  var value: UInt64 {
    var result: UInt64
    if totalByteCount >= UInt64(Self.stripeByteCount) {
      result = rotated(lane1, 1) &+ rotated(lane2, 7) &+ rotated(lane3, 12) &+ rotated(lane4, 18)
      for lane in [lane1, lane2, lane3, lane4] { result = (result ^ round(0, lane)) &* prime1 &+ prime4 }
    } else {
      result = seed &+ prime5
    }
    result = result &+ totalByteCount
    withUnsafeBytes(of: rest) { Self.mix($0.prefix(restByteCount), into: &result) }
    result = (result ^ (result >> 33)) &* prime2
    result = (result ^ (result >> 29)) &* prime3
    return result ^ (result >> 32)
  }

  /// Appends bytes to the incomplete stripe, which must have room for them.
  private mutating func buffer(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    withUnsafeMutableBytes(of: &rest) { room in
      UnsafeMutableRawBufferPointer(rebasing: room[restByteCount...]).copyMemory(from: bytes)
    }
    restByteCount += bytes.count
  }

  private mutating func consume(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    var (first, second, third, fourth) = (lane1, lane2, lane3, lane4)
    var address = start
    let end = start + bytes.count
    while address < end {
      first = round(first, word(address))
      second = round(second, word(address + 8))
      third = round(third, word(address + 16))
      fourth = round(fourth, word(address + 24))
      address += 32
    }
    (lane1, lane2, lane3, lane4) = (first, second, third, fourth)
  }

  /// Processes the last bytes, fewer than a stripe.
  private static func mix(_ bytes: Slice<UnsafeRawBufferPointer>, into result: inout UInt64) {
    var bytes = UnsafeRawBufferPointer(rebasing: bytes)
    while bytes.count >= 8, let start = bytes.baseAddress {
      result = rotated(result ^ round(0, word(start)), 27) &* prime1 &+ prime4
      bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(8))
    }
    if bytes.count >= 4 {
      let word = UInt64(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
      result = rotated(result ^ (word &* prime1), 23) &* prime2 &+ prime3
      bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(4))
    }
    for byte in bytes { result = rotated(result ^ (UInt64(byte) &* prime5), 11) &* prime1 }
  }
}

@inline(__always)
private func word(_ address: UnsafeRawPointer) -> UInt64 {
  UInt64(littleEndian: address.loadUnaligned(as: UInt64.self))
}

@inline(__always)
private func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 {
  (word &<< count) | (word &>> (64 &- count))
}

@inline(__always)
private func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
  rotated(lane &+ input &* prime2, 31) &* prime1
}
