import TestSupport
import Testing

struct OldestCompilerTests {
  @Test func newerSyntaxIsNotUsed() throws {
    let manifests = try ["Package.swift", "Examples/Package.swift"].map { SourceFile($0, try Project.text(of: $0)) }
    // The names that `.ci/apple-check` forbids are declared there.
    let files = try Project.files(in: "Sources", "Tests", "Examples/Sources")
      .filter { !$0.path.hasPrefix("Tests/AppleShadows/") }
    expectNone(NewerSyntax.violations(in: files + manifests))
  }

  @Test(arguments: [
    "weak let a = b", "await #expect(processExitsWith: .success) {}", "isolated deinit { stop() }",
    "nonisolated(nonsending) func a() async {}", "@concurrent func a() async {}", ".defaultIsolation(MainActor.self)",
    "let a: InlineArray<3, Int>", "func a(_ b: Span<UInt8>)", "let a: RawSpan", "struct A: ~Escapable {}",
    "let a = Observations { b.c }", "Task.immediate { a() }", "Task(name: \"a\") {}",
    "let a = Duration(attoseconds: 1)",
    "@abi(func a())", "@c func a() {}", "Attachment.record(a)", "try Test.cancel()",
    "Issue.record(a, severity: .warning)",
    "func `a test with spaces`() {}", "let a: [3 of Int]", "struct A: @MainActor Equatable {",
    "struct A<let count: Int> {",
    "let a = unsafe b.pointer", "let a = Foundation::Data()", "let a = b.enumerated().count", "clock.systemEpoch",
    "let a = retryInterval.attoseconds",
    "#if compiler(>=6.3)\n#else\nweak let a = b\n#endif",
  ])
  func finds(text: String) {
    expectEqual(NewerSyntax.violations(in: [SourceFile("Tests/A.swift", text)]).count, 1)
  }

  @Test(arguments: [
    NewerSyntax.exitTestCondition + "\n  await #expect(processExitsWith: .success) {}\n#endif",
    "#if compiler(>=6.2)\n  weak let a = b\n#endif", "// weak let", "let a = \"weak let\"", "weak var a: B?",
    "`default`: a()",
    "@convention(c) func a() {}", "@MainActor struct A: Equatable {", "for (index, b) in c.enumerated() {}",
    "deinit { stop() }", "let unsafe = 1", "func a(let: Int)", "let (seconds, attoseconds) = duration.components",
  ])
  func accepts(text: String) {
    expectNone(NewerSyntax.violations(in: [SourceFile("Tests/A.swift", text)]))
  }
}
