import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct HMACTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let key: [UInt8]
    let message: [UInt8]
    let code: String

    var testDescription: String { code }
  }

  /// RFC 4231 §4.2 to §4.8.
  static let vectors = [
    Vector(
      key: bytes(0x0b, 20), message: Array("Hi There".utf8),
      code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    Vector(
      key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
      code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    Vector(
      key: bytes(0xaa, 20), message: bytes(0xdd, 50),
      code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    Vector(
      key: Array(1...25), message: bytes(0xcd, 50),
      code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    // The RFC gives the first 128 bits.
    Vector(
      key: bytes(0x0c, 20), message: Array("Test With Truncation".utf8), code: "a3b6167473100ee06e0c796c2955552b"),
    Vector(
      key: bytes(0xaa, 131), message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    Vector(
      key: bytes(0xaa, 131),
      message: Array(
        ("This is a test using a larger than block-size key and a larger than block-size data. "
          + "The key needs to be hashed before being used by the HMAC algorithm.").utf8),
      code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
  ]

  @Test(arguments: vectors) func givesTheCodesOfRFC4231(_ vector: Vector) {
    let code = HMAC.sha256(Data(vector.message), key: Data(vector.key))
    expectEqual(code.count, 32)
    expect(code.hexadecimal.hasPrefix(vector.code))
  }

  @Test func theLengthOfTheKeyMayBeAnyAroundABlock() {
    // Python's codes of "message" under keys of 0, 63, 64 and 65 bytes "k".
    let codes = [0, 63, 64, 65].map { HMAC.sha256(Data("message".utf8), key: Data(Self.bytes(0x6b, $0))).hexadecimal }
    expectEqual(
      codes,
      [
        "eb08c1f56d5ddee07f7bdf80468083da06b64cf4fac64fe3a90883df5feacae4",
        "e27efa30bcbfbc25b4d936ffd8553392f398eb2edada1dac2423a961af0c305b",
        "890f3a16e0ca0aaa3bf180f70fa8e3970b3fd6505e98fde157988dcc19d1685c",
        "0c256505306af48015530c139bb7add5ad7a6a9291cd511278a067e765816fbd",
      ])
  }

  /// Python's codes of messages of 0 to 300 bytes under keys of 1 to 301, as one hash.
  @Test func everyLengthGivesTheCodeOfPython() {
    var all = SHA256()
    for count in 0...300 {
      let key = Data((0...count).map { UInt8(truncatingIfNeeded: count * 7 + $0) })
      let message = Data((0..<count).map { UInt8(truncatingIfNeeded: count * 3 + $0) })
      all.update(HMAC.sha256(message, key: key))
    }
    expectEqual(all.finalize().hexadecimal, "cce057f32084e388071a438ceb2312d97c39d13c611c146c148bf7e62d50ba82")
  }

  private static func bytes(_ byte: UInt8, _ count: Int) -> [UInt8] { Array(repeating: byte, count: count) }
}
