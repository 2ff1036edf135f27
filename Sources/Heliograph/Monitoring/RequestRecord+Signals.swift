import Foundation
import Signals

extension RequestRecord {
  /// A request's signal, of which everything is told.
  ///
  /// - Parameters:
  ///   - signal: all of its attempts.
  ///   - request: the caller's description.
  /// - Returns: the signal.
  func watching<Value>(
    _ signal: Signal<Response<Value>, NetworkError>, _ request: Request?
  ) -> Signal<Response<Value>, NetworkError> {
    signal.on(
      start: { self.start(request) }, value: { self.deliver($0.head) }, failure: { self.end(.failed($0)) },
      completion: { self.end(.succeeded) }, dispose: { self.end(.cancelled) })
  }

  /// An attempt's signal, of which the beginning and the end are told.
  func watching<Value>(
    _ signal: Signal<Response<Value>, NetworkError>, attempt request: HTTPRequest
  ) -> Signal<Response<Value>, NetworkError> {
    signal.on(
      start: { self.beginAttempt(request) }, failure: { self.endAttempt(.failed($0)) },
      completion: { self.endAttempt(.succeeded) }, dispose: { self.endAttempt(.cancelled) })
  }
}

/// Tells what is handed to the transport, behind all middleware.
struct RecordingTransport: Transport {
  let next: any Transport
  let record: RequestRecord

  var usesNetwork: Bool { next.usesNetwork }

  func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    next.send(request).on(
      start: { record.send(request) },
      value: { event in
        if case .head(let head) = event { record.respond(head) }
      })
  }
}
