import Foundation
import Signals

extension RequestRecord: StageWatcher {
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
