import Foundation
import TestSupport

/// Bodies in content codings, made by other people's tools.
package enum Compressed {
  /// What most of them hold.
  package static let plain = Data(String(repeating: "the quick brown fox ", count: 60).utf8)
  package static let gzip = decoded("H4sIAAAAAAACAyvJSFUoLM1MzlZIKsovz1NIy69QKBkVGxUbFRsVG4RiAKH+AmCwBAAA")
  /// "first," and "second", each a member of its own: RFC 1952 §2.2.
  package static let gzipOfTwoMembers = decoded(
    "H4sIAAAAAAACA0vLLCou0QEA1zZHFQYAAAAfiwgAAAAAAAIDK05Nzs9LAQBpER+2BgAAAA==")
  package static let zlib = decoded("eJwryUhVKCzNTM5WSCrKL89TSMuvUCgZFRsVGxUbFRuEYgCGubeE")
  /// `gzip`, compressed once more.
  package static let gzipInZlib = decoded(
    "eJyT7+ZgAAEmZu2THqEaOmd9zoV5aJ3SPx/scXp9gIakqDQEtiQxLPzHlLCBhYEBAFzPDhU=")
  package static let bareDeflate = decoded("K8lIVSgszUzOVkgqyi/PU0jLr1AoGRUbFRsVGxUbhGIA")
  package static let brotli = decoded("G68E+I2UbuaiBjGjw1NobznIJKblCNt0VBZI11Z4AA==")
  package static let zstd = decoded("KLUv/QRo5QAAoHRoZSBxdWljayBicm93biBmb3ggAQAyuX8yAdOs0qA=")
  /// "first," and "second", each a frame of its own: RFC 8878 §3.
  package static let zstdOfTwoFrames = decoded("KLUv/QRYMQAAZmlyc3Qsx3uL8Ci1L/0EWDEAAHNlY29uZDcAXk0=")
  /// `gzip`, compressed once more.
  package static let gzipInBrotli = decoded(
    "CxmAH4sIAAAAAAACAyvJSFUoLM1MzlZIKsovz1NIy69QKBkVGxUbFRsVG4RiAKH+AmCwBAAAAw==")
  package static let gzipInZstd = decoded(
    "KLUv/QRYmQEAH4sIAAAAAAACAyvJSFUoLM1MzlZIKsovz1NIy69QKBkVGxUbFRsVG4RiAKH+AmCwBAAAfqRtBA==")
  /// Three million zeros each.
  package static let brotliBomb = decoded("m7/GLfgnAOKxQCDPtwU=")
  package static let zstdBomb = decoded(
    "KLUv/QRYVAAAEAAAAQD7/znAAgIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAA"
      + "AgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAM2DgADya/W")
  /// The same with a window of 128 MiB.
  package static let zstdWithALongWindow = decoded(
    "KLUv/QSITAAACAABAPz/ORACAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAAC"
      + "ABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAzYOAAPJr9Y=")
  /// Three million zeros, in three thousand bytes.
  package static func bomb() throws -> Data { try Data(contentsOf: Repository.fixture("zeros.gz")) }

  /// Twelve million bytes in twelve thousand, which zstd decodes to nothing: a skippable frame (RFC 8878 §3.1.2).
  package static func gzipOfSkippedFrame() throws -> Data {
    let header = decoded("H4sIAAAAAAAAAwEIAPf/UCpNGAAbtwBi+2gDCAAAAA==")
    let zeros = try bomb()
    return header + zeros + zeros + zeros + zeros
  }

  /// A gigabyte in 270 bytes, compressed three times with gzip, which zstd decodes to nothing.
  package static let gigabyteOfNothing = decoded(
    "H4sIAAAAAAACA5Pv5mAAASbmt3fWe81LlDn+0P37od+btjAL/FeQuBYWIzr7eIIhX0qCeaaUdPNbDpNTTVLTwo5MbZU9kHAzIyIi"
      + "MrDyqwLb+ee7Ls2t/8j9Pf3p4ZwZ0TVl1bVfkiTSJp+Wf3/tnv++vzY3f/z5dv3duWMgq3puz7/9evHx48t///26WR8ocOBGrN/y"
      + "7s+6Ca/fPXq8shgk8qI2Pq7ql8WH91mfb1gCBRK+zJOXW2OXx2j+fX/6OUagyOLvQQYg06JYmIHkAldMTtKozKjMqMyozKjMqAxx"
      + "Mvv8lk/+Kbahtrx0n9mf/Gru9fF/a42l29ay68wU0L38hp8BAPTQ630vBwAA")

  private static func decoded(_ text: String) -> Data { Data(base64Encoded: text) ?? Data() }
}
