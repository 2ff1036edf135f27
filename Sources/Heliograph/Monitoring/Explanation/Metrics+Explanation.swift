extension Metrics {
  /// The phases with their durations, and the byte counts.
  var explanation: String {
    let phases = phases.map { "\($0.name) \($0.duration.milliseconds) ms" }.joined(separator: ", ")
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
    add("queue", until: startedAt)
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
