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
  func pass(_ response: Response<Data>) -> Response<Data> {
    deliver(response)
    if isStreamed || response.history != nil { return response }
    // A mapper has created the response, or the request was disposed during the delivery.
    return response.updatingDetails { $0.history = RecordedHistory(history) }
  }

  /// Reports the failure, and returns it with the decisions of the run.
  func pass(failure error: NetworkError) -> NetworkError {
    var error = error
    error.history = history
    end(.failure(error))
    return error
  }

  func complete() { end(.success) }

  func dispose() { end(.cancelled) }

  /// Returns an attempt's signal that reports its start and end.
  func watching(
    _ signal: Signal<Response<Data>, NetworkError>, attempt request: HTTPRequest
  ) -> Signal<Response<Data>, NetworkError> {
    signal.watched(by: AttemptWatch(record: self, request: request))
  }
}

/// The observer of one attempt.
private final class AttemptWatch: StageWatcher {
  let record: RequestRecord
  let request: HTTPRequest

  init(record: RequestRecord, request: HTTPRequest) {
    self.record = record
    self.request = request
  }

  func start() { record.beginAttempt(request) }

  func pass(_ response: Response<Data>) -> Response<Data> { response }

  func pass(failure error: NetworkError) -> NetworkError {
    record.endAttempt(.failure(error))
    return error
  }

  func complete() { record.endAttempt(.success) }

  func dispose() { record.endAttempt(.cancelled) }
}
