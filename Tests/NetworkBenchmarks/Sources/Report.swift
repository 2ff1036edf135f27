import Foundation

/// The medians as tables, and what they say about the targets.
struct Report {
  let groups: [Group]
  let results: Results
  let failed: Set<String>

  /// Whether one of the targets that were measured is missed.
  var isMissed: Bool {
    Target.all.contains { target in target.value(results).map { !target.isMet($0) } ?? false }
  }

  var text: String {
    (groups.map { table($0) } + [targets]).joined(separator: "\n\n")
  }

  private func table(_ group: Group) -> String {
    var header = [group.title] + group.figures.map(\.title)
    if group.rate != nil { header.append("x URLSession") }
    if group.cost != nil { header.append("CPU x C") }
    let rows = group.variants.compactMap { variant -> [String]? in
      if failed.contains(variant.id) { return [variant.title, "FAILED"] }
      guard let sample = results[variant.id] else { return nil }
      var row = [variant.title] + group.figures.map { figure in sample[figure].map { self.cell($0, figure) } ?? "?" }
      if let rate = group.rate { row.append(ratio(sample, rate, of: variant.rival)) }
      if let cost = group.cost { row.append(ratio(sample, cost, of: variant.floor)) }
      return row
    }
    return Report.aligned([header] + rows)
  }

  private func cell(_ value: Double, _ figure: Figure) -> String { NetworkBenchmarks.text(value, figure) }

  private func ratio(_ sample: Sample, _ figure: Figure, of id: String?) -> String {
    guard let value = sample[figure], let other = id.flatMap({ results[$0]?[figure] }) else { return "" }
    return String(format: "%.2f", value / other)
  }

  private var targets: String {
    let rows = Target.all.map { target -> [String] in
      guard let value = target.value(results) else { return [target.text, "-", target.boundText, "not measured"] }
      return [
        target.text, String(format: "%.2f", value), target.boundText, target.isMet(value) ? "PASS" : "FAIL",
      ]
    }
    return Report.aligned([["target", "measured", "bound", ""]] + rows)
  }

  /// Columns as wide as their widest cell, numbers to the right.
  private static func aligned(_ rows: [[String]]) -> String {
    let columnCount = rows.map(\.count).max() ?? 0
    let widths = (0..<columnCount).map { column in rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0 }
    let lines = rows.map { row in
      row.enumerated().map { column, cell in
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        return column == 0 ? cell + padding : padding + cell
      }.joined(separator: "  ")
    }
    let rule = widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
    return ([lines[0], rule] + lines.dropFirst()).joined(separator: "\n")
  }
}
