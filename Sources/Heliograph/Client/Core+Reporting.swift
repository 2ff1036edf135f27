import Signals

extension Core {
  /// Returns the signal with the app's user-facing messages for errors, observed by the monitors.
  func reported<Result>(
    _ signal: Signal<Response<Result>, NetworkError>, _ request: Request?, _ service: (any Service)?,
    _ record: RequestRecord?
  ) -> Signal<Response<Result>, NetworkError> {
    let presentation = request?.options.presentation
    let messages = messages(for: request, service)
    let isPlain = presentation == nil && messages.isEmpty
    let worded = isPlain ? signal : messages.wording(signal, presentation)
    let watched = record?.watching(worded, request) ?? worded
    guard let rejections, request?.options.allowsRecovery != false else { return watched }
    return rejections.watching(watched) { [configuration] error in
      guard configuration.builder.hasOrigins, let url = error.response?.url else { return true }
      return configuration.builder.owns(url)
    }
  }

  /// Returns the app's user-facing messages for a request's errors: those of the client, the service and the request.
  func messages(for request: Request?, _ service: (any Service)?) -> [NetworkError.Code: String] {
    // Read inline, because a call of the configuration would copy it.
    var messages = configuration.messages
    if let service { messages.overlay(service.messages) }
    if let request { messages.overlay(request.options.messages) }
    return messages
  }
}

/// The notices about values with slashes in paths, one for each literal before such a value.
final class SlashNotices: Sendable {
  private let literals = Guarded<Set<String>>([])

  /// Tells the monitors that such a value is one segment: a path of several would be sent to another URL.
  func note(_ literal: String, to monitors: [any Monitor]) {
    if monitors.isEmpty || !literals.withLock({ $0.insert(literal).inserted }) { return }
    let text = "a value after \"\(literal)\" in a path contains a slash, sent as %2F"
    let notice = text + #"; write \(raw:) if it is several segments"#
    for monitor in monitors { monitor.observe(.notice(notice)) }
  }
}
