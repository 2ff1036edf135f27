import Foundation

extension String {
  /// The number of bytes of invalid words after which the rest is taken for UTF-8, because decoding characters is slow.
  private static let damageLimit = 65_536

  /// Creates the text of a body in an encoding, with U+FFFD for each invalid byte.
  ///
  /// If the body is invalid, it is decoded word by word.
  init(_ body: Data, in encoding: String.Encoding) {
    if let text = String(data: body, encoding: encoding) {
      self = text
    } else if encoding == .iso2022JP {
      // Its words depend on those before.
      self = String(decoding: body, as: UTF8.self)
    } else {
      var (text, rest, damage) = ("", body[...], 0)
      while !rest.isEmpty {
        // No character of several bytes contains a byte below 0x30.
        let end = rest.firstIndex { $0 < 0x30 }.map { $0 + 1 } ?? rest.endIndex
        let word = rest[..<end]
        if let valid = String(data: word, encoding: encoding) {
          text += valid
        } else {
          damage += word.count
          if damage > String.damageLimit { break }
          text += String(damaged: word, in: encoding)
        }
        rest = rest[end...]
      }
      self = text + String(decoding: rest, as: UTF8.self)
    }
  }

  /// Creates the text of an invalid word, character by character.
  private init(damaged word: Data, in encoding: String.Encoding) {
    self = ""
    var rest = word
    while !rest.isEmpty {
      let character = [1, 2, 4].lazy.filter { $0 <= rest.count }.compactMap { count in
        String(data: rest.prefix(count), encoding: encoding).map { (text: $0, count: count) }
      }.first
      self += character?.text ?? "\u{FFFD}"
      rest = rest.dropFirst(character?.count ?? 1)
    }
  }
}
