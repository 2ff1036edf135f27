import Heliograph
import Signals

/// Never lets a request pass.
package struct Hanging: Middleware {
  package init() {}

  package func adapt(_ request: HTTPRequest) -> Signal<HTTPRequest, NetworkError> { .never }
}
