import Heliograph
import Signals

/// A transport of which one exchange sends nothing and ends silently, as when its owner is deallocated.
package final class VanishingTransport: Transport {
  private let next: any Transport
  private let number: Int
  private let sentCount = Guarded(0)
  private let owner = Guarded<PublishSubject<TransportEvent, NetworkError>?>(PublishSubject())

  /// Creates a transport that leaves all exchanges to another one, but the one with a number, counted from 0.
  package init(_ next: any Transport, _ number: Int = 0) {
    self.next = next
    self.number = number
  }

  package func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    .deferred { [self] in
      let count = sentCount.withLock { count in
        count += 1
        return count
      }
      return count == number + 1 ? owner.withLock { $0 }?.signal ?? .never : next.send(request)
    }
  }

  /// Ends the exchange silently.
  package func vanish() { owner.set(nil) }
}
