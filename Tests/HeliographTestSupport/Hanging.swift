import Heliograph
import Signals

/// Never lets a request pass.
package struct Hanging: Middleware {
  package init() {}

  package func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
    .never
  }
}
