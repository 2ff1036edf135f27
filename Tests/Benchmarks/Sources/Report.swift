import Foundation

/// The measurements, as a table for people or as JSON for programs.
struct Report {
  let measurements: [Measurement]

  var isMissed: Bool { measurements.contains { $0.isMissed } }
  var isFailure: Bool { measurements.contains { $0.isFailure } }

  /// `nil` if no line was compared with it.
  private var floor: Double? {
    let floors = measurements.filter { $0.benchmark.baseline == nil }.flatMap { $0.floors }
    return floors.isEmpty ? nil : floors.median
  }

  // MARK: Table

  private static let widths = [63, 10, 10, 9, 7, 7, 8, 7, 9]

  var table: String {
    let header = ["work", "ns median", "ns min", "x floor", "target", "", "allocs", "target", "growth"]
    let rule = Report.widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
    let floor = floor.map { String(format: "floor: nine closure calls take %.2f ns (median of the run)", $0) }
    return ([floor ?? "", "", Report.line(header), rule] + measurements.map { Report.line($0) }).joined(separator: "\n")
  }

  private static func line(_ measurement: Measurement) -> String {
    let benchmark = measurement.benchmark
    return line([
      benchmark.name, number(measurement.times.median), number(measurement.times.min() ?? .nan),
      number(measurement.multiple), benchmark.target.map { number($0, digits: 1) } ?? "-", verdict(measurement),
      measurement.allocations.map { number($0) } ?? "?",
      benchmark.allocationTarget.map { number($0, digits: 0) } ?? "-",
      benchmark.watch.map { $0.growth.map { "\($0 / 1_000) kB" } ?? "?" } ?? "",
    ])
  }

  private static func verdict(_ measurement: Measurement) -> String {
    if measurement.isFailure { return "FAILED" }
    if measurement.isMissed { return "missed" }
    return measurement.benchmark.target == nil ? "" : "ok"
  }

  private static func line(_ cells: [String]) -> String {
    zip(cells, widths).enumerated().map { index, cell in
      let padding = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
      return index == 0 ? cell.0 + padding : padding + cell.0
    }.joined(separator: "  ")
  }

  private static func number(_ value: Double, digits: Int = 2) -> String {
    String(format: "%.\(value < 1_000 ? digits : 0)f", value)
  }

  // MARK: JSON

  private struct Line: Encodable {
    let name: String
    let medianNanoseconds: Double
    let minimumNanoseconds: Double
    let floorNanoseconds: Double
    let multiple: Double
    let target: Double?
    let allocations: Double?
    let allocationTarget: Double?
    let memoryGrowthBytes: Int?
    let isMissed: Bool
  }

  private struct Document: Encodable {
    let floorNanoseconds: Double?
    let isMissed: Bool
    let lines: [Line]
  }

  func json() throws -> String {
    let lines = measurements.map { measurement in
      Line(
        name: measurement.benchmark.name, medianNanoseconds: measurement.times.median,
        minimumNanoseconds: measurement.times.min() ?? .nan, floorNanoseconds: measurement.floors.median,
        multiple: measurement.multiple, target: measurement.benchmark.target, allocations: measurement.allocations,
        allocationTarget: measurement.benchmark.allocationTarget,
        memoryGrowthBytes: measurement.benchmark.watch?.growth, isMissed: measurement.isMissed)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let data = try encoder.encode(Document(floorNanoseconds: floor, isMissed: isMissed, lines: lines))
    return String(decoding: data, as: UTF8.self)
  }
}
