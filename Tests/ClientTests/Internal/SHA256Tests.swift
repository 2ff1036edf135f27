import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct SHA256Tests {
  /// The examples that NIST publishes for FIPS 180-4.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
  ])
  func hashesThePublishedExamples(_ message: String, _ digest: String) {
    expectEqual(SHA256.hash(Data(message.utf8)).hexadecimal, digest)
  }

  /// FIPS 180-2 appendix B.3; no argument, which would be printed.
  @Test func hashesAMillionBytes() {
    let message = Data(repeating: UInt8(ascii: "a"), count: 1_000_000)
    expectEqual(SHA256.hash(message).hexadecimal, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  /// What OpenSSL gives for lengths around those at which the padding changes.
  @Test(arguments: [
    (1, "4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a"),
    (55, "81afe5b788dc2ce138ff83d9b20164db75a94d75d2b2432eea4a0ef605088c72"),
    (56, "2aba54f0ac632420a2b502431408866e40e1d5e430df4cd822642c78ab2eb9c1"),
    (57, "903284efbf9100e8ba1614ec65eacacad125e03f857cae7acbf8b73b23e0fdfe"),
    (63, "733d3d4ee79ee67145bf73da13588f6f235d37414fc64b14a2f00f1762792f5e"),
    (64, "79322907b3e9d013d7dc2c2f256674dbf733045cde01df3539271c6f5605feb8"),
    (65, "d85c007c6eb440f085afa2b84f6f2bce4658b240e9f62cb1364bf0485a57e720"),
    (119, "6c87eedf096b345de205b702e5223b73b447a3207791ded3ea007ba15ed6736e"),
    (120, "42500cf6a1e3936d6b9e0bcfe296d654b63255e525487d3634d0b15fde591c4d"),
    (127, "68f6ff710276900c0ffbbc57426f67e00c2e01f0750c7edc25ac06b8ce7a8095"),
    (128, "489d55fea9a73af36b6dd0be7b4117d8e5683386d39544e8a44c99a87f368707"),
    (129, "4e1556b2e9a50a3cc9478f3254727b01065f9ac5d2c3a8b4cd538ae7240bb87d"),
    (300, "d7dfb274f371863734948feace37cce8deed19864a5e09ae9b3f0e86fb19b56c"),
  ])
  func hashesLengthsAroundABlock(_ byteCount: Int, _ digest: String) {
    expectEqual(SHA256.hash(message(of: byteCount)).hexadecimal, digest)
  }

  @Test func hashesEveryLengthUpTo300() {
    // The digests of all lengths, hashed: the fixture is OpenSSL's.
    let digests = (0...300).flatMap { SHA256.hash(message(of: $0)) }
    expectEqual(SHA256.hash(digests).hexadecimal, "60d63ff40b5558727a9b786ac0be9300f7ca58fd9ddd3b2f3681b369018a87dc")
  }

  @Test func thePiecesOfAMessageMakeNoDifference() {
    let message = message(of: 300)
    let digest = SHA256.hash(message)
    for first in 0...130 {
      for second in [0, 1, 63, 64, 65, 170] {
        var hash = SHA256()
        hash.update(message[..<first])
        hash.update(message[first..<first + second])
        hash.update(message[(first + second)...])
        expectEqual(hash.finalize(), digest)
      }
    }
    var bytes = SHA256()
    for byte in message { bytes.update([byte]) }
    expectEqual(bytes.finalize(), digest)
  }

  @Test func aCopyGoesOnByItself() {
    var hash = SHA256()
    hash.update(Data("ab".utf8))
    var copy = hash
    copy.update(Data("x".utf8))
    hash.update(Data("c".utf8))
    expectEqual(hash.finalize(), SHA256.hash(Data("abc".utf8)))
    expectEqual(copy.finalize(), SHA256.hash(Data("abx".utf8)))
  }

  @Test func writesBytesAsHexadecimalDigits() {
    expectEqual([UInt8]([0, 1, 0x9f, 0xa0, 0xff]).hexadecimal, "00019fa0ff")
    expect([UInt8]().hexadecimal.isEmpty)
  }

  /// Bytes that differ for each length.
  private func message(of byteCount: Int) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 * 7 + byteCount) }
  }
}
