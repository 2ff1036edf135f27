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
    let limit = [Metrics.Attempt].limit
    return attempts.enumerated().reduce("Earlier attempts") { text, element in
      let attempt = element.element
      let isAfterGap = attempts.count == limit && element.offset == limit / 2
      let gap = isAfterGap ? "\n  (any others, if there were more than \(limit))" : ""
      let time = attempt.duration.map { " after \($0.inMilliseconds)" } ?? ""
      let code = attempt.name.map { "\(NetworkError.Code.api($0))" } ?? "\(attempt.code)"
      return text + "\(gap)\n  \(attempt.domain) error \(code)\(time)"
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

extension Explanation {
  private static let fieldByteCount = 120

  /// Returns the origin of the URL, and which additions of client and service were sent; `nil` if not recorded.
  func address(of request: HTTPRequest) -> String? {
    guard let provenance = request.provenance?.value else { return nil }
    return "Address\n  \(provenance.baseText)\n  \(provenance.additionsText)"
  }

  /// Returns the header fields with the stages that have set them.
  func fields(of request: HTTPRequest) -> String {
    let provenance = request.provenance?.value
    let count = history?.cookieCount ?? 0
    var lines = request.headers.compactMap { field -> String? in
      let stage = provenance?.stage(of: field.name, in: request.headers)
      // Stored cookies, which have a line of their own.
      if count > 0, field.name.isEqualIgnoringCase(to: "Cookie"), stage == nil || stage == .middleware { return nil }
      return line(
        stage.map { name(of: $0, field.name) } ?? "sent", field.description.shortened(to: Self.fieldByteCount))
    }
    if count > 0 { lines.append(line("cookies", "Cookie: <redacted>, \(count) in all")) }
    if let removed = provenance?.removed(from: request.headers), !removed.isEmpty {
      lines.append(line("removed", removed.map(\.singleLine).joined(separator: ", ") + ", by middleware"))
    }
    if lines.isEmpty { return "Header fields: none but those of the transport" }
    return "Header fields\n" + lines.joined(separator: "\n")
  }

  /// Returns the name of the stage that has set a header field: the cache adds its conditions to the request as built.
  private func name(of stage: RequestProvenance.Stage, _ field: String) -> String {
    let isCondition = ["if-none-match", "if-modified-since", "range", "if-range"].contains(field.loweredASCII)
    return stage == .middleware && isCondition && history?.usesCache == true ? "cache" : stage.rawValue
  }

  private func line(_ stage: String, _ text: String) -> String {
    "  " + stage + String(repeating: " ", count: max(1, 12 - stage.count)) + text
  }
}

extension RunHistory {
  fileprivate var usesCache: Bool { steps.contains { if case .cache = $0.entry { true } else { false } } }

  /// The number of stored cookies that the last exchange has sent.
  fileprivate var cookieCount: Int {
    let counts = steps.compactMap { if case .cookies(let count) = $0.entry { count } else { nil } }
    return counts.last ?? 0
  }
}

extension RequestProvenance {
  fileprivate var baseText: String {
    let owner = service.map { "the service \($0.singleLine)" } ?? "the client"
    let location = environment.map { "the environment \($0.singleLine)" } ?? "the client"
    return switch base {
    case .absolute: "an absolute URL of the request"
    case .options: "a base URL in the options of the request"
    case .client: "below the client's base URL"
    case .environment: "below the custom address of \(location), for \(owner)"
    case .service(let name): "below the \(name) address of \(owner) in \(location)"
    }
  }

  /// The additions that were sent or left out because of the origin.
  fileprivate var additionsText: String {
    let ofClient = "header fields, filters and middleware"
    let additions = "header fields, parameters, filters, middleware and signature"
    if !addsClient {
      let namesText =
        omittedFields.isEmpty ? "" : ", among them \(omittedFields.map(\.singleLine).joined(separator: ", "))"
      let omitted =
        service.map { "\(additions) of the client and the service \($0.singleLine)" } ?? "\(ofClient) of the client"
      return "not an own origin: \(omitted) were left out\(namesText)"
    }
    guard let service else { return "an own origin: \(ofClient) of the client were added" }
    if addsService { return "an own origin: \(additions) of the client and the service were added" }
    return "an own origin, but none of the service \(service.singleLine): its \(additions) were left out"
  }
}
