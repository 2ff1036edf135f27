#if os(Linux)
import TestSupport
import Testing

/// Code of an app in the language mode Swift 5, which is that of a new project in Xcode.
struct LanguageModeTests {
  /// Without an overload for it, the closure would be that of the last parameter, `onUpdate`, with a warning.
  @Test(
    arguments: [
      "call.start { _ in }", "call.start(for: owner) { _, _ in }", "batch.start { _ in }",
      "batch.start(for: owner) { _, _ in }", "chain.start { _ in }", "chain.start(for: owner) { _, _ in }",
      "call.start { _ in } onFailure: { _ in }", "call.start(for: owner) { _, _ in } onUpdate: { _, _ in }",
      "call.start()", "call.start(for: owner)", "call.start(onSuccess: nil)",
    ])
  func aSingleClosureOfACallIsForItsSuccess(_ statement: String) async throws {
    let diagnostics = try await TypeChecker.diagnostics(
      in: """
        import Heliograph
        func use(_ call: Call<Int>, _ batch: Batch<Int>, _ chain: Chain, _ owner: Lane) { \(statement) }
        """, "-parse-as-library", "-swift-version", "5")
    expectEqual(diagnostics, [])
  }
}
#endif
