/// Exchanges that wait for their turn, first come first served, but for hosts that have all they may.
///
/// libcurl could queue them itself, but ten thousand handles cost it seconds and hundreds of megabytes.
/// Complexity: O(1) for each exchange.
struct CurlQueue {
  private struct Host {
    /// How many are under way or in `ready`.
    var takenCount = 0
    var waiting: [CurlExchange] = []
    var firstIndex = 0

    mutating func popFirst() -> CurlExchange? {
      guard firstIndex < waiting.count else { return nil }
      defer {
        firstIndex += 1
        if firstIndex > 64, firstIndex * 2 > waiting.count {
          waiting.removeFirst(firstIndex)
          firstIndex = 0
        }
      }
      return waiting[firstIndex]
    }
  }

  private let limit: Int
  private let limitPerHost: Int
  private var hosts: [String: Host] = [:]
  /// Those whose host has room for them.
  private var ready: [CurlExchange] = []
  private var firstReady = 0
  private var activeCount = 0

  init(limit: Int, limitPerHost: Int) {
    self.limit = max(limit, 1)
    self.limitPerHost = max(limitPerHost, 1)
  }

  var isEmpty: Bool { firstReady == ready.count && activeCount == 0 && hosts.isEmpty }
  var canStart: Bool { activeCount < limit && firstReady < ready.count }

  /// One key for all where the cap per host cannot be reached before the other: finding out the host takes time.
  private func key(_ exchange: CurlExchange) -> String { limitPerHost < limit ? exchange.host : "" }

  mutating func add(_ exchange: CurlExchange) {
    let key = key(exchange)
    if hosts[key, default: Host()].takenCount < limitPerHost {
      hosts[key, default: Host()].takenCount += 1
      ready.append(exchange)
    } else {
      hosts[key]?.waiting.append(exchange)
    }
  }

  /// The next one to start; those that are over by then are left out.
  mutating func takeNext() -> CurlExchange? {
    while canStart {
      let exchange = ready[firstReady]
      firstReady += 1
      if firstReady == ready.count {
        ready.removeAll(keepingCapacity: true)
        firstReady = 0
      } else if firstReady > 1024, firstReady * 2 > ready.count {
        ready.removeFirst(firstReady)
        firstReady = 0
      }
      if exchange.isOver {
        release(key(exchange))
      } else {
        activeCount += 1
        return exchange
      }
    }
    return nil
  }

  /// Called when one that was taken has ended.
  mutating func finish(_ exchange: CurlExchange) {
    activeCount -= 1
    release(key(exchange))
  }

  /// A place with a host is free: the next one that waits for it gets it.
  private mutating func release(_ key: String) {
    guard let index = hosts.index(forKey: key) else { return }
    while let next = hosts.values[index].popFirst() {
      if next.isOver { continue }
      return ready.append(next)
    }
    hosts.values[index].takenCount -= 1
    if hosts.values[index].takenCount == 0 { hosts.remove(at: index) }
  }

  /// All that wait, in no particular order.
  var waiting: [CurlExchange] {
    ready[firstReady...] + hosts.values.flatMap { $0.waiting[$0.firstIndex...] }
  }
}
