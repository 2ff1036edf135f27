import Foundation

extension JSON {
  /// Checks a text for what ends the process in `JSONDecoder`.
  ///
  /// - A number with more than 128 digits, written with a fraction or an exponent, whose value is from 2^53 to 2^128,
  ///   traps when it is decoded as an integer (swift-foundation issue 812, in all releases from 6.0 on).
  /// - With JSON5, some malformed and hexadecimal numbers trap.
  /// - A number at the end of such a text, or of a dictionary without braces, is read beyond the text (swift-foundation
  ///   pull request 2157); `endingWithLineFeed` prevents it.
  /// - An invalid name of a member traps on systems before iOS 18.4 and macOS 15.4 (swift-foundation pull request
  ///   1043).
  ///
  /// Complexity: O(1) for each 64 bytes; O(size) for JSON5, for a text with 128 digits in a row, and on those systems.
  static func checkForTraps(_ data: Data, allowsJSON5: Bool) throws(JSONFault) {
    if allowsJSON5 {
      guard let text = TextEncoding.utf8(data) else { throw JSONFault(text: "incomplete code unit at the end") }
      let result = text.withUnsafeBytes { bytes in
        Result { () throws(JSONFault) in
          var scanner = JSON5Scanner(bytes)
          try scanner.check()
        }
      }
      return try result.get()
    }
    var checksAll = false
    #if canImport(Darwin)
    if #unavailable(iOS 18.4, macOS 15.4, tvOS 18.4, watchOS 11.4, visionOS 2.4) { checksAll = true }
    #endif
    guard checksAll || hasManyDigits(data) else { return }
    _ = try withText(data) { (parser, _) throws(JSONFault) in
      parser.isForDecoder = true
      parser.isLookingForFaults = true
      return try parser.parse()
    }
  }

  /// Returns whether a text may have 128 digits in a row.
  private static func hasManyDigits(_ data: Data) -> Bool {
    data.withUnsafeBytes { bytes in
      // UTF-16 and UTF-32, in which the digits are not adjacent.
      if bytes.count >= 128, bytes.prefix(4).contains(where: { $0 == 0 || $0 >= 0xFE }) { return true }
      var index = 63
      while index < bytes.count {
        guard bytes[index].isDigit else {
          index += 64
          continue
        }
        let start = bytes[..<index].lastIndex { !$0.isDigit }.map { $0 + 1 } ?? 0
        let end = bytes[index...].firstIndex { !$0.isDigit } ?? bytes.count
        if end - start >= 128 { return true }
        index = end + 63
      }
      return false
    }
  }
}

extension Data {
  /// The text in UTF-8 with a line feed, so that no number ends it.
  var endingWithLineFeed: Data { TextEncoding.utf8(self).map { $0 + [0x0A] } ?? self }
}
