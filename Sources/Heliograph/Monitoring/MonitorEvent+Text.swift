import Foundation

extension MonitorEvent {
  /// Whether the event is a failure or a notice for the developer.
  var isProblem: Bool {
    switch self {
    case .ended(let report): report.error != nil
    case .notice: true
    default: false
    }
  }

  /// Returns the text of the event, with secrets redacted; `nil` if the level does not include it.
  func text(_ level: ConsoleMonitor.Level) -> String? {
    switch self {
    case .started, .attemptEnded, .continued, .responded: return nil
    case .sent(let request):
      if level < .requests { return nil }
      let line = "\(request) (request \(request.id), attempt \(request.attempt))"
      return level < .headers ? line : "\(line)\n  \(request.curlCommand(withBody: level >= .bodies))"
    case .received(let request, let response):
      if level < .headers { return nil }
      var text = "\(response.head), \(response.value.count) bytes (request \(request.id), attempt \(request.attempt))"
      text += response.headers.map { "\n  \($0.name.singleLine): \($0.redactedValue.singleLine)" }.joined()
      if level >= .bodies, !response.value.isEmpty { text += "\n  \(response.redactedBody)" }
      return text
    case .cache(let request, let event):
      return level < .requests ? nil : "\(event): \(request) (request \(request.id))"
    case .waiting(let request):
      return level < .requests ? nil : "\(request) waits for a network (request \(request.id))"
    case .delivered(_, let response):
      return level < .requests ? nil : "\(response.url.redacted) => \(response.statusCode)"
    case .ended(let report):
      switch report.outcome {
      case .success: return nil
      case .failure(let error): return "\(error) (request \(report.id))"
      case .cancelled: return level < .requests ? nil : "request \(report.id) was cancelled after \(report.duration)"
      }
    case .notice(let text): return text
    }
  }
}

extension HTTPRequest {
  fileprivate func curlCommand(withBody includesBody: Bool) -> String {
    if includesBody { return curlCommand.shortened(to: MonitorLimits.bodyByteCount) }
    var request = self
    request.body = .empty
    return request.curlCommand
  }
}

extension Response<Data> {
  /// The beginning of the body on one line, with redacted secrets.
  fileprivate var redactedBody: String {
    guard value.count <= MonitorLimits.parsedByteCount, let text = String(validating: value, as: UTF8.self) else {
      return "<\(value.count) bytes>"
    }
    return text.redactingSecrets(of: headers["Content-Type"]).singleLine.shortened(to: MonitorLimits.bodyByteCount)
  }
}

private enum MonitorLimits {
  /// The maximum length of a body in the output.
  static let bodyByteCount = 4_096
  /// The maximum length of a body that is searched for secrets.
  static let parsedByteCount = 1_048_576
}
