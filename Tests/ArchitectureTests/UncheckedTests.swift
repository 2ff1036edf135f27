import TestSupport
import Testing

/// What the compiler is told to take on trust: in one place per module, and never without the reason beside it.
enum Unchecked {
  /// The one file of each module that may say `@unchecked Sendable`.
  static let files = [
    "Signals": "Internal/Unchecked.swift",
    "Heliograph": "Internal/Unchecked.swift",
  ]

  static func violations(in files: [SourceFile]) -> [Violation] {
    files.flatMap { uncheckedSendables(in: $0) + unsafeIsolations(in: $0) }
  }

  private static func uncheckedSendables(in file: SourceFile) -> [Violation] {
    let uses = file.source.lines(containing: "@unchecked")
    guard let module = file.module, let allowed = Self.files[module], file.path == "Sources/\(module)/\(allowed)" else {
      return uses.map { file.violation(line: $0, "@unchecked stands outside the module's Internal/Unchecked.swift") }
    }
    return uses.filter { !file.source.hasComment(besideLine: $0) }
      .map { file.violation(line: $0, "@unchecked has no comment with its reason") }
  }

  /// A comment serves the lines right below it, too, as long as each of them is such a use.
  private static func unsafeIsolations(in file: SourceFile) -> [Violation] {
    var lastReasoned: Int?
    return file.source.lines(containing: "nonisolated(unsafe)").compactMap { line in
      let hasReason =
        file.source.hasComment(besideLine: line) || (lastReasoned != nil && lastReasoned == line - 1)
      guard !hasReason else {
        lastReasoned = line
        return nil
      }
      return file.violation(line: line, "nonisolated(unsafe) has no comment with its reason")
    }
  }
}

struct UncheckedTests {
  @Test func holdsInTheSources() throws {
    expectNone(Unchecked.violations(in: try Project.files(in: "Sources")))
  }

  @Test(arguments: [
    ("Sources/Signals/PublishSubject.swift", "// A reason.\nfinal class A: @unchecked Sendable {}"),
    ("Sources/Other/Internal/Unchecked.swift", "// A reason.\nfinal class A: @unchecked Sendable {}"),
    ("Sources/Signals/Internal/Unchecked.swift", "import Synchronization\n\nfinal class A: @unchecked Sendable {}"),
    ("Sources/Signals/Internal/Slot.swift", "final class A {\n  nonisolated(unsafe) var b = 1\n}"),
    ("Sources/Signals/Internal/Slot.swift", "// One.\nlet a = 1\nnonisolated(unsafe) var b = 1"),
  ])
  func finds(path: String, text: String) {
    expectEqual(Unchecked.violations(in: [SourceFile(path, text)]).count, 1)
  }

  @Test(arguments: [
    ("Sources/Signals/Internal/Unchecked.swift", "// Its lock guards it.\nfinal class A: @unchecked Sendable {}"),
    ("Sources/Signals/Internal/Unchecked.swift", "// Guarded.\n@frozen\nstruct A: @unchecked Sendable {}"),
    ("Sources/Signals/Internal/Slot.swift", "nonisolated(unsafe) var b = 1  // Set before it is shared."),
    ("Sources/Signals/A.swift", "// Both set once.\nnonisolated(unsafe) var b = 1\nnonisolated(unsafe) var c = 1"),
    ("Sources/Signals/Internal/Slot.swift", "// @unchecked Sendable, nonisolated(unsafe)\n\nlet a = \"@unchecked\""),
  ])
  func accepts(path: String, text: String) {
    expectNone(Unchecked.violations(in: [SourceFile(path, text)]))
  }
}
