#if HELIOGRAPH_CURL
import Foundation
import Signals
import Synchronization

/// An exchange as both sides know it: the subscriber's and the loop's.
final class CurlExchange: Queued, Disposing {
  let request: HTTPRequest
  let observer: Observer<TransportEvent, NetworkError>
  /// What the limit per host counts by.
  var origin: Origin? { Origin(request.url) }
  let subscribedAt = SuspendingClock.now
  // Touched by the loop's thread only; it lets go of the transfer when that is closed.
  nonisolated(unsafe) var transfer: CurlTransfer?
  private let end = Atomic<Bool>(false)

  private let loop: CurlLoop

  init(_ request: HTTPRequest, _ observer: Observer<TransportEvent, NetworkError>, _ loop: CurlLoop) {
    self.request = request
    self.observer = observer
    self.loop = loop
  }

  /// Begins it.
  func start() {
    request.deadline?.enter(self) { [self] in loop.submit(.expire(self)) }
    loop.submit(.start(self))
  }

  /// Takes it back; its end calls this, too, and then there is nothing to take back.
  func dispose() { if !isOver { loop.submit(.cancel(self)) } }

  var isDisposed: Bool { isOver }

  /// Whether it is over or was taken back; set by the loop's thread.
  var isOver: Bool {
    get { end.load(ordering: .acquiring) }
    set {
      end.store(newValue, ordering: .releasing)
      request.deadline?.leave(self)
    }
  }
}
#endif
