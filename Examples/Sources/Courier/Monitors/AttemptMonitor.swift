import Heliograph
import Synchronization

/// Notes each attempt after the first, and the reason: retries, continued downloads, reconnections.
final class AttemptMonitor: Monitor {
  private struct State {
    var hasSent = false
    var reason: String?
  }

  private let console: Console
  private let verb: String
  private let state = Mutex(State())

  /// Creates the monitor.
  ///
  /// - Parameters:
  ///   - console: the place for the notes.
  ///   - verb: what is done again. Default: trying.
  init(console: Console, verb: String = "trying") {
    (self.console, self.verb) = (console, verb)
  }

  func observe(_ event: MonitorEvent) {
    switch event {
    case .sent(let request):
      let (isAgain, reason) = state.withLock { state in
        defer { state = State(hasSent: true) }
        return (state.hasSent, state.reason)
      }
      if isAgain { console.note(text(request, reason)) }
    case .attemptEnded(let report):
      guard let error = report.error else { break }
      let reason = Failure(error).summary
      state.withLock { $0.reason = reason }
    default: break
    }
  }

  private func text(_ request: HTTPRequest, _ reason: String?) -> String {
    var text = "courier: \(reason ?? "the response has ended"): \(verb) again"
    if let id = request.headers["Last-Event-ID"] { text += ", after event \(id)" }
    if let range = request.headers["Range"], range.hasPrefix("bytes="), let start = Int(range.dropFirst(6).dropLast()) {
      text += ", from \(TransferText.bytes(start)) on"
    }
    return text
  }
}
