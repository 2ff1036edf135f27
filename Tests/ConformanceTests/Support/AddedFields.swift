import Heliograph
import Signals

/// Middleware that adds header fields to a request after the cache.
final class AddedFields: Middleware {
  private let state = Guarded(HTTPHeaders())

  var headers: HTTPHeaders {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  func adapt(_ request: HTTPRequest) -> Signal<HTTPRequest, NetworkError> {
    var request = request
    request.headers.merge(headers)
    return .just(request)
  }
}
