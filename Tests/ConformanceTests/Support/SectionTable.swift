/// The number of cases per section of an RFC and requirement, in Markdown.
struct SectionTable {
  private let cases: [Case]

  init(_ cases: [Case]) {
    self.cases = cases
  }

  var text: String {
    let sections = Dictionary(grouping: cases, by: \.section)
    let rows = sections.keys.sorted { Self.order($0).lexicographicallyPrecedes(Self.order($1)) }
      .map { Self.row($0, sections[$0] ?? []) }
    let head = ["| section | must | should | may | declined |", "|---|---|---|---|---|"]
    return (head + rows + [Self.row("all \(cases.count)", cases)]).joined(separator: "\n")
  }

  private static func row(_ title: String, _ cases: [Case]) -> String {
    let counts = Requirement.allCases.map { requirement in cases.count { $0.requirement == requirement } }
    let declined = cases.count { $0.decision != nil }
    return "| \(title) | " + (counts + [declined]).map { $0 == 0 ? "" : "\($0)" }.joined(separator: " | ") + " |"
  }

  /// The numbers in the title of a section, such as 9111, 5, 2, 1.
  private static func order(_ section: String) -> [Int] {
    section.split { !$0.isNumber }.compactMap { Int($0) }
  }
}
