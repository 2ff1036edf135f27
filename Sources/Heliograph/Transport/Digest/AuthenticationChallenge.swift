/// An authentication challenge of a server: a scheme with its parameters (RFC 9110 §11.3).
struct AuthenticationChallenge {
  /// The scheme in lower case.
  let scheme: String
  /// The parameters by name in lower case, unquoted and unescaped; the first one of a repeated name.
  private(set) var parameters: [String: String] = [:]

  /// Parses all challenges in the values of `WWW-Authenticate`, each of which may contain several.
  static func all(in values: [String]) -> [AuthenticationChallenge] {
    var challenges: [AuthenticationChallenge] = []
    for value in values {
      for element in elements(of: value) {
        var element = element[...]
        let word = element.prefix { $0 != "=" && !$0.isBlank && $0 != "\"" }
        let remaining = element.dropFirst(word.count).drop(while: \.isBlank)
        if remaining.first != "=" {
          challenges.append(AuthenticationChallenge(scheme: String(word).loweredASCII))
          element = remaining
        }
        guard let last = challenges.indices.last, let (name, value) = parameter(element) else { continue }
        if challenges[last].parameters[name] == nil { challenges[last].parameters[name] = value }
      }
    }
    return challenges
  }

  /// Parses a header field that is a list of parameters, such as `Authentication-Info`.
  static func parameters(in value: String) -> [String: String] {
    Dictionary(elements(of: value).compactMap { parameter($0[...]) }) { first, _ in first }
  }

  /// Returns the elements between unquoted commas, with surrounding whitespace removed.
  private static func elements(of value: String) -> [String] {
    var elements: [String] = []
    var element = ""
    var (isQuoted, isEscaped) = (false, false)
    for character in value.unicodeScalars {
      if isEscaped {
        isEscaped = false
      } else if isQuoted, character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        isQuoted.toggle()
      } else if character == ",", !isQuoted {
        elements.append(element)
        element = ""
        continue
      }
      element.unicodeScalars.append(character)
    }
    elements.append(element)
    return elements.map { String($0.drop(while: \.isBlank).trimmingSuffix(while: \.isBlank)) }.filter { !$0.isEmpty }
  }

  private static func parameter(_ element: Substring) -> (name: String, value: String)? {
    guard let sign = element.firstIndex(of: "=") else { return nil }
    let name = element[..<sign].trimmingSuffix(while: \.isBlank)
    var value = element[element.index(after: sign)...].drop(while: \.isBlank)
    if name.isEmpty { return nil }
    if value.first == "\"" {
      value = value.dropFirst()
      var text = ""
      var isEscaped = false
      for character in value {
        if !isEscaped, character == "\\" {
          isEscaped = true
        } else if !isEscaped, character == "\"" {
          return (String(name).loweredASCII, text)
        } else {
          isEscaped = false
          text.append(character)
        }
      }
      // The closing quotation mark is missing: the value is truncated.
      return nil
    }
    return (String(name).loweredASCII, String(value))
  }
}

extension Character {
  fileprivate var isBlank: Bool { self == " " || self == "\t" }
}

extension Substring {
  fileprivate func trimmingSuffix(while isDropped: (Character) -> Bool) -> Substring {
    var text = self
    while let last = text.last, isDropped(last) { text.removeLast() }
    return text
  }
}
