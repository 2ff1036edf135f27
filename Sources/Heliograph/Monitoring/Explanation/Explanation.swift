/// The text that explains a run, rendered from its recorded decisions and its result.
struct Explanation {
  /// The request and its result on one line.
  let title: String
  /// The request as sent or, if nothing was sent, as built.
  let request: HTTPRequest?
  let metrics: Metrics?
  /// The decisions; `nil` if no monitor observed the run.
  let history: RunHistory?
  /// The party at fault; `nil` without a failure.
  var attribution: Attribution?

  var text: String {
    let sections = [
      title, request.flatMap(address), request.map(fields), history.map(\.text) ?? earlierAttempts,
      attribution.map(\.explanation), metrics.map(\.explanation), history == nil ? Self.advice : nil,
    ]
    return sections.compactMap { $0 }.joined(separator: "\n\n")
  }

  private static let advice = """
    The decisions were not recorded, because the client has no monitor. Add one to `configuration.monitors`, such as \
    `ConsoleMonitor(level: .errors)`.
    """

  /// The failed attempts, if nothing more is known of them.
  private var earlierAttempts: String? {
    guard let attempts = metrics?.earlierAttempts, !attempts.isEmpty else { return nil }
    return attempts.reduce("Earlier attempts") { text, attempt in
      let time = attempt.duration.map { " after \($0.milliseconds) ms" } ?? ""
      return text + "\n  \(attempt.domain) error \(attempt.code)\(time)"
    }
  }
}

extension Response {
  /// A plain-text explanation of the response: the decisions of its run, without secrets.
  ///
  /// It lists the sources of the URL and of each header field, the decisions of the cache, the reasons for retries, the
  /// header fields dropped by redirects, and the durations. The decisions are recorded only if the client has a
  /// ``Monitor``; otherwise the text describes the response alone. The text is rendered at each access, and its wording
  /// may change.
  public var explanation: String {
    let result = "status \(statusCode), source: \(source)"
    let title = request.map { "\($0) (request \($0.id)): \(result)" } ?? "\(head): \(result)"
    return Explanation(title: title, request: request, metrics: metrics, history: history).text
  }
}

extension NetworkError {
  /// A plain-text explanation of the failure: the decisions of its run, without secrets.
  ///
  /// Like ``Response/explanation``, with the ``attribution`` and its evidence.
  public var explanation: String {
    let title = request.map { "\($0) (request \($0.id)): \(cause)" } ?? cause
    return Explanation(
      title: title, request: request, metrics: metrics, history: log?.history, attribution: attribution
    ).text
  }
}

extension RequestReport {
  /// A plain-text explanation of the request so far, without secrets; also of a cancelled request.
  ///
  /// Like ``Response/explanation`` and ``NetworkError/explanation``, for a log.
  public var explanation: String {
    Explanation(
      title: description, request: request, metrics: metrics, history: history, attribution: error?.attribution
    ).text
  }
}
