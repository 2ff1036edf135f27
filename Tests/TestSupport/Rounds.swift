import Testing

/// Repeats a round until it returns `true`, and records an issue if none of fifty does.
///
/// For what takes a real time: the machine may be busy, but not each time. What must hold in each round, the round
/// itself expects.
package func expectInARound(
  isolation: isolated (any Actor)? = #isolation, filePath: String = #filePath, line: Int = #line,
  _ round: () async throws -> Bool
) async rethrows {
  for _ in 0..<50 where try await round() { return }
  expect(false, "in none of fifty rounds", filePath: filePath, line: line)
}
