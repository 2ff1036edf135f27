import TestSupport
import Testing

/// No source file is longer than 300 lines: what does not fit is two things. None is shorter than 15: it is a part of another.
enum FileSize {
  static let limits = 15...300
  /// Files that the compiler or the package demands as they are.
  private static let short = ["Sources/Heliograph/Exports.swift"]

  static func violations(in files: [SourceFile]) -> [Violation] {
    files.compactMap { file in
      let count = file.text.split(separator: "\n", omittingEmptySubsequences: false).count
      // The last line ends with a line break, which begins no further line.
      let lineCount = file.text.hasSuffix("\n") ? count - 1 : count
      // Tests are longer where a suite is one table.
      let isSource = file.path.hasPrefix("Sources/")
      let limits = isSource ? limits : 1...350
      if limits.contains(lineCount) || short.contains(file.path) { return nil }
      return file.violation(line: 1, "\(lineCount) lines, \(limits.lowerBound) to \(limits.upperBound) are allowed")
    }
  }
}

struct FileSizeTests {
  @Test func holdsEverywhere() throws {
    let files = try Project.files(in: "Sources", "Tests", "Examples")
    expectNone(FileSize.violations(in: files))
  }

  @Test(arguments: [("Sources/A.swift", 301), ("Sources/A.swift", 14), ("Tests/A.swift", 351)])
  func finds(_ path: String, _ lineCount: Int) {
    let file = SourceFile(path, String(repeating: "let a = 1\n", count: lineCount))
    expectEqual(FileSize.violations(in: [file]).count, 1)
  }

  @Test(arguments: [("Sources/A.swift", 300), ("Sources/A.swift", 15), ("Tests/A.swift", 350), ("Tests/A.swift", 3)])
  func accepts(_ path: String, _ lineCount: Int) {
    let file = SourceFile(path, String(repeating: "let a = 1\n", count: lineCount))
    expect(FileSize.violations(in: [file]).isEmpty)
  }
}
