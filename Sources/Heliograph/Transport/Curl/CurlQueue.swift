#if HELIOGRAPH_CURL
/// Exchanges that wait for their turn: by priority and then first come first served, but for hosts that have all they may.
///
/// libcurl could queue them itself, but ten thousand handles cost it seconds and hundreds of megabytes.
/// Complexity: O(1) for each exchange, on average.
struct CurlQueue {
  /// An origin of which something is in flight or waits.
  private final class Host: Queued {
    let origin: Origin?
    let limit: Int
    var activeCount = 0
    /// Those whose turn came while the host had all it may.
    var waiting = PriorityLine<CurlExchange>()

    init(_ origin: Origin?, limit: Int) {
      self.origin = origin
      self.limit = limit
    }

    var hasRoom: Bool { activeCount < limit }
    /// Whether it has no use for a turn.
    var isOver: Bool { !hasRoom || waiting.isEmpty }
  }

  private let limit: Int
  private let limitPerHost: Int
  private var activeCount = 0
  /// Those whose turn has not come yet.
  private var line = PriorityLine<CurlExchange>()
  /// Empty where hosts are not counted.
  private var hosts: [Origin?: Host] = [:]
  /// Hosts that have room again: one entry for each place, with the priority of the first that waited for it.
  private var freed = PriorityLine<Host>()

  init(limit: Int, limitPerHost: Int) {
    self.limit = max(limit, 1)
    self.limitPerHost = max(limitPerHost, 1)
  }

  /// Not where the cap per host cannot be reached before the other: finding out the host takes time.
  private var countsHosts: Bool { limitPerHost < limit }

  var isEmpty: Bool { activeCount == 0 && line.isEmpty && hosts.isEmpty }
  /// Whether there may be one to start.
  var canStart: Bool { activeCount < limit && !(line.isEmpty && freed.isEmpty) }

  mutating func add(_ exchange: CurlExchange) { line.add(exchange, exchange.request.priority) }

  /// The next one to start; those that are over by then are left out.
  mutating func takeNext() -> CurlExchange? {
    guard activeCount < limit, let exchange = countsHosts ? popAmongHosts() : popFirst() else { return nil }
    activeCount += 1
    return exchange
  }

  private mutating func popFirst() -> CurlExchange? {
    while let exchange = line.popFirst() {
      if !exchange.isOver { return exchange }
    }
    return nil
  }

  private mutating func popAmongHosts() -> CurlExchange? {
    while true {
      let priority = line.firstPriority()
      // What waits for a host was in line before all of its priority that still are.
      if let freedPriority = freed.firstPriority(), freedPriority >= priority ?? .low {
        if let exchange = popFreed(freedPriority) { return exchange }
        continue
      }
      guard let exchange = line.popFirst() else { return nil }
      let origin = exchange.origin
      let host = hosts[origin] ?? Host(origin, limit: limitPerHost)
      if host.hasRoom {
        if host.activeCount == 0 { hosts[origin] = host }
        host.activeCount += 1
        return exchange
      }
      host.waiting.add(exchange, exchange.request.priority)
    }
  }

  /// The next one for the first host that has room again, if it still has that priority.
  private mutating func popFreed(_ priority: RequestPriority) -> CurlExchange? {
    guard let host = freed.popFirst() else { return nil }
    guard let first = host.waiting.firstPriority() else {
      // All that waited have been taken back.
      if host.activeCount == 0 { hosts[host.origin] = nil }
      return nil
    }
    if first < priority {
      freed.add(host, first)
      return nil
    }
    host.activeCount += 1
    return host.waiting.popFirst()
  }

  /// Called when one that was taken has ended.
  mutating func finish(_ exchange: CurlExchange) {
    activeCount -= 1
    guard countsHosts, let host = hosts[exchange.origin] else { return }
    host.activeCount -= 1
    if let priority = host.waiting.firstPriority() {
      freed.add(host, priority)
    } else if host.activeCount == 0 {
      hosts[host.origin] = nil
    }
  }
}
#endif
