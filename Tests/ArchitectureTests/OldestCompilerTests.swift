import Testing

/// What the oldest promised Swift (6.1) or a platform does not have, by name, as only the newest compiler on Linux is at hand.
enum NewerSyntax {
  /// The line that a file with exit tests has: they take captured values since 6.3, and phones have none.
  static let exitTestCondition = "#if compiler(>=6.3) && (os(macOS) || os(Linux) || os(Windows))"

  static func violations(in files: [SourceFile]) -> [Violation] {
    files.flatMap { file in
      var found = file.source.lines(containing: "weak let").map {
        file.violation(line: $0, "`weak let` is of Swift 6.2.3: capture weakly in a closure")
      }
      if !file.text.contains(exitTestCondition) {
        found += file.source.lines(containing: "processExitsWith").map {
          file.violation(line: $0, "an exit test outside of \(exitTestCondition)")
        }
      }
      return found
    }
  }
}

/// Numbers beyond 32 bits, which `Int` has on watches, stand only where the line says that it counts with more.
enum WideNumbers {
  /// What tells that a line counts with 64 bits: the parts of a duration have them.
  static let marks = ["Int64", "attoseconds", "limit"]

  static func violations(in files: [SourceFile]) -> [Violation] {
    files.flatMap { file in
      file.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
        let code = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false)[0]
        guard numbers(in: code).contains(where: { $0 > Int64(Int32.max) }), !marks.contains(where: code.contains) else {
          return nil
        }
        return file.violation(line: index, "a number that an `Int` of 32 bits has no room for")
      }
    }
  }

  private static func numbers(in code: Substring) -> [Int64] {
    code.split { !($0.isNumber || $0.isLetter || $0 == "_") }
      .compactMap { Int64($0.replacing("_", with: "")) }
  }
}

@Suite struct OldestCompilerTests {
  @Test func newerSyntaxIsNotUsed() throws {
    expectNone(NewerSyntax.violations(in: try Project.files(in: "Sources", "Tests", "Examples/Sources")))
  }

  @Test func numbersFitIntoAWatch() throws {
    expectNone(WideNumbers.violations(in: try Project.files(in: "Sources")))
  }

  @Test(arguments: ["weak let a = b", "await #expect(processExitsWith: .success) {}"])
  func finds(text: String) {
    #expect(NewerSyntax.violations(in: [SourceFile("Tests/A.swift", text)]).count == 1)
  }

  @Test func acceptsExitTestsWhereThereAreAny() {
    let text = NewerSyntax.exitTestCondition + "\n  await #expect(processExitsWith: .success) {}\n#endif"
    expectNone(NewerSyntax.violations(in: [SourceFile("Tests/A.swift", text)]))
  }

  @Test(arguments: ["let a = 1_000_000_000_000", "guard b < 2_147_483_648 else { return }"])
  func findsWideNumbers(text: String) {
    #expect(WideNumbers.violations(in: [SourceFile("Sources/Signals/A.swift", text)]).count == 1)
  }

  @Test(arguments: [
    "let a = 2_147_483_647", "let a: Int64 = 1_000_000_000_000", "// 1_000_000_000_000",
    "attoseconds / 1_000_000_000_000",
  ])
  func acceptsNumbers(text: String) {
    expectNone(WideNumbers.violations(in: [SourceFile("Sources/Signals/A.swift", text)]))
  }
}
