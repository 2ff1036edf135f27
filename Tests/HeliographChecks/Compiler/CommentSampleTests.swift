#if os(Linux)
import TestSupport
import Testing

/// The samples in doc comments compile, those of Apple's platforms excepted.
struct CommentSampleTests {
  @Test func everySampleOfADocCommentCompiles() async throws {
    let samples = try CommentSample.all()
    expect(samples.count > 80)
    let code = CommentSample.prelude + samples.enumerated().map { $1.code(number: $0) }.joined()
    for error in try await TypeChecker.diagnostics(in: code, "-parse-as-library") { Issue.record("\(error)") }
  }

  @Test func aMistakeIsReportedAtItsLine() async throws {
    let sample = CommentSample(path: "Sources/A.swift", line: 7, lines: ["let name: Int = \"Ada\""])
    let code = CommentSample.prelude + sample.code(number: 0)
    let errors = try await TypeChecker.diagnostics(in: code, "-parse-as-library")
    expectEqual(errors.count, 1)
    expect(errors.first?.contains("Sources/A.swift:7:") == true, "\(errors)")
  }
}
#endif
