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
    let reported = signal.mapError { self.explained($0) }.on(
      start: { self.start(request) }, value: { self.deliver($0.head) }, failure: { self.end(.failure($0)) },
      completion: { self.end(.success) }, dispose: { self.end(.cancelled) })
    // The pieces of a streamed body are not responses for the app.
    return isStreamed ? reported : reported.map { self.explained($0) }
  }

  /// Returns the response with the decisions of the run.
  private func explained(_ response: Response<Data>) -> Response<Data> {
    response.updatingDetails { $0.history = CopyOnWrite(history) }
  }

  /// Returns the error with the decisions of the run.
  private func explained(_ error: NetworkError) -> NetworkError {
    var error = error
    error.history = history
    return error
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
