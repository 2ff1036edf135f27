import Foundation
import Heliograph
import TestSupport
import Testing

/// The table of errors says what the code does, and leaves out nothing that has a name.
enum ErrorRules {
  /// What every table has besides the codes that have names.
  static let usualStatuses = [
    300, 301, 302, 303, 307, 308, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416,
    417, 422, 423, 425, 428, 429, 431, 451, 500, 501, 502, 503, 504, 505, 507, 511,
  ]

  static func problems(in table: ErrorTable, named: [NamedCode]) -> [String] {
    table.problems + table.rows.flatMap { problems(in: $0, at: table.place($0), named) } + gaps(in: table, named)
  }

  private static func problems(in row: ErrorTable.Row, at place: String, _ named: [NamedCode]) -> [String] {
    guard let domain = NetworkError.Domain(rawValue: row.domain) else { return ["\(place): no domain \(row.domain)"] }
    guard let party = Attribution.Party(rawValue: row.party) else { return ["\(place): no party \(row.party)"] }
    return row.codes.flatMap { code -> [String] in
      var problems: [String] = []
      let known = named.first { $0.number == code.number && $0.domain == row.domain }
      if known?.name != code.name {
        problems.append("\(place): \(row.domain) \(code.number) is called \(known?.name ?? "nothing")")
      }
      let parties = parties(of: domain, code.number)
      if !parties.contains(party) {
        let right = parties.map(\.rawValue).sorted().joined(separator: ", ")
        problems.append("\(place): \(code.number) is the fault of \(right), not \(party.rawValue)")
      }
      var error = NetworkError(NetworkError.Code(domain, code.number))
      error.attribution = Attribution(party)
      for (language, text) in [(UserLanguage.english, row.english), (.simplifiedChinese, row.chinese)] {
        let words = error.message(in: language)
        if words != text { problems.append("\(place): for \(code.number) a person reads: \(words)") }
      }
      return problems
    }
  }

  private static func gaps(in table: ErrorTable, _ named: [NamedCode]) -> [String] {
    var counts: [String: Int] = [:]
    for row in table.rows {
      for code in row.codes { counts["\(row.domain) \(code.number) \(row.party)", default: 0] += 1 }
    }
    let wanted =
      named.map { ($0.domain, $0.number) } + usualStatuses.map { ("server", $0) }
    let keys = wanted.flatMap { name, number -> [String] in
      guard let domain = NetworkError.Domain(rawValue: name) else { return [] }
      return parties(of: domain, number).map { "\(name) \(number) \($0.rawValue)" }
    }
    let missing = Set(keys).subtracting(counts.keys).sorted().map { "\(table.path): no row for \($0)" }
    return missing + counts.filter { $0.value > 1 }.keys.sorted().map { "\(table.path): two rows for \($0)" }
  }

  /// Whose fault an error can be: for `network` by whatever may be observed.
  static func parties(of domain: NetworkError.Domain, _ number: Int) -> Set<Attribution.Party> {
    let code = NetworkError.Code(domain, number)
    guard domain == .network else { return [Attribution(code, Evidence()).party] }
    let phases: [Evidence.Phase?] = [
      nil, .waiting, .resolving, .connecting, .tlsHandshake, .sending, .awaitingResponse, .receiving,
    ]
    var parties: Set<Attribution.Party> = []
    for status in [ReachabilityStatus.unknown, .unreachable, .reachable] {
      for hosts in [Evidence.OtherHosts.unknown, .answered, .failed] {
        for phase in phases {
          let evidence = Evidence(reachabilityAfter: status, phase: phase, otherHosts: hosts)
          parties.insert(Attribution(code, evidence).party)
        }
      }
    }
    return parties
  }
}

struct ErrorTableTests {
  @Test func theTableOfDelaysIsRight() throws {
    let lines = try Project.text(of: "Sources/Heliograph/Heliograph.docc/RetriesAndTimeouts.md").split(separator: "\n")
    let row = try require(lines.first { $0.hasPrefix("| maximum delay, s |") })
    let delays = row.split(separator: "|").dropFirst().compactMap { Double($0.trimmingSpaces) }
    expectEqual(delays.count, 8)
    for (index, delay) in delays.enumerated() {
      expectEqual(Retry().backoff.longestDelay(before: index + 1), .seconds(delay))
    }
  }

  private static let table = "Sources/Heliograph/Heliograph.docc/ErrorCodes.md"
  private static let sources = [
    "Sources/Heliograph/Failure/NetworkError+Code.swift", "Sources/HeliographTesting/StubRoute.swift",
  ]

  private static func named() throws -> [NamedCode] {
    try sources.flatMap { NamedCode.all(in: try Project.text(of: $0)) }
  }

  private func problems(_ change: (String) -> String = { $0 }) throws -> [String] {
    let text = try Project.text(of: Self.table)
    let changed = change(text)
    return ErrorRules.problems(in: ErrorTable(path: "E.md", text: changed), named: try Self.named())
  }

  @Test func theTableSaysWhatTheCodeDoes() throws {
    expectNone(try problems())
  }

  @Test("P6") func theTableOfEvidenceIsTheCodes() throws {
    func rows(_ path: String) throws -> [String] {
      try Project.text(of: path).split(separator: "\n").map { $0.trimmingSpaces.replacing("/// |", with: "|") }
        .drop { $0 != "| observation | party |" }.prefix { $0.hasPrefix("|") }.map { String($0) }
    }
    let rules = try rows("Sources/Heliograph/Failure/Attribution.swift")
    expectEqual(rules.count, 11)
    try expectEqual(rows(Self.table), rules)
  }

  @Test func everyNamedCodeIsFoundInTheSources() throws {
    let named = try Self.named()
    expectEqual(named.count, 54)
    expectEqual(named.first { $0.name == "invalidResponse" }?.domain, "network")
    expectEqual(named.first { $0.name == "rejected" }?.domain, "api")
    let folder = Project.root.appendingPathComponent("Sources")
    let files = try require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
    for file in files where file.hasSuffix(".swift") && !Self.sources.contains("Sources/\(file)") {
      expect(NamedCode.all(in: try Project.text(of: "Sources/\(file)")).isEmpty, "\(file) declares codes too")
    }
  }

  @Test func findsARowThatIsGone() throws {
    let found = try problems { text in
      text.split(separator: "\n", omittingEmptySubsequences: false)
        .filter { !$0.hasPrefix("| client | `invalidBody` 603") }.joined(separator: "\n")
    }
    expectEqual(found, ["E.md: no row for client 603 client"])
  }

  @Test(arguments: [
    ("`invalidBody` 603", "`badBodies` 603", "client 603 is called invalidBody"),
    (
      "| client | `unreachable` 668 | client |", "| client | `unreachable` 668 | path |",
      "668 is the fault of client, not path"
    ),
    ("This is too large to send.", "This is large.", "for 413 a person reads: This is too large to send."),
    ("内容过大，无法发送。", "内容大。", "for 413 a person reads: 内容过大，无法发送。"),
    ("| client | `invalidBody`", "| clients | `invalidBody`", "no domain clients"),
    ("| server | 413 | client |", "| server | 413 | nobody |", "no party nobody"),
    ("| server | 413 | client |", "| server | 413 |", "the row cannot be read"),
    ("| server | 402 |", "| server | 402, 403 |", "two rows for server 403 client"),
    ("| domain | code | party |", "| domain | party |", "the table of errors is not there"),
  ])
  func findsWhatIsWrong(_ right: String, _ wrong: String, _ problem: String) throws {
    let found = try problems { $0.replacing(right, with: wrong) }
    expect(found.contains { $0.hasSuffix(problem) }, "\(found)")
  }
}
