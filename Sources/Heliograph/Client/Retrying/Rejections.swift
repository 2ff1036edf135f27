import Foundation
import Signals

/// Calls ``NetworkClient/Configuration/onUnauthorized``, once for all requests that began before it returned.
final class Rejections: Sendable {
  private struct State {
    /// Incremented before and after each call.
    var count = 0
    var isCalling = false
  }

  private let state = Guarded(State())
  private let handler: @Sendable (NetworkError) -> Void

  init(_ handler: @escaping @Sendable (NetworkError) -> Void) { self.handler = handler }

  /// Returns a request's signal; the handler is called after a rejection has been delivered.
  func watching(
    _ signal: Signal<Response<Data>, NetworkError>, if isOwn: @escaping @Sendable (NetworkError) -> Bool
  ) -> Signal<Response<Data>, NetworkError> {
    Signal { [self] observer in
      let count = state.withLock { $0.count }
      return signal.subscribe(under: observer.pressure) { [self] event in
        observer.send(event)
        if case .failed(let error) = event, error.isRejection, isOwn(error) { report(error, since: count) }
      }
    }
  }

  private func report(_ error: NetworkError, since count: Int) {
    let isFirst = state.withLock { state in
      guard state.count == count, !state.isCalling else { return false }
      state.count += 1
      state.isCalling = true
      return true
    }
    guard isFirst else { return }
    handler(error)
    state.withLock { state in
      state.count += 1
      state.isCalling = false
    }
  }
}

extension NetworkError {
  /// Whether the status or the code is 401; a refresh may throw that code, such as for lack of a refresh token.
  fileprivate var isRejection: Bool { statusCode == 401 || code == .status(401) }
}
