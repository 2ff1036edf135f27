import Foundation

extension String {
  /// The names of Windows-1252 in the standard, but for those of ASCII.
  private static let namesOfWindows1252: Set = [
    "windows-1252", "cp1252", "x-cp1252", "iso-8859-1", "iso8859-1", "iso88591", "iso_8859-1", "iso_8859-1:1987",
    "latin1", "l1", "cp819", "ibm819", "csisolatin1", "iso-ir-100",
  ]

  /// The encodings of Foundation by the labels of their charsets in the standard, or those of a superset.
  ///
  /// Each is a `CFStringEncoding`, of which Foundation's own constants are a few. EUC-JP is not decoded on Linux, where
  /// Mac OS Roman differs, too.
  private static let encodings: [String: UInt] = {
    var encodings: [String: UInt] = [:]
    let codePages: [Int: UInt] = [
      1250: 0x501, 1251: 0x502, 1253: 0x503, 1254: 0x504, 1255: 0x505, 1256: 0x506, 1257: 0x507, 1258: 0x508,
    ]
    for (number, code) in codePages {
      for name in ["windows-", "cp", "x-cp"] { encodings["\(name)\(number)"] = code }
    }
    for part: UInt in 2...16 where part != 12 {
      let code = part == 9 ? 0x504 : part == 11 ? 0x41D : 0x200 + part
      for name in ["iso-8859-", "iso8859-", "iso_8859-", "iso8859"] { encodings["\(name)\(part)"] = code }
    }
    let others: [(UInt, String)] = [
      (0x202, "latin2 l2"), (0x203, "latin3 l3"), (0x204, "latin4 l4"), (0x20A, "latin6 l6"), (0x20F, "latin9 l9"),
      (0x504, "latin5 l5"), (0x205, "cyrillic"), (0x206, "arabic"), (0x207, "greek greek8"),
      (0x208, "hebrew iso-8859-8-i logical"), (0x41D, "windows-874 dos-874 tis-620"), (0x41B, "ibm866 cp866 866"),
      (0xA02, "koi8-r koi8_r koi8 koi"), (0xA08, "koi8-u koi8-ru"), (0x7, "x-mac-cyrillic x-mac-ukrainian"),
      (0x632, "gb18030 gbk gb2312 gb_2312 gb_2312-80 csgb2312 chinese x-gbk cp936"),
      (0xA06, "big5 big5-hkscs cn-big5 csbig5 x-x-big5 cp950"),
      (0x420, "shift_jis shift-jis sjis ms_kanji csshiftjis windows-31j x-sjis cp932"), (0x820, "iso-2022-jp"),
      (0x422, "euc-kr cseuckr korean ks_c_5601-1987 ksc5601 windows-949 cp949"),
    ]
    for (code, names) in others { for name in names.split(separator: " ") { encodings[String(name)] = code } }
    return encodings
  }()

  /// Creates the text of a body, decoded by the WHATWG Encoding Standard.
  ///
  /// There are exceptions: `utf-16` without a byte order mark is big-endian, by RFC 2781 §4.3; UTF-32 is decoded, too;
  /// and ASCII and charsets that Foundation lacks are taken for UTF-8.
  ///
  /// - Parameters:
  ///   - body: The bytes. Each invalid byte becomes U+FFFD; a byte order mark is dropped.
  ///   - charset: The charset of the content type, in lower case; UTF-8, unless it names Windows-1252 (as which Latin-1
  ///     is decoded), UTF-16, UTF-32 or one of `encodings`. A byte order mark of UTF-8 or UTF-16 takes precedence.
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
      default:
        let encoding = charset.flatMap { String.encodings[$0] }.map { String.Encoding(rawValue: 0x8000_0000 | $0) }
        self = encoding.map { String(body, in: $0) } ?? String(decoding: body, as: UTF8.self)
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
