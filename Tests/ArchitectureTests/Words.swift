extension Character {
  /// Whether the character can stand inside an identifier.
  var isIdentifierPart: Bool { isLetter || isNumber || self == "_" }
}

/// An identifier or keyword of some code, with what stands right before it.
struct Word {
  let text: Substring
  /// The character before the word, or `nil` at the start of the code.
  let before: Character?
  /// How deep in braces the word stands.
  let depth: Int
  /// The index of the word's line.
  let line: Int
}

extension SourceText {
  /// All words of the code, in order.
  var words: [Word] {
    var words: [Word] = []
    var depth = 0
    for (line, code) in code.enumerated() {
      var index = code.startIndex
      while index < code.endIndex {
        let start = index
        while index < code.endIndex, code[index].isIdentifierPart { index = code.index(after: index) }
        if start < index {
          let before = start > code.startIndex ? code[code.index(before: start)] : nil
          words.append(Word(text: code[start..<index], before: before, depth: depth, line: line))
        } else {
          if code[index] == "{" { depth += 1 } else if code[index] == "}" { depth -= 1 }
          index = code.index(after: index)
        }
      }
    }
    return words
  }

  /// The lines whose code contains a term that does not continue an identifier: `try!` but not `retry!`.
  func lines(containing term: String) -> [Int] {
    guard wholeCode.contains(term) else { return [] }
    return code.indices.filter { line in
      code[line].ranges(of: term).contains { found in
        found.lowerBound == code[line].startIndex
          || !code[line][code[line].index(before: found.lowerBound)].isIdentifierPart
      }
    }
  }
}
