import Foundation
import Signals

extension RequestRecord: StageWatcher {
  /// Returns a request's signal that reports all of its events.
  ///
  /// - Parameters:
  ///   - signal: All attempts of the request.
  ///   - request: The caller's description.
  /// - Returns: The signal.
  func watching(
    _ signal: Signal<Response<Data>, NetworkError>, _ request: Request?
  ) -> Signal<Response<Data>, NetworkError> {
    describe(request)
    return signal.watched(by: self)
  }

  /// Reports a value, which gets the decisions of the run.
  func pass(_ response: Response<Data>) -> Response<Data>? {
    defer { deliver(response) }
    if response.details?.value.receipt != nil { return nil }
    // A mapper has created the response.
    return response.updatingDetails { $0.receipt = log.position }
  }

  /// Reports the failure, and returns it with the decisions of the run.
  func pass(failure error: NetworkError) -> NetworkError {
    var error = error
    error.log = log
    end(.failure(error))
    return error
  }

  func complete() { end(.success) }

  func dispose() { end(.cancelled) }
}
