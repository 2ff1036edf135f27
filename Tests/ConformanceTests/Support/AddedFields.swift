import Heliograph
import Signals

/// Middleware that adds header fields to a request after the cache.
final class AddedFields: Middleware {
  private let state = Guarded(HTTPHeaders())

  var headers: HTTPHeaders {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
    var request = request
    request.headers.merge(headers)
    return next(request)
  }
}
