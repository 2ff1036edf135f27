import TestSupport
import Testing

/// What must not stand in the sources: ways to crash the user's app, ways to block a thread, and a macro of Xcode's.
enum ForbiddenTerms {
  static let terms = [
    "try!", "as!", "fatalError(", "preconditionFailure(", "DispatchSemaphore", "Thread.sleep", "usleep(", "@State",
  ]

  static func violations(in files: [SourceFile]) -> [Violation] {
    files.flatMap { file in
      terms.flatMap { term in
        file.source.lines(containing: term).map { file.violation(line: $0, "\(term) is not allowed here") }
      }
    }
  }
}

struct ForbiddenTermTests {
  @Test func holdsInTheSources() throws {
    expectNone(ForbiddenTerms.violations(in: try Project.files(in: "Sources")))
  }

  @Test(arguments: [
    "let a = try! b()", "let a = b as! C", "default: fatalError()", "preconditionFailure(\"no\")",
    "let gate = DispatchSemaphore(value: 0)", "Thread.sleep(forTimeInterval: 1)", "usleep(1)", "@State var a = 1",
  ])
  func finds(text: String) {
    expectEqual(ForbiddenTerms.violations(in: [SourceFile("Sources/Signals/A.swift", text)]).count, 1)
  }

  @Test(arguments: [
    "let a = try b()", "let a = try? b()", "let a = b as? C", "// try! fatalError(", "let a = \"as! usleep(\"",
    "retry!.start()", "precondition(count > 0)",
  ])
  func accepts(text: String) {
    expectNone(ForbiddenTerms.violations(in: [SourceFile("Sources/Signals/A.swift", text)]))
  }
}
