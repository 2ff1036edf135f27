import Testing

/// Tests never sleep: time is virtual or waited for by event.
///
/// One that must says why: `// sleeps: <reason>`.
enum Sleeps {
  static let terms = ["Task.sleep", "Thread.sleep", "usleep", "nanosleep"]
  static let marker = "sleeps:"

  static func violations(in files: [SourceFile]) -> [Violation] {
    files.flatMap { file in
      terms.flatMap { term in
        file.source.lines(containing: term)
          .filter { !file.source.hasReason(marked: marker, besideLine: $0) }
          .map { file.violation(line: $0, "\(term) without a reason (// sleeps: …)") }
      }
    }
  }
}

@Suite struct SleepTests {
  @Test func holdsInTheTests() throws {
    expectNone(Sleeps.violations(in: try Project.files(in: "Tests")))
  }

  @Test(arguments: [
    "try await Task.sleep(for: .seconds(1))", "Thread.sleep(forTimeInterval: 1)", "usleep(1)", "// why\nusleep(1)",
    "usleep(1)  // sleeps:",
  ])
  func finds(text: String) {
    #expect(Sleeps.violations(in: [SourceFile("Tests/A.swift", text)]).count == 1)
  }

  @Test(arguments: [
    "usleep(1)  // sleeps: the kernel gives no event for this", "// sleeps: no event\ntry await Task.sleep(for: .zero)",
    "// usleep(1)", "let a = \"Task.sleep\"",
  ])
  func accepts(text: String) {
    expectNone(Sleeps.violations(in: [SourceFile("Tests/A.swift", text)]))
  }
}
