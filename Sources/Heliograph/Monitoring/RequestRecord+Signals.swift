import Foundation
import Signals

extension RequestRecord {
  /// Returns a request's signal that reports all of its events.
  ///
  /// - Parameters:
  ///   - signal: All attempts of the request.
  ///   - request: The caller's description.
  /// - Returns: The signal.
  func watching(
    _ signal: Signal<Response<Data>, NetworkError>, _ request: Request?
  ) -> Signal<Response<Data>, NetworkError> {
    signal.on(
      start: { self.start(request) }, value: { self.deliver($0.head) }, failure: { self.end(.failure($0)) },
      completion: { self.end(.success) }, dispose: { self.end(.cancelled) })
  }

  /// Returns an attempt's signal that reports its start and end.
  func watching(
    _ signal: Signal<Response<Data>, NetworkError>, attempt request: HTTPRequest
  ) -> Signal<Response<Data>, NetworkError> {
    signal.on(
      start: { self.beginAttempt(request) }, failure: { self.endAttempt(.failure($0)) },
      completion: { self.endAttempt(.success) }, dispose: { self.endAttempt(.cancelled) })
  }
}
