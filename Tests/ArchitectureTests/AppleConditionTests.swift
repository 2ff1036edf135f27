import TestSupport
import Testing

/// Conditions of Apple's systems whose wrong branch compiles everywhere and fails only on a device.
enum AppleConditions {
  static func violations(in files: [SourceFile]) -> [Violation] {
    files.flatMap { file in
      file.source.code.enumerated().compactMap { index, line in
        message(for: line).map { file.violation(line: index, $0) }
      }
    }
  }

  private static func message(for line: String) -> String? {
    let text = line.trimmingPrefix { $0 == " " }
    guard text.hasPrefix("#if ") || text.hasPrefix("#elseif ") else { return nil }
    // Apple's TN3135.
    if text.contains("canImport(Network)"), !text.contains("!os(watchOS)") {
      return "on a watch a path of Network stays unsatisfied for ordinary apps: add `!os(watchOS)`"
    }
    return nil
  }
}

struct AppleConditionTests {
  @Test func holdInTheSources() throws {
    expectNone(AppleConditions.violations(in: try Project.files(in: "Sources")))
  }

  @Test func theSystemsStatusIsUnknownInSimulators() throws {
    let text = try Project.text(of: "Sources/Heliograph/Reliability/Reachability/SystemReachability.swift")
    expect(text.contains("#if canImport(Network) && !os(watchOS) && !targetEnvironment(simulator)\npackage typealias"))
  }

  @Test func finds() {
    let text = "#if canImport(Network)\n#elseif canImport(Network) || os(iOS)\n#endif"
    let file = SourceFile("Sources/Heliograph/A.swift", text)
    expectEqual(AppleConditions.violations(in: [file]).count, 2)
  }

  @Test func accepts() {
    let text = "// #if canImport(Network)\n#if canImport(Network) && !os(watchOS)\n#if canImport(os)\n#endif\n#endif"
    expectNone(AppleConditions.violations(in: [SourceFile("Sources/Heliograph/A.swift", text)]))
  }
}
