import Foundation

extension String {
  /// The coding key in snake case, as `JSONEncoder.KeyEncodingStrategy.convertToSnakeCase` makes it.
  ///
  /// It follows Foundation's algorithm, so that bodies and parameters have the same names: `myURLProperty` becomes
  /// `my_url_property`, and `URL`, which begins with capitals, `u_rl`.
  var snakeCased: String {
    let characters = Array(self)
    guard characters.count > 1 else { return lowercased() }
    var words: [String] = []
    var (start, next) = (0, 1)
    while let capital = characters[next...].firstIndex(where: \.isUppercase) {
      words.append(String(characters[start..<capital]))
      guard let small = characters[capital...].firstIndex(where: \.isLowercase) else {
        start = capital
        break
      }
      start = capital
      if small > capital + 1 {
        words.append(String(characters[capital..<small - 1]))
        start = small - 1
      }
      next = small + 1
    }
    words.append(String(characters[start...]))
    return words.joined(separator: "_").lowercased()
  }

  /// The name in camel case, as `JSONDecoder.KeyDecodingStrategy.convertFromSnakeCase` makes it.
  ///
  /// Underscores at both ends are unchanged. A letter after a digit is capitalized as well: `code_2nd` becomes
  /// `code2Nd`.
  var camelCased: String {
    guard let first = firstIndex(where: { $0 != "_" }), let last = lastIndex(where: { $0 != "_" }) else { return self }
    let words = self[first...last].split(separator: "_")
    guard words.count > 1 else { return self }
    let joined = words[0].lowercased() + words[1...].map { $0.capitalized }.joined()
    return String(self[..<first]) + joined + String(self[index(after: last)...])
  }
}
