import Foundation

/// The medians of all that was measured, by the ids of the variants.
typealias Results = [String: Sample]

/// Runs each variant in processes of their own, in turn with the others of its group, and reports the medians.
struct Driver {
  let site: Site
  let options: Options

  /// What the process ends with: 1 if one of our variants failed, or if a target is missed and that counts.
  func run() -> Int32 {
    let groups = Group.all(site).map { group in (group, group.variants.filter { isWanted($0) }) }
      .filter { !$0.1.isEmpty }
    guard !groups.isEmpty else {
      note("No variant's id contains '\(options.only)'.\n")
      return 2
    }
    var (results, failed) = (Results(), Set<String>())
    for (group, variants) in groups {
      let samples = measure(group, variants, failed: &failed)
      for (id, samples) in samples { results[id] = median(samples) }
    }
    let report = Report(groups: groups.map { $0.0 }, results: results, failed: failed)
    print(report.text)
    let hasOwnFailure = groups.contains { $0.1.contains { $0.isOurs && failed.contains($0.id) } }
    return hasOwnFailure || options.checks && report.isMissed ? 1 : 0
  }

  private func isWanted(_ variant: Variant) -> Bool {
    if case .baseline = variant.work, site.baseline == nil { return false }
    if case .curl = variant.work, site.curl == nil { return false }
    if variant.needsSystemTrust, site.trusting == nil { return false }
    return options.only.isEmpty || variant.id.contains(options.only)
  }

  private func measure(_ group: Group, _ variants: [Variant], failed: inout Set<String>) -> [String: [Sample]] {
    let roundCount = options.roundCount ?? (options.isBrief ? 1 : group.roundCount)
    note("\(group.title)\n")
    var samples: [String: [Sample]] = [:]
    for round in 1...roundCount {
      for variant in variants where !failed.contains(variant.id) {
        note("  \(round)/\(roundCount) \(variant.id)")
        let sample = launch(variant)
        removeFreshFiles()
        note(" \(sample.map { summary($0, group) } ?? "FAILED")\n")
        if let sample { samples[variant.id, default: []].append(sample) } else { failed.insert(variant.id) }
      }
    }
    return samples
  }

  private func launch(_ variant: Variant) -> Sample? {
    switch variant.work {
    case .swift:
      launch(["measure", variant.id] + (options.isBrief ? ["--brief"] : []), trusting: variant.needsSystemTrust)
    case .curl(let byteCount, let arguments):
      site.curl.flatMap { curl in
        // The time of the whole transfer, with its connection.
        let options = ["--silent", "--fail", "--write-out", #"{"seconds":%{time_total}}"#]
        let sample = Launch.run(URL(fileURLWithPath: curl), options + arguments(site))
        return sample?[.seconds].map { [.megabytesPerSecond: Double(byteCount) / 1e6 / $0] }
      }
    case .baseline(let arguments):
      site.baseline.flatMap {
        Launch.run(URL(fileURLWithPath: $0), arguments(site, Scale(isBrief: options.isBrief)))
      }
    }
  }

  private func launch(_ arguments: [String], trusting: Bool) -> Sample? {
    guard trusting, let program = site.trusting else { return Launch.run(ownProgram, arguments) }
    return Launch.run(URL(fileURLWithPath: program), [ownProgram.path] + arguments)
  }

  private func summary(_ sample: Sample, _ group: Group) -> String {
    group.figures.prefix(2).compactMap { figure in sample[figure].map { "\(text($0, figure)) \(figure.title)" } }
      .joined(separator: ", ")
  }

  private func removeFreshFiles() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: site.folder.path)) ?? []
    for name in names where name.hasPrefix("fresh-") {
      try? FileManager.default.removeItem(at: site.folder.appendingPathComponent(name))
    }
  }

  private func median(_ samples: [Sample]) -> Sample {
    Figure.allCases.reduce(into: [:]) { result, figure in
      let values = samples.compactMap { $0[figure] }
      if !values.isEmpty { result[figure] = values.median }
    }
  }
}

/// A value as it stands in tables, with separators between the thousands.
func text(_ value: Double, _ figure: Figure) -> String {
  let digits = String(format: "%.\(figure.digitCount)f", value)
  let whole = digits.prefix { $0 != "." }
  let (sign, number) = whole.hasPrefix("-") ? ("-", whole.dropFirst()) : ("", whole)
  var grouped = ""
  for (index, digit) in number.enumerated() {
    if index > 0, (number.count - index).isMultiple(of: 3) { grouped += "," }
    grouped.append(digit)
  }
  return sign + grouped + digits.dropFirst(whole.count)
}
