import Foundation

/// Bodies in content codings, made by other people's tools.
enum Compressed {
  /// What most of them hold.
  static let plain = Data(String(repeating: "the quick brown fox ", count: 60).utf8)
  static let gzip = decoded("H4sIAAAAAAACAyvJSFUoLM1MzlZIKsovz1NIy69QKBkVGxUbFRsVG4RiAKH+AmCwBAAA")
  /// "first," and "second", each a member of its own: RFC 1952 §2.2.
  static let gzipOfTwoMembers = decoded(
    "H4sIAAAAAAACA0vLLCou0QEA1zZHFQYAAAAfiwgAAAAAAAIDK05Nzs9LAQBpER+2BgAAAA==")
  static let zlib = decoded("eJwryUhVKCzNTM5WSCrKL89TSMuvUCgZFRsVGxUbFRuEYgCGubeE")
  /// `gzip`, compressed once more.
  static let gzipInZlib = decoded(
    "eJyT7+ZgAAEmZu2THqEaOmd9zoV5aJ3SPx/scXp9gIakqDQEtiQxLPzHlLCBhYEBAFzPDhU=")
  static let bareDeflate = decoded("K8lIVSgszUzOVkgqyi/PU0jLr1AoGRUbFRsVGxUbhGIA")
  static let brotli = decoded("G68E+I2UbuaiBjGjw1NobznIJKblCNt0VBZI11Z4AA==")
  static let zstd = decoded("KLUv/QRo5QAAoHRoZSBxdWljayBicm93biBmb3ggAQAyuX8yAdOs0qA=")
  /// "first," and "second", each a frame of its own: RFC 8878 §3.
  static let zstdOfTwoFrames = decoded("KLUv/QRYMQAAZmlyc3Qsx3uL8Ci1L/0EWDEAAHNlY29uZDcAXk0=")
  /// `gzip`, compressed once more.
  static let gzipInBrotli = decoded(
    "CxmAH4sIAAAAAAACAyvJSFUoLM1MzlZIKsovz1NIy69QKBkVGxUbFRsVG4RiAKH+AmCwBAAAAw==")
  static let gzipInZstd = decoded(
    "KLUv/QRYmQEAH4sIAAAAAAACAyvJSFUoLM1MzlZIKsovz1NIy69QKBkVGxUbFRsVG4RiAKH+AmCwBAAAfqRtBA==")
  /// Three million zeros each.
  static let brotliBomb = decoded("m7/GLfgnAOKxQCDPtwU=")
  static let zstdBomb = decoded(
    "KLUv/QRYVAAAEAAAAQD7/znAAgIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAA"
      + "AgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAM2DgADya/W")
  /// The same with a window of 128 MiB.
  static let zstdWithALongWindow = decoded(
    "KLUv/QSITAAACAABAPz/ORACAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAAC"
      + "ABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAzYOAAPJr9Y=")
  /// Three million zeros, in three thousand bytes.
  static func bomb() throws -> Data { try Data(contentsOf: fixtures.appendingPathComponent("zeros.gz")) }

  private static let fixtures = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures")

  private static func decoded(_ text: String) -> Data { Data(base64Encoded: text) ?? Data() }
}
