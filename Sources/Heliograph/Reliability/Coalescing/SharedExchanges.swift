import Signals
import Synchronization

/// The exchanges in flight that accept further requests, by their keys.
final class SharedExchanges: Sendable {
  private let exchanges = Guarded<[SharingKey: SharedExchange]>([:])
  private let writes = Atomic<Int>(0)

  /// The number of unsafe requests that have received a response or failed.
  var writeCount: Int { writes.load(ordering: .acquiring) }

  /// Returns a receiver that counts an unsafe request when its response or failure arrives.
  ///
  /// The count is part of the sharing scope: later requests do not share exchanges that began before.
  func counting(_ receive: @escaping ExchangeContext.Receive) -> ExchangeContext.Receive {
    { [self] event in
      switch event {
      case .value(.head), .failed: writes.add(1, ordering: .acquiringAndReleasing)
      default: break
      }
      receive(event)
    }
  }

  var count: Int { exchanges.withLock { $0.count } }

  /// Adds a member to the exchange of a key; if the exchange is new, the caller has to start it.
  func join(_ key: SharingKey, _ member: SharedExchangeMember) -> (exchange: SharedExchange, isNew: Bool) {
    while true {
      let candidate = SharedExchange(key, in: self)
      let exchange = exchanges.withLock { exchanges in
        if let exchange = exchanges[key] { return exchange }
        exchanges[key] = candidate
        return candidate
      }
      let isNew = exchange === candidate
      if exchange.add(member, isFirst: isNew) { return (exchange, isNew) }
      // The exchange has stopped accepting members in the meantime.
      remove(exchange)
    }
  }

  func remove(_ exchange: SharedExchange) {
    let removed = exchanges.withLock { exchanges in
      exchanges[exchange.key] === exchange ? exchanges.removeValue(forKey: exchange.key) : nil
    }
    withExtendedLifetime(removed) {}
  }
}
