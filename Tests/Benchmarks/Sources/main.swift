import Foundation

func note(_ text: String) {
  FileHandle.standardError.write(Data(text.utf8))
}

guard let options = Options(CommandLine.arguments.dropFirst()) else {
  note(Options.usage + "\n")
  exit(2)
}

let cases =
  (Case.events() + Case.subscriptions() + Case.flattenings() + Case.deliveries(options)
  + Case.recursions(options) + Case.requests() + Case.decoding() + Case.clients() + Case.caches(options)
  + Case.cacheHits())
  .filter { options.filter.isEmpty || $0.name.lowercased().contains(options.filter) }
guard !cases.isEmpty else {
  note("No line's name contains '\(options.filter)'.\n")
  exit(2)
}

let harness = Harness(options)
var measurements: [Measurement] = []
for (index, benchmark) in cases.enumerated() {
  note("[\(index + 1)/\(cases.count)] \(benchmark.name)\n")
  measurements.append(harness.measure(benchmark))
}

let report = Report(measurements: measurements)
print(options.printsJSON ? try report.json() : report.table)
if options.checks && report.isFailure { exit(1) }
