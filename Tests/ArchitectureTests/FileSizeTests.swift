import TestSupport
import Testing

/// No source file is longer than 350 lines: what does not fit is two things.
enum FileSize {
  static let limit = 350

  static func violations(in files: [SourceFile]) -> [Violation] {
    files.compactMap { file in
      let count = file.text.split(separator: "\n", omittingEmptySubsequences: false).count
      // The last line ends with a line break, which begins no further line.
      let lineCount = file.text.hasSuffix("\n") ? count - 1 : count
      return lineCount > limit ? file.violation(line: limit, "\(lineCount) lines, \(limit) are allowed") : nil
    }
  }
}

struct FileSizeTests {
  @Test func holdsEverywhere() throws {
    let files = try Project.files(in: "Sources", "Tests", "Examples")
    expectNone(FileSize.violations(in: files))
  }

  @Test func findsALongFile() {
    let long = SourceFile("Sources/A.swift", String(repeating: "let a = 1\n", count: 351))
    expectEqual(FileSize.violations(in: [long]).count, 1)
  }

  @Test func acceptsAFileAtTheLimit() {
    let full = SourceFile("Sources/A.swift", String(repeating: "let a = 1\n", count: 350))
    expect(FileSize.violations(in: [full]).isEmpty)
  }
}
