import Foundation

extension String {
  /// Creates the text of a body, decoded by the WHATWG Encoding Standard.
  ///
  /// - Parameters:
  ///   - body: The bytes. Each invalid byte becomes U+FFFD; a byte order mark is dropped.
  ///   - charset: The charset of the content type, in lower case; UTF-8 unless it is one of Latin-1, Windows-1252,
  ///     UTF-16 or UTF-32. A byte order mark of UTF-8 or UTF-16 takes precedence.
  init(_ body: Data, charset: String?) {
    let prefix = Array(body.prefix(4))
    let isUTF32 = charset == "utf-32"
    switch prefix {
    case [0, 0, 0xFE, 0xFF] where isUTF32:
      self = String(decoding: body.dropFirst(4).utf32Units(isBigEndian: true), as: UTF32.self)
    case [0xFF, 0xFE, 0, 0] where isUTF32:
      self = String(decoding: body.dropFirst(4).utf32Units(isBigEndian: false), as: UTF32.self)
    case _ where isUTF32: self = String(decoding: body.utf32Units(isBigEndian: true), as: UTF32.self)
    case _ where prefix.starts(with: [0xEF, 0xBB, 0xBF]): self = String(decoding: body.dropFirst(3), as: UTF8.self)
    case _ where prefix.starts(with: [0xFE, 0xFF]):
      self = String(decoding: body.dropFirst(2).utf16Units(isBigEndian: true), as: UTF16.self)
    case _ where prefix.starts(with: [0xFF, 0xFE]):
      self = String(decoding: body.dropFirst(2).utf16Units(isBigEndian: false), as: UTF16.self)
    default:
      switch charset {
      case "iso-8859-1", "latin1", "iso_8859-1": self.init(String.UnicodeScalarView(body.map { Unicode.Scalar($0) }))
      case "windows-1252", "cp1252": self.init(String.UnicodeScalarView(body.map(\.windows1252)))
      // RFC 2781 §4.3: big-endian without a mark.
      case "utf-16", "utf-16be": self = String(decoding: body.utf16Units(isBigEndian: true), as: UTF16.self)
      case "utf-16le": self = String(decoding: body.utf16Units(isBigEndian: false), as: UTF16.self)
      default: self = String(decoding: body, as: UTF8.self)
      }
    }
  }
}

extension Data {
  /// The code units of UTF-16; an incomplete one at the end is invalid.
  fileprivate func utf16Units(isBigEndian: Bool) -> [UInt16] {
    let bytes = Array(self)
    var utf16Units = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isBigEndian ? first << 8 | second : second << 8 | first
    }
    if !bytes.count.isMultiple(of: 2) { utf16Units.append(0xFFFD) }
    return utf16Units
  }

  /// The code units of UTF-32; an incomplete one at the end is invalid.
  fileprivate func utf32Units(isBigEndian: Bool) -> [UInt32] {
    let bytes = Array(self)
    var utf16Units = stride(from: 0, to: bytes.count - 3, by: 4).map { index in
      let unit = bytes[index..<index + 4]
      return (isBigEndian ? Array(unit) : unit.reversed()).reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    }
    if !bytes.count.isMultiple(of: 4) { utf16Units.append(0xFFFD) }
    return utf16Units
  }
}

extension UInt8 {
  /// The characters of Windows-1252 from 0x80 to 0x9F; undefined ones are controls.
  private static let table: [Unicode.Scalar] = [
    "\u{20AC}", "\u{81}", "\u{201A}", "\u{192}", "\u{201E}", "\u{2026}", "\u{2020}", "\u{2021}", "\u{2C6}", "\u{2030}",
    "\u{160}", "\u{2039}", "\u{152}", "\u{8D}", "\u{17D}", "\u{8F}", "\u{90}", "\u{2018}", "\u{2019}", "\u{201C}",
    "\u{201D}", "\u{2022}", "\u{2013}", "\u{2014}", "\u{2DC}", "\u{2122}", "\u{161}", "\u{203A}", "\u{153}", "\u{9D}",
    "\u{17E}", "\u{178}",
  ]

  fileprivate var windows1252: Unicode.Scalar {
    (0x80...0x9F).contains(self) ? UInt8.table[Int(self) - 0x80] : Unicode.Scalar(self)
  }
}
