import Heliograph
import HeliographTesting
import Signals

extension Recovery {
  /// Creates a recovery whose refresh sets a token to `new`, at once and without a request.
  package static func renewing(_ token: CurrentValue<String>) -> Recovery {
    Recovery(scheduler: VirtualScheduler()) {
      Signal<Void, NetworkError>.deferred {
        token.value = "new"
        return .empty
      }
    }
  }
}
