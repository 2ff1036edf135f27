import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

struct XXH64Tests {
  private static let seed: UInt64 = 2_654_435_761

  /// The vectors of the reference implementation (`cli/xsum_sanity_check.c` of github.com/Cyan4973/xxHash).
  static let vectors: [(count: Int, seed: UInt64, checksum: UInt64)] = [
    (0, 0, 0xEF46_DB37_51D8_E999), (0, seed, 0xAC75_FDA2_929B_17EF), (1, 0, 0xE934_A84A_DB05_2768),
    (1, seed, 0x5014_6076_43A9_B4C3), (4, 0, 0x9136_A0DC_A574_57EE), (14, 0, 0x8282_DCC4_994E_35C8),
    (14, seed, 0xC3BD_6BF6_3DEB_6DF0), (222, 0, 0xB641_AE8C_B691_C174), (222, seed, 0x20CB_8AB7_AE10_C14A),
  ]

  /// The input of the vectors.
  private static func bytes(_ count: Int) -> [UInt8] {
    var word = seed
    return (0..<count).map { _ in
      defer { word = word &* 11_400_714_785_074_694_797 }
      return UInt8(truncatingIfNeeded: word >> 56)
    }
  }

  @Test(arguments: vectors) func hasTheOfficialValues(_ count: Int, _ seed: UInt64, _ checksum: UInt64) {
    Self.bytes(count).withUnsafeBytes { expectEqual(XXH64.checksum(of: $0, seed: seed), checksum) }
  }

  /// A known value of the command `xxhsum -H64`.
  @Test func ofAText() {
    Array("xxhash".utf8).withUnsafeBytes { expectEqual(XXH64.checksum(of: $0), 0x32DD_3895_2C4B_C720) }
  }

  @Test func piecesOfAnyLengthGiveTheSameValue() {
    let bytes = Self.bytes(222)
    for length in 1...100 {
      var hasher = XXH64()
      for start in stride(from: 0, to: bytes.count, by: length) {
        bytes[start..<min(start + length, bytes.count)].withUnsafeBytes { hasher.update($0) }
        hasher.update(UnsafeRawBufferPointer(start: nil, count: 0))
      }
      expectEqual(hasher.value, 0xB641_AE8C_B691_C174)
    }
  }
}
