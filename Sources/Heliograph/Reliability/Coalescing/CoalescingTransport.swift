import Foundation
import Signals
import Synchronization

/// A decorator that lets identical safe requests in flight share one exchange.
///
/// Each subscriber has its own deadline and may be disposed on its own; the exchange is cancelled with the last one.
final class CoalescingTransport: DecoratingTransport {
  let next: any ChainedTransport
  private let exchanges: SharedExchanges

  init(_ next: any Transport, _ exchanges: SharedExchanges) {
    self.next = next.chained
    self.exchanges = exchanges
  }

  func start(_ request: HTTPRequest, in context: ExchangeContext) {
    if request.method.mayChange {
      return next.start(request, in: context.receiving(exchanges.counting(context.receive)))
    }
    guard request.method.isSafe, let scope = context.attempt?.sharing,
      let key = SharingKey(request, in: scope, hasCache: context.log != nil)
    else {
      return next.start(request, in: context)
    }
    let shared = Signal<TransportEvent, NetworkError> { [self] observer in
      let member = SharedExchangeMember(request, context, observer) { [self] in start(request, in: context) }
      let (exchange, isFirst) = exchanges.join(key, member)
      let deadline = request.deadline
      if let deadline {
        deadline.enter(member) { observer.fail(exchange.failure(of: member, request, at: deadline)) }
      }
      // Before the start, in which middleware or a monitor may dispose the request.
      observer.hold(
        Disposable {
          deadline?.leave(member)
          exchange.leave(member)
        })
      if isFirst { exchange.start(request, of: context, over: next) }
      return nil
    }
    shared.subscribe(in: context.scope, under: context.pressure, context.receive)
  }
}

/// The key by which identical requests find the exchange of the first one.
struct SharingKey: Hashable, Sendable {
  private let request: HTTPRequest
  private let scope: SharingScope
  /// Whether the cache may store the response: the first request then records the start of the exchange for all.
  private let hasCache: Bool

  /// Creates the key of a safe request; `nil` if the request must have an exchange of its own.
  init?(_ request: HTTPRequest, in scope: SharingScope, hasCache: Bool) {
    switch request.body {
    case .empty, .data: break
    case .file, .stream: return nil
    }
    // A signature contains a time and a nonce, so it differs in each request.
    var key = request.context.unsigned ?? request
    // The cache adds its conditions to the signed request.
    for name in ["If-None-Match", "If-Modified-Since", "If-Range", "Range"] {
      key.headers[name] = request.headers[name]
    }
    let address = key.url.cacheAddress(ignoring: scope.ignoredParameters)
    if address != key.url.absoluteString, let url = URL(string: address) { key.url = url }
    key.totalTimeout = nil
    key.priority = .normal
    key.cachePolicy = .none
    // A key must not retain the request's deadline, cache or identity.
    key.context = RequestContext(id: request.id)
    self.request = key
    self.scope = scope
    self.hasCache = hasCache
  }
}

/// The exchanges in flight that accept further requests, by their keys.
final class SharedExchanges: Sendable {
  private let exchanges = Guarded<[SharingKey: SharedExchange]>([:])
  private let writes = Atomic<Int>(0)

  /// The number of unsafe requests that have received a response or failed.
  var writeCount: Int { writes.load(ordering: .acquiring) }

  /// Returns a receiver that counts an unsafe request when its response or failure arrives; the count is part of the
  /// sharing scope: later requests do not share exchanges that began before.
  func counting(_ receive: @escaping ExchangeContext.Receive) -> ExchangeContext.Receive {
    { [self] event in
      switch event {
      case .value(.head), .failed: writes.add(1, ordering: .acquiringAndReleasing)
      default: break
      }
      receive(event)
    }
  }

  /// The number of members of each exchange.
  var memberCounts: [Int] { exchanges.withLock { Array($0.values) }.map(\.memberCount) }

  /// Adds a member to the exchange of a key; if the exchange is new, the caller has to start it.
  func join(_ key: SharingKey, _ member: SharedExchangeMember) -> (exchange: SharedExchange, isNew: Bool) {
    while true {
      let (exchange, isNew) = exchanges.withLock { exchanges in
        if let exchange = exchanges[key] { return (exchange, false) }
        let new = SharedExchange(key, in: self)
        exchanges[key] = new
        return (new, true)
      }
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
