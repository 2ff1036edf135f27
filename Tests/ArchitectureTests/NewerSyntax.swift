import Foundation

/// What the oldest promised Swift, 6.1, does not have, by name, as only the newest compiler is at hand.
///
/// The versions are those of the proposals' status lines (github.com/swiftlang/swift-evolution). SE-0479, key paths to
/// methods, is in no version. Trailing commas (SE-0439), traits of packages and `#expect(throws:)` with a result are of 6.1.
enum NewerSyntax {
  /// The line that exit tests stand behind: they take captured values since 6.3, and phones have none.
  static let exitTestCondition = "#if compiler(>=6.3) && (os(macOS) || os(Linux) || os(Windows))"

  /// A text that code contains, and since when.
  static let terms: [(term: String, since: String)] = [
    ("weak let", "6.2.3, SE-0481: capture weakly in a closure"),
    ("isolated deinit", "6.2, SE-0371"),
    ("nonisolated(nonsending)", "6.2, SE-0461"), ("@concurrent", "6.2, SE-0461"),
    (".defaultIsolation(", "6.2, SE-0466"), (".strictMemorySafety(", "6.2, SE-0458"),
    (".treatAllWarnings(", "6.2, SE-0480"), (".treatWarning(", "6.2, SE-0480"),
    ("InlineArray<", "6.2, SE-0453"),
    ("Span<", "6.2, SE-0447"), ("RawSpan", "6.2, SE-0447"), ("MutableSpan<", "6.2, SE-0467"),
    ("MutableRawSpan", "6.2, SE-0467"), ("OutputSpan<", "6.2, SE-0485"), ("UTF8Span", "6.2, SE-0464"),
    (".utf8Span", "6.2, SE-0464"), (".mutableSpan", "6.2, SE-0467"),
    ("@_lifetime", "no version: not accepted"), ("@lifetime", "no version: not accepted"),
    ("~Escapable", "6.2 in full, SE-0465"),
    ("Observations {", "6.2, SE-0475"), ("Observations(", "6.2, SE-0475"),
    ("Task.immediate", "6.2, SE-0472"), (".addImmediateTask", "6.2, SE-0472"),
    ("Task(name:", "6.2, SE-0469"), ("Task.detached(name:", "6.2, SE-0469"), ("addTask(name:", "6.2, SE-0469"),
    ("Task.name", "6.2, SE-0469"), ("withTaskPriorityEscalationHandler", "6.2, SE-0462"),
    ("Duration(attoseconds:", "6.2, SE-0457"),
    ("@abi(", "6.2, SE-0476"), ("@extensible", "6.2.3, SE-0487"), ("@nonexhaustive", "6.2.3, SE-0487"),
    ("@specialized(", "6.3, SE-0460"), ("systemEpoch", "6.3, SE-0473"), ("@c", "6.3, SE-0495"),
    ("@section(", "6.3, SE-0492"), ("@used", "6.3, SE-0492"), ("@export(", "6.3, SE-0497"),
    ("@diagnose(", "later than 6.3"),
    ("Attachment.record", "6.2, ST-0009"), ("IssueHandlingTrait", "6.2, ST-0011"),
    (".compactMapIssues", "6.2, ST-0011"), (".filterIssues", "6.2, ST-0011"),
    ("Test.cancel", "6.3, ST-0016"), ("severity: .warning", "6.3, ST-0013"),
    ("sourceLocation.filePath", "6.3, ST-0020"),
  ]

  /// What needs more than a text: a pattern for a line of code, a text that each match contains, and since when.
  nonisolated(unsafe) static let patterns: [(pattern: Regex<Substring>, text: String, since: String)] = [
    (
      /(?:func|case|let|var|struct|enum|class) `[^`]*[^A-Za-z0-9_`][^`]*`/, "`",
      "6.2, SE-0451: a name with other characters"
    ),
    (/\[[0-9]+ of [A-Z]/, " of ", "6.2, SE-0483: an array with its count"),
    (/[:,] @MainActor [A-Z][A-Za-z]* *[{,]/, "@MainActor ", "6.2, SE-0470: an isolated conformance"),
    (/<.*\blet [A-Za-z]+: Int *[,>]/, ": Int", "6.2, SE-0452: a number as generic parameter"),
    (/(?:=|return|try) unsafe [A-Za-z]/, " unsafe ", "6.2, SE-0458: an expression marked as unsafe"),
    (
      /(?:[Dd]elay|[Ii]nterval|[Dd]uration|[Tt]imeout|elapsed|now)\.attoseconds/, ".attoseconds",
      "6.2, SE-0457: `wholeAttoseconds`"
    ),
    (/[A-Za-z]::[A-Za-z]/, "::", "6.3, SE-0491: a module's name before a member"),
    (
      /\.enumerated\(\)(?:\[|\.(?:count|isEmpty|last|suffix|dropLast|indices)\b)/, ".enumerated()",
      "6.2, SE-0459: a collection"
    ),
  ]

  static func violations(in files: [SourceFile]) -> [Violation] {
    files.flatMap { file -> [Violation] in
      guard
        terms.contains(where: { has(file, $0.term) }) || patterns.contains(where: { has(file, $0.text) })
          || has(file, "processExitsWith")
      else { return [] }
      let conditions = conditions(in: file)
      // Older compilers do not read what stands behind `#if compiler(>=…)`.
      func isRead(_ line: Int) -> Bool { !conditions[line].contains { $0.hasPrefix("#if compiler(>=6.") } }
      var found: [Violation] = []
      for (term, since) in terms where has(file, term) {
        found += lines(of: file.source, containing: term).filter(isRead)
          .map { file.violation(line: $0, "`\(term)` is of Swift \(since)") }
      }
      for (pattern, text, since) in patterns where has(file, text) {
        for (line, code) in file.source.code.enumerated() where isRead(line) && code.contains(pattern) {
          found.append(file.violation(line: line, "this is of Swift \(since)"))
        }
      }
      found += file.source.lines(containing: "processExitsWith").filter { !conditions[$0].contains(exitTestCondition) }
        .map { file.violation(line: $0, "an exit test outside of \(exitTestCondition)") }
      return found
    }
  }

  /// Whether a file contains a text anywhere: quick, as most contain none.
  private static func has(_ file: SourceFile, _ text: String) -> Bool {
    file.text.withCString { strstr($0, text) != nil }
  }

  /// The lines with a term, after which no identifier goes on: `@c` is not in `@concurrent`.
  private static func lines(of source: SourceText, containing term: String) -> [Int] {
    guard term.last?.isIdentifierPart == true else { return source.lines(containing: term) }
    return source.lines(containing: term).filter { line in
      source.code[line].ranges(of: term).contains {
        source.code[line][$0.upperBound...].first?.isIdentifierPart != true
      }
    }
  }

  /// The `#if` that each line stands behind, outer ones first; none from `#else` on.
  private static func conditions(in file: SourceFile) -> [[String]] {
    var open: [String] = []
    return file.source.code.map { line in
      let text = line.trimmingPrefix { $0 == " " }
      if text.hasPrefix("#if ") {
        open.append(String(text).trimmingSuffix())
      } else if text.hasPrefix("#else"), !open.isEmpty {
        open[open.count - 1] = ""
      } else if text.hasPrefix("#endif"), !open.isEmpty {
        open.removeLast()
      }
      return open
    }
  }
}

extension String {
  fileprivate func trimmingSuffix() -> String { String(self[...(lastIndex { $0 != " " } ?? startIndex)]) }
}
