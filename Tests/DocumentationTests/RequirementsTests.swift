import Foundation
import TestSupport
import Testing

/// The rows of Docs/Requirements.md list the suites with tests whose titles name their ids, and are counted right.
///
/// `HELIOGRAPH_GOLDEN=write` writes the lists anew.
struct RequirementsTests {
  /// The names of all tests and suites, and the suites of each requirement.
  private static func tests() throws -> (all: Set<String>, byRequirement: [String: Set<String>]) {
    let paths = FileManager.default.enumerator(atPath: Project.root.path + "/Tests")?.compactMap { $0 as? String }
    var (all, found): (Set<String>, [String: Set<String>]) = ([], [:])
    for path in paths ?? [] where path.hasSuffix(".swift") && !path.hasPrefix("Apple") {
      var suite = ""
      let pattern =
        /(?:struct|class|extension|enum) (\w+(?:Tests|Samples))\b|@Test\b(?:\(\s*"([^"]*)")?(?s:.*?)\sfunc (\w+)\(/
      for match in try Project.text(of: "Tests/\(path)").matches(of: pattern) {
        if let name = match.1 { suite = String(name) }
        guard let name = match.3 else { continue }
        all.formUnion([suite, "\(suite).\(name)"])
        for id in (match.2 ?? "").matches(of: /\b(?:S\d-\d+|[TP]\d+)\b/) {
          found[String(id.0), default: []].insert(suite)
        }
      }
    }
    return (all, found)
  }

  /// The row with the suites of its requirement; `nil` for any other line.
  private static func row(_ line: Substring, _ suites: [String: Set<String>]) -> String? {
    let pattern = /(\| (S\d-\d+|[TP]\d+) \|.*\| \w+ \|) (?:`\w+(?:Tests|Samples)`(?:, |\. ?| ?))*(.*)\|/
    guard let match = line.wholeMatch(of: pattern) else { return nil }
    let names = (suites[String(match.2)] ?? []).sorted().map { "`\($0)`" }.joined(separator: ", ")
    return [String(match.1), names.isEmpty ? "" : names + ".", match.3.trimmingSpaces, "|"].filter { !$0.isEmpty }
      .joined(separator: " ")
  }

  @Test func theRowsListTheSuitesWhoseTestsNameThem() throws {
    let tests = try Self.tests()
    let lines = try Project.text(of: "Docs/Requirements.md").split(separator: "\n", omittingEmptySubsequences: false)
    let written = lines.map { Self.row($0, tests.byRequirement) ?? String($0) }
    if ProcessInfo.processInfo.environment["HELIOGRAPH_GOLDEN"] == "write" {
      let file = Project.root.appendingPathComponent("Docs/Requirements.md")
      try written.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
    }
    for (line, expected) in zip(lines, written) { expectEqual(String(line), expected) }
    let rows = Set(lines.compactMap { $0.prefixMatch(of: /\| (S\d-\d+|[TP]\d+) \|/).map { String($0.1) } })
    expectEqual(Set(tests.byRequirement.keys).subtracting(rows), [])
  }

  @Test func everyCitedTestExists() throws {
    let all = try Self.tests().all
    let cited = try Project.text(of: "Docs/Requirements.md").matches(of: /`(\w+(?:Tests|Samples)(?:\.\w+)?)`/)
    expect(cited.count > 300)
    for test in cited { expect(all.contains(String(test.1)), "\(test.1)") }
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
    let introduction = lines.joined(separator: " ")
    for remark in ["Differs", "Not shown"] {
      let count = rows.count { $0.contains("**\(remark)**") }
      expect(introduction.contains("**\(remark)** (\(count) rows)"), "\(remark): \(count)")
    }
  }
}
