import Foundation
import TestSupport
import Testing

/// Docs/Requirements.md cites tests that exist, and counts its rows right.
struct RequirementsTests {
  @Test func everyCitedTestExists() throws {
    var functions: [Substring: Set<Substring>] = [:]
    let folder = Project.root.appendingPathComponent("Tests").path
    let paths = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    let texts = try paths.filter { $0.hasSuffix(".swift") && !$0.hasPrefix("Apple") }.map {
      try Project.text(of: "Tests/\($0)")
    }
    for text in texts {
      let names = text.matches(of: /@Test\b(?s:.*?)\sfunc (\w+)\(/).map(\.output.1)
      for suite in text.matches(of: /(?:struct|class) (\w+(?:Tests|Samples))[\s:]/) {
        functions[suite.output.1, default: []].formUnion(names)
      }
    }
    let cited = try Project.text(of: "Docs/Requirements.md").matches(of: /`(\w+(?:Tests|Samples))\.(\w+)`/)
    expect(cited.count > 300)
    for test in cited {
      let (suite, name) = (test.output.1, test.output.2)
      expectEqual(functions[suite]?.contains(name), true, "\(suite).\(name)")
    }
  }

  @Test func theCountsAreRight() throws {
    let lines = try Project.text(of: "Docs/Requirements.md").split(separator: "\n")
    let rows = lines.filter { $0.prefixMatch(of: /\| (S\d-\d+|[TP]\d+) \|/) != nil }
    expectEqual(rows.count, 162)
    let statuses = rows.map { $0.split(separator: " | ")[3] }
    for status in ["done", "part", "open"] {
      let count = statuses.count { $0 == status }
      expect(lines.contains { $0.hasPrefix("| \(status) | \(count) |") }, "\(status): \(count)")
    }
  }
}
