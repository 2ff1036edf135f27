import TestSupport
import Testing

/// Tests wait without a limit: the methods of HeliographTesting have one of ten seconds, those of TestSupport have none.
///
/// A file that does not import TestSupport calls those with the limit, without a message.
enum Waits {
  private static let terms = ["waitForEnd()", "wait {", "requested("]
  /// Other packages, programs and suites that do not depend on TestSupport.
  private static let exceptions = ["Tests/TestSupport/", "NetworkBenchmarks/", "ProcessProbe/", "StressTests/"]

  static func violations(in files: [SourceFile]) -> [Violation] {
    files.filter { file in
      !exceptions.contains { file.path.contains($0) }
        && !Imports.modules(importedBy: file).contains { $0.module == "TestSupport" }
    }.flatMap { file in
      terms.flatMap { term in
        file.source.lines(containing: term).map { file.violation(line: $0, "\(term) without import TestSupport") }
      }
    }
  }
}

struct WaitTests {
  @Test func holdsInTheTests() throws {
    expectNone(Waits.violations(in: try Project.files(in: "Tests")))
  }

  @Test(arguments: [
    "await recorder.waitForEnd()", "import HeliographTestSupport\nawait server.wait { $0.acceptedCount == 1 }",
    "await expect(kit.stub.requested(2))",
  ])
  func finds(text: String) {
    expectEqual(Waits.violations(in: [SourceFile("Tests/FlowTests/A.swift", text)]).count, 1)
  }

  @Test(arguments: [
    ("Tests/FlowTests/A.swift", "import TestSupport\nawait recorder.waitForEnd()"),
    ("Tests/FlowTests/A.swift", "// recorder.waitForEnd()\nawait { 1 }()"),
    ("Tests/ProcessProbe/A.swift", "await recorder.waitForEnd()"),
  ])
  func accepts(path: String, text: String) {
    expectNone(Waits.violations(in: [SourceFile(path, text)]))
  }
}
