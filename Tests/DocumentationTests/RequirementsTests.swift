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

  /// The sources are read without `OtherNames`, whose names the compiler refuses; a row may say that a name of its
  /// requirement does not exist.
  @Test func everyNamedTypeExists() throws {
    let folder = Project.root.path + "/Sources"
    let paths = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    var words: Set<String> = []
    for path in paths where path.hasSuffix(".swift") && !path.contains("/OtherNames/") {
      let text = try Project.text(of: "Sources/\(path)")
      words.formUnion(text.utf8.split { !Self.isWordByte($0) }.map { String(Substring($0)) })
    }
    var count = 0
    for line in try Project.text(of: "Docs/Requirements.md").split(separator: "\n") {
      let columns = line.components(separatedBy: " | ")
      guard columns.count > 4 else { continue }
      let names = columns[4...].joined().matches(of: /`([^`]+)`/).flatMap { $0.1.matches(of: /\b[A-Z]\w+/) }
      for name in names.map({ String($0.0) })
      where !name.hasSuffix("Tests") && !name.hasSuffix("Samples") && !columns[1...2].joined().contains(name) {
        expect(words.contains(name), "\(columns[0]): \(name)")
        count += 1
      }
    }
    expect(count > 50)
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
    default: false
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
    let introduction = lines.joined(separator: " ")
    for remark in ["Differs", "Not shown"] {
      let count = rows.count { $0.contains("**\(remark)**") }
      expect(introduction.contains("**\(remark)** (\(count) row\(count == 1 ? "" : "s"))"), "\(remark): \(count)")
    }
  }
}
