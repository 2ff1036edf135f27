import Foundation
import Heliograph

/// The monitor of `--verbose`: every attempt as a curl command, every response, and the phases of each exchange.
///
/// Secrets are redacted: descriptions of requests, header fields and errors have none.
struct TraceMonitor: Monitor {
  let console: Console

  func observe(_ event: MonitorEvent) {
    switch event {
    case .sent(let request):
      if request.attempt > 1 { console.note("* attempt \(request.attempt)") }
      console.note("> \(request.curlCommand)")
    case .responded(let request, let response):
      if response.url != request.url { console.note("* redirected to \(response.url.absoluteString.withoutSecrets)") }
      console.note("< status \(response.statusCode)")
      for field in response.headers { console.note("< \(field)") }
    case .attemptEnded(let report): write(report)
    case .notice(let text): console.note("* \(text)")
    default: break
    }
  }

  private func write(_ report: RequestReport) {
    let name = report.attempt > 1 ? "attempt \(report.attempt)" : "request"
    switch report.outcome {
    case .success: break
    case .failure(let error): console.note("* \(name) failed: \(error.reason.isEmpty ? "\(error)" : error.reason)")
    case .cancelled: console.note("* \(name) cancelled")
    }
    guard let metrics = report.metrics else { return }
    let phases: [(String, Duration?)] = [
      ("resolved", metrics.resolvedAt), ("connected", metrics.connectedAt), ("secured", metrics.securedAt),
      ("sent", metrics.sentAt), ("first byte", metrics.firstByteAt), ("ended", metrics.endedAt),
    ]
    let times = phases.compactMap { name, instant in instant.map { "\(name) \($0.milliseconds)" } }
    console.note("* \(times.joined(separator: ", "))")
    var facts = ["sent \(TransferText.bytes(metrics.sentByteCount))"]
    facts.append("received \(TransferText.bytes(metrics.receivedByteCount))")
    if let version = metrics.protocolVersion { facts.append(version) }
    if metrics.isConnectionReused == true { facts.append("connection reused") }
    if metrics.redirectCount > 0 { facts.append("redirects \(metrics.redirectCount)") }
    console.note("* \(facts.joined(separator: ", "))")
  }
}

extension Duration {
  fileprivate var milliseconds: String { "\((self / .milliseconds(1) * 10).rounded() / 10) ms" }
}

extension String {
  /// The URL without its query and fragment, which may be secret.
  fileprivate var withoutSecrets: String { String(prefix { $0 != "?" && $0 != "#" }) }
}
