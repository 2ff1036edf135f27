extension RunHistory {
  /// The steps, one per line, with the times since the start of the request.
  var text: String {
    var lines = steps.indices.map { line(steps[$0].at.inMilliseconds, steps[$0].entry.text + duration(of: $0)) }
    if let index = steps.lastIndex(where: \.entry.isFailure), let retryLimit, retryLimit <= 0,
      !steps[index...].contains(where: \.entry.isAttempt)
    {
      lines.insert(line("", RetryVerdict.limitReached(0).description), at: index + 1)
    }
    if droppedCount > 0 { lines.insert(line("", "… \(droppedCount) steps left out"), at: RunHistory.limit / 2) }
    return lines.isEmpty ? "Decisions: the request was not built" : "Decisions\n" + lines.joined(separator: "\n")
  }

  /// Returns the duration of reading, until the next step; empty for other steps and while that is unknown.
  private func duration(of index: Int) -> String {
    let isBeforeGap = droppedCount > 0 && index + 1 == RunHistory.limit / 2
    guard case .reading = steps[index].entry, index + 1 < steps.count, !isBeforeGap else { return "" }
    return " took \((steps[index + 1].at - steps[index].at).inMilliseconds)"
  }

  private func line(_ time: String, _ text: String) -> String {
    String(repeating: " ", count: max(0, 13 - time.count)) + time + "  " + text.shortened(to: 400)
  }
}

extension RunHistory.Entry {
  /// The step in plain English on one line, without secrets.
  fileprivate var text: String {
    switch self {
    case .attempt(let number, let policy):
      "attempt \(number)" + (policy.isActive ? ", cache policy \(policy)" : "")
    case .cache(let event): "\(event)"
    case .sent(let method, let url): "sent \(method.rawValue.singleLine) \(url.redacted)"
    case .cookies(let count): "stored cookies added: \(count)"
    case .redirect(let redirect): redirect.text
    case .responded(let statusCode): "status \(statusCode)"
    case .shared(let statusCode): "status \(statusCode), from the exchange of an identical request"
    case .reading(let count): "reading \(count) bytes"
    case .delivered: "value delivered"
    case .ended(.succeeded, let wasSent, let duration): "attempt succeeded" + Self.end(wasSent, duration)
    case .ended(.cancelled, let wasSent, let duration): "attempt cancelled" + Self.end(wasSent, duration)
    case .ended(.failed(let cause), let wasSent, let duration):
      "attempt failed" + Self.end(wasSent, duration) + ": \(cause)"
    case .retry(let verdict): "\(verdict)"
    case .refresh(let cause): "token refresh, because of \(cause)"
    case .waiting: "waiting for a network"
    }
  }

  private static func end(_ wasSent: Bool, _ duration: Duration) -> String {
    " after \(duration.inMilliseconds)" + (wasSent ? "" : ", nothing was sent")
  }

  fileprivate var isAttempt: Bool { if case .attempt = self { true } else { false } }

  fileprivate var isFailure: Bool { if case .ended(.failed, _, _) = self { true } else { false } }
}

extension RunHistory.Redirect {
  /// The redirect on one line, with the header fields and the body that it dropped.
  fileprivate var text: String {
    var text = "redirect \(statusCode) to \(method.rawValue.singleLine) \(url.redacted)"
    if isCrossOrigin { text += ", another origin" }
    if let previousMethod { text += ", \(previousMethod.rawValue.singleLine) before" }
    if !droppedFields.isEmpty { text += ", without \(droppedFields.map(\.singleLine).joined(separator: ", "))" }
    return dropsBody ? text + ", without the body" : text
  }
}

extension Metrics {
  /// The phases with their durations, and the byte counts.
  var explanation: String {
    let phases = phases.map { "\($0.name) \($0.duration.inMilliseconds)" }.joined(separator: ", ")
    return "Timings of the last exchange" + (phases.isEmpty ? "" : "\n  " + phases) + "\n  \(self)"
  }

  /// The phases that the transport reports; each begins where the one before it ended.
  private var phases: [(name: String, duration: Duration)] {
    var result: [(name: String, duration: Duration)] = []
    var last = Duration.zero
    func add(_ name: String, until instant: Duration?) {
      guard let instant, instant >= last else { return }
      result.append((name, instant - last))
      last = instant
    }
    // After a redirect or a challenge, the instants continue from those of the exchanges before.
    add(redirectCount + challengeCount > 0 ? "earlier exchanges and queue" : "queue", until: startedAt)
    add("resolving", until: resolvedAt)
    add("connecting", until: connectedAt)
    add("TLS handshake", until: securedAt)
    add("preparing", until: sentAt)
    add("sending and waiting", until: firstByteAt)
    if firstByteAt != nil { add("receiving", until: endedAt) }
    return result
  }
}

extension Attribution {
  /// The party at fault and the evidence.
  var explanation: String {
    "Attribution: \(party)\n  " + (evidence.map { "\($0)" } ?? "by the domain and the code alone")
  }
}
