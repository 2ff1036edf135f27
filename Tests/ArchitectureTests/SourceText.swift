/// Swift source split into what is code and what is comment, line by line; the contents of strings are in neither.
///
/// Everything left out is replaced by spaces, so that lines and columns stay where they were. Code inside a string's
/// interpolation counts as code.
struct SourceText {
  let code: [String]
  let comments: [String]
  /// All code in one, for a look before the lines are searched.
  let wholeCode: String

  init(_ text: String) {
    var scanner = Scanner(text)
    scanner.scanCode(untilParenthesis: false)
    wholeCode = String(decoding: scanner.code, as: UTF8.self)
    code = scanner.lines(of: scanner.code)
    comments = scanner.lines(of: scanner.comments)
  }

  /// Whether a comment stands on the line with this index, or on the one before it, attributes passed over.
  func hasComment(besideLine index: Int) -> Bool {
    if isCommented(index) { return true }
    let before = code[..<index].lastIndex { line in line.first { $0 != " " } != "@" }
    return before.map { isCommented($0) } ?? false
  }

  /// Whether a comment with this marker and a reason after it stands on the line with this index, or before it.
  func hasReason(marked marker: String, besideLine index: Int) -> Bool {
    (max(0, index - 1)...index).contains { line in
      guard let found = comments[line].firstRange(of: marker) else { return false }
      return comments[line][found.upperBound...].contains { $0.isLetter }
    }
  }

  private func isCommented(_ index: Int) -> Bool {
    comments[index].contains { $0.isLetter }
  }
}

extension SourceText {
  private struct Scanner {
    let text: [UInt8]
    var code: [UInt8]
    var comments: [UInt8]
    var index = 0

    init(_ text: String) {
      self.text = Array(text.utf8)
      code = self.text.map { $0 == newline ? newline : space }
      comments = code
    }

    func lines(of bytes: [UInt8]) -> [String] {
      bytes.split(separator: newline, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }

    func sees(_ word: String) -> Bool { text[index...].starts(with: word.utf8) }

    mutating func scanCode(untilParenthesis: Bool) {
      var depth = 0
      while index < text.count {
        let byte = text[index]
        if byte == slash, sees("//") {
          scanLineComment()
        } else if byte == slash, sees("/*") {
          scanBlockComment()
        } else if byte == quote || byte == pound, let poundCount = stringStart() {
          scanString(poundCount: poundCount)
        } else {
          if text[index] == openParenthesis { depth += 1 }
          if text[index] == closeParenthesis {
            depth -= 1
            if untilParenthesis, depth < 0 { return }
          }
          code[index] = text[index]
          index += 1
        }
      }
    }

    /// The number of `#` before the quote, when a string literal starts here.
    func stringStart() -> Int? {
      var ahead = index
      while ahead < text.count, text[ahead] == pound { ahead += 1 }
      return ahead < text.count && text[ahead] == quote ? ahead - index : nil
    }

    mutating func scanLineComment() {
      while index < text.count, text[index] != newline {
        comments[index] = text[index]
        index += 1
      }
    }

    mutating func scanBlockComment() {
      var depth = 0
      repeat {
        let step = sees("/*") || sees("*/") ? 2 : 1
        if sees("/*") { depth += 1 } else if sees("*/") { depth -= 1 }
        for place in index..<min(index + step, text.count) { comments[place] = text[place] }
        index += step
      } while depth > 0 && index < text.count
    }

    mutating func scanString(poundCount: Int) {
      let pounds = String(repeating: "#", count: poundCount)
      index += poundCount
      let quotes = sees("\"\"\"") ? "\"\"\"" : "\""
      index += quotes.count
      while index < text.count {
        if sees(quotes + pounds) {
          index += quotes.count + poundCount
          return
        }
        if sees("\\" + pounds + "(") {
          index += poundCount + 2
          scanCode(untilParenthesis: true)
          index += 1
        } else if sees("\\" + pounds) {
          index += poundCount + 2
        } else if text[index] == newline, quotes.count == 1 {
          return  // Not a string after all, as in a regular expression: the damage ends with the line.
        } else {
          index += 1
        }
      }
    }
  }
}

private let newline = UInt8(ascii: "\n")
private let space = UInt8(ascii: " ")
private let slash = UInt8(ascii: "/")
private let quote = UInt8(ascii: "\"")
private let pound = UInt8(ascii: "#")
private let openParenthesis = UInt8(ascii: "(")
private let closeParenthesis = UInt8(ascii: ")")
