import Foundation

extension String {
  /// The names of Windows-1252 in the standard, but for those of ASCII.
  private static let namesOfWindows1252: Set = [
    "windows-1252", "cp1252", "x-cp1252", "iso-8859-1", "iso8859-1", "iso88591", "iso_8859-1", "iso_8859-1:1987",
    "latin1", "l1", "cp819", "ibm819", "csisolatin1", "iso-ir-100",
  ]

  /// Creates the text of a body, decoded by the WHATWG Encoding Standard.
  ///
  /// There are exceptions: `utf-16` without a byte order mark is big-endian, by RFC 2781 §4.3; UTF-32 is decoded, too;
  /// and ASCII and other charsets of the standard are taken for UTF-8.
  ///
  /// - Parameters:
  ///   - body: The bytes. Each invalid byte becomes U+FFFD; a byte order mark is dropped.
  ///   - charset: The charset of the content type, in lower case; UTF-8, unless it names Windows-1252 (as which Latin-1
  ///     is decoded), UTF-16 or UTF-32. A byte order mark of UTF-8 or UTF-16 takes precedence.
  init(_ body: Data, charset: String?) {
    let charset = charset.flatMap { $0.isASCII ? $0 : nil }
    let prefix = Array(body.prefix(4))
    let isUTF32 = charset == "utf-32"
    switch prefix {
    case [0, 0, 0xFE, 0xFF] where isUTF32: self = String(decoding: body.dropFirst(4).units(), as: UTF32.self)
    case [0xFF, 0xFE, 0, 0] where isUTF32:
      self = String(decoding: body.dropFirst(4).units(isBigEndian: false), as: UTF32.self)
    case _ where isUTF32: self = String(decoding: body.units(), as: UTF32.self)
    case _ where prefix.starts(with: [0xEF, 0xBB, 0xBF]): self = String(decoding: body.dropFirst(3), as: UTF8.self)
    case _ where prefix.starts(with: [0xFE, 0xFF]): self = String(decoding: body.dropFirst(2).units(), as: UTF16.self)
    case _ where prefix.starts(with: [0xFF, 0xFE]):
      self = String(decoding: body.dropFirst(2).units(isBigEndian: false), as: UTF16.self)
    default:
      switch charset {
      case _ where String.namesOfWindows1252.contains(charset ?? ""):
        self.init(String.UnicodeScalarView(body.map(\.windows1252)))
      case "utf-16", "utf-16be", "unicodefffe": self = String(decoding: body.units(), as: UTF16.self)
      case "utf-16le", "ucs-2", "unicode", "unicodefeff", "csunicode", "iso-10646-ucs-2":
        self = String(decoding: body.units(isBigEndian: false), as: UTF16.self)
      default: self = String(decoding: body, as: UTF8.self)
      }
    }
  }
}

extension Data {
  /// The code units of UTF-16 or UTF-32; an incomplete one at the end is invalid.
  fileprivate func units<Unit: FixedWidthInteger & BitwiseCopyable>(isBigEndian: Bool = true) -> [Unit] {
    let size = MemoryLayout<Unit>.size
    var units = withUnsafeBytes { bytes in
      stride(from: 0, through: bytes.count - size, by: size).map { offset in
        let unit = bytes.loadUnaligned(fromByteOffset: offset, as: Unit.self)
        return isBigEndian ? Unit(bigEndian: unit) : Unit(littleEndian: unit)
      }
    }
    if !count.isMultiple(of: size) { units.append(0xFFFD) }
    return units
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
