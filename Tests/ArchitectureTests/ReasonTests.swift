import TestSupport
import Testing

/// The reasons of errors, which stand where they are thrown: for a log and a developer.
///
/// `theList` prints all of them, so that they can be read in one place.
enum Reasons {
  struct Reason: Hashable {
    let place: String
    let text: String
  }

  /// Returns the string literals that become the reason of an error.
  static func all(in files: [SourceFile]) -> [Reason] {
    let beginning =
      /(?:\breason: |let reason = |\b(?:refusal|fault|Refusal|withReason|failure)\((?:\.\w+, )?)"/
    return files.filter { $0.module != "Signals" && !$0.path.contains("/OtherNames/") }.flatMap { file in
      file.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).enumerated().flatMap {
        index, line -> [Reason] in
        let code = line.trimmingPrefix { $0 == " " }
        if code.hasPrefix("//") { return [] }
        return line.matches(of: beginning).compactMap { match in
          guard let text = literal(at: match.range.upperBound, in: line) else { return nil }
          return Reason(place: "\(file.path):\(index + 1)", text: text)
        }
      }
    }
  }

  /// Returns the literal that begins at a position, behind its quotation mark; `nil` if it does not end in the line.
  private static func literal(at start: String.Index, in line: String) -> String? {
    var (depth, index) = (0, start)
    while index < line.endIndex {
      let character = line[index]
      if character == "\\", line[line.index(after: index)...].first == "(" { depth += 1 }
      if depth > 0, character == ")" { depth -= 1 }
      if depth > 0, character == "(", line[..<index].last != "\\" { depth += 1 }
      if depth == 0, character == "\"" { return String(line[start..<index]) }
      index = line.index(after: index)
    }
    return nil
  }

  /// Words that a reader of logs does not search for.
  private static let banned = [
    "answer", "stands", " is no ", "wants", "nothing has", "there is no", "there were", "on its way", "says",
    "was said",
  ]

  /// Returns what is wrong with a text.
  static func problem(of text: String) -> String? {
    if text.isEmpty { return nil }
    if text.hasSuffix(".") && !text.hasSuffix("'+_-.") { return "ends with a full stop" }
    let first = text.prefix { $0.isLetter }
    if let letter = first.first, letter.isUppercase, !capitalized.contains(String(first)) {
      return "begins with a capital letter"
    }
    return banned.first(where: text.contains).map { "contains \"\($0)\"" }
  }

  /// Names and abbreviations with which a reason may begin.
  ///
  /// `Invalid` and `Response` are texts of the requirements.
  private static let capitalized: Set = [
    "API", "App", "Content", "Heliograph", "HTTP", "Invalid", "NUL", "Response", "SHA", "URL", "URLSession", "Vary",
  ]
}

struct ReasonTests {
  @Test func theList() throws {
    let reasons = Reasons.all(in: try Project.files(in: "Sources"))
    expect(reasons.count > 150, "\(reasons.count) reasons")
    for reason in reasons.sorted(by: { $0.text < $1.text }) { print(reason.text, "[\(reason.place)]") }
    let problems = reasons.compactMap { reason in
      Reasons.problem(of: reason.text).map { "\(reason.place): \"\(reason.text)\" \($0)" }
    }
    expectEqual(problems, [])
  }

  @Test(
    arguments: [
      ("HEAD has no body.", "ends with a full stop"), ("The body is empty", "begins with a capital letter"),
      ("the server's answer", "contains \"answer\""), ("x stands there twice", "contains \"stands\""),
    ] as [(String, String)])
  func finds(_ text: String, _ problem: String) { expectEqual(Reasons.problem(of: text), problem) }
}
