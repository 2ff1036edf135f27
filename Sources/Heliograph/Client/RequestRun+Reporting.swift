import Foundation
import Signals

extension RequestRun: AttemptObserver {
  var isRecorded: Bool { record != nil }

  var isWatched: Bool { source.traits.watch != nil }

  func send(_ request: HTTPRequest) { record?.send(request) }

  func follow(_ request: HTTPRequest, _ head: HTTPResponse, by next: HTTPRequest) {
    record?.follow(request, head, by: next)
  }

  func respond(_ head: HTTPResponse) { record?.respond(head) }

  func receive(_ event: TransportEvent, of request: HTTPRequest) { source.traits.watch?(event, request) }

  func collect(_ response: Response<Data>, isLast: Bool, in step: CacheStep) -> Response<Data> {
    record?.receive(response, isLast: isLast)
    return compared(response, in: step)
  }

  func observe(_ event: CacheEvent, of request: HTTPRequest) { record?.note(event, of: request) }

  func record(_ entry: RunHistory.Entry) { record?.record(entry) }

  func makeHistory() -> RecordedHistory? { record?.isStreamed == false ? RecordedHistory() : nil }

  func refreshStored(_ ended: @escaping @Sendable () -> Void) -> Disposable {
    var request = request
    request.options.cache = policy.afterFailure
    request.options.presentation = .silent
    request.options.priority = .low
    return client.begin(request, RequestTraits(), source.read).signal.subscribe { event in
      if case .value = event { return }
      ended()
    }
  }
}

extension ClientScope {
  /// Returns the signal with the app's user-facing messages for errors.
  @inline(__always)
  func worded(
    _ signal: RequestRun.Results, _ request: Request?, _ service: (any Service)?
  ) -> RequestRun.Results {
    let presentation = request?.options.presentation
    let messages = messages(for: request, service)
    return presentation == nil && messages.isEmpty ? signal : messages.wording(signal, presentation)
  }

  /// Returns the signal, observed by the monitors and by the closure for rejected credentials.
  @inline(__always)
  func watched(_ signal: RequestRun.Results, _ request: Request?, _ record: RequestRecord?) -> RequestRun.Results {
    let watched = record?.watching(signal, request) ?? signal
    guard let rejections = parts.rejections, !isRefreshing, request?.options.allowsRecovery != false else {
      return watched
    }
    return rejections.watching(watched) { [parts] error in
      guard parts.configuration.builder.hasOrigins, let url = error.response?.url else { return true }
      return parts.configuration.builder.owns(url)
    }
  }
}
