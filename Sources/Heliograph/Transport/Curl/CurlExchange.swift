#if HELIOGRAPH_CURL
import Foundation
import Signals
import Synchronization

/// An exchange, shared by the subscriber and the loop.
final class CurlExchange: Queued, Disposing {
  let request: HTTPRequest
  let observer: Observer<TransportEvent, NetworkError>
  /// The key for the limit per host.
  var origin: Origin? { Origin(request.url) }
  let subscribedAt = SuspendingClock.now
  // Accessed on the loop's thread only; set to `nil` when the transfer is closed.
  nonisolated(unsafe) var transfer: CurlTransfer?
  private let terminated = Atomic<Bool>(false)

  private let loop: CurlLoop

  init(_ request: HTTPRequest, _ observer: Observer<TransportEvent, NetworkError>, _ loop: CurlLoop) {
    self.request = request
    self.observer = observer
    self.loop = loop
  }

  /// Starts the exchange.
  func start() {
    request.deadline?.enter(self) { [self] in loop.submit(.expire(self)) }
    loop.submit(.start(self))
  }

  /// Cancels the exchange; has no effect after its end, which also calls this method.
  func dispose() { if !isTerminated { loop.submit(.cancel(self)) } }

  var isDisposed: Bool { isTerminated }

  /// Whether the exchange has terminated or was cancelled; set on the loop's thread.
  var isTerminated: Bool {
    get { terminated.load(ordering: .acquiring) }
    set {
      terminated.store(newValue, ordering: .releasing)
      request.deadline?.leave(self)
    }
  }
}
#endif
