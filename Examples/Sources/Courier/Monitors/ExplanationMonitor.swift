import Heliograph

/// The monitor of `--explain`: the decisions of each request at its end, without secrets.
struct ExplanationMonitor: Monitor {
  let console: Console

  func observe(_ event: MonitorEvent) {
    if case .ended(let report) = event { console.note(report.explanation) }
  }
}
