import Signals

/// A transport that reports the request adapted by middleware.
struct NotingTransport: Transport {
  let next: any Transport
  let note: @Sendable (HTTPRequest) -> Void

  func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    note(request)
    return next.send(request)
  }
}
