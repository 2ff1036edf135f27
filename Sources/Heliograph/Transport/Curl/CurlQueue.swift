#if HELIOGRAPH_CURL
import Signals
import Synchronization

/// The queue of exchanges by priority, first in, first out, in which hosts at their limit are skipped.
///
/// libcurl could queue them itself, but ten thousand handles cost seconds and hundreds of megabytes. Complexity:
/// amortized O(1) for each exchange.
struct CurlQueue {
  /// An origin with exchanges that are in flight or waiting.
  private final class Host: Queued {
    let origin: Origin?
    let limit: Int
    var activeCount = 0
    /// The exchanges that reached the front of the queue while the host was at its limit.
    var waiting = PriorityQueue<CurlExchange>()

    init(_ origin: Origin?, limit: Int) {
      self.origin = origin
      self.limit = limit
    }

    var hasFreeSlot: Bool { activeCount < limit }
    /// Whether the host has no free slot or no waiting exchange.
    var isTerminated: Bool { !hasFreeSlot || waiting.isEmpty }
  }

  private let limit: Int
  private let limitPerHost: Int
  private var activeCount = 0
  /// The exchanges not yet at the front of the queue.
  private var queue = PriorityQueue<CurlExchange>()
  /// Empty if exchanges are not counted per host.
  private var hosts: [Origin?: Host] = [:]
  /// The hosts with freed slots: one entry per slot, with the priority of the host's first waiting exchange.
  private var freedHosts = PriorityQueue<Host>()

  init(limit: Int, limitPerHost: Int) {
    self.limit = max(limit, 1)
    self.limitPerHost = max(limitPerHost, 1)
  }

  /// Whether exchanges are counted per host, which takes time and is needed only for a limit below the total one.
  private var countsHosts: Bool { limitPerHost < limit }

  var isEmpty: Bool { activeCount == 0 && queue.isEmpty && hosts.isEmpty }
  var canStart: Bool { activeCount < limit && !(queue.isEmpty && freedHosts.isEmpty) }

  mutating func add(_ exchange: CurlExchange) { queue.add(exchange, exchange.request.priority) }

  /// Returns the next exchange to start; skips those that have terminated.
  mutating func takeNext() -> CurlExchange? {
    guard activeCount < limit, let exchange = countsHosts ? popSkippingFullHosts() : popFirst() else { return nil }
    activeCount += 1
    return exchange
  }

  private mutating func popFirst() -> CurlExchange? {
    while let exchange = queue.popFirst() {
      if !exchange.isTerminated { return exchange }
    }
    return nil
  }

  private mutating func popSkippingFullHosts() -> CurlExchange? {
    while true {
      let priority = queue.firstPriority()
      // An exchange that waits for its host was queued before all others of its priority.
      if let freedPriority = freedHosts.firstPriority(), freedPriority >= priority ?? .low {
        if let exchange = popFromFreedHost(freedPriority) { return exchange }
        continue
      }
      guard let exchange = queue.popFirst() else { return nil }
      let origin = exchange.origin
      let host = hosts[origin] ?? Host(origin, limit: limitPerHost)
      if host.hasFreeSlot {
        if host.activeCount == 0 { hosts[origin] = host }
        host.activeCount += 1
        return exchange
      }
      host.waiting.add(exchange, exchange.request.priority)
    }
  }

  /// Returns the next exchange of the first host with a freed slot, if it still has that priority.
  private mutating func popFromFreedHost(_ priority: RequestPriority) -> CurlExchange? {
    guard let host = freedHosts.popFirst() else { return nil }
    guard let first = host.waiting.firstPriority() else {
      // All waiting exchanges were cancelled.
      if host.activeCount == 0 { hosts[host.origin] = nil }
      return nil
    }
    if first < priority {
      freedHosts.add(host, first)
      return nil
    }
    host.activeCount += 1
    return host.waiting.popFirst()
  }

  /// Frees the slot of an exchange that has terminated; one of a refresh has none.
  mutating func finish(_ exchange: CurlExchange) {
    if exchange.isOfRefresh { return }
    activeCount -= 1
    guard countsHosts, let host = hosts[exchange.origin] else { return }
    host.activeCount -= 1
    if let priority = host.waiting.firstPriority() {
      freedHosts.add(host, priority)
    } else if host.activeCount == 0 {
      hosts[host.origin] = nil
    }
  }
}

/// An exchange, shared by the subscriber and the loop.
final class CurlExchange: Queued, Disposing {
  // Changed, like `stream`, only by a thread that has claimed the exchange's end.
  nonisolated(unsafe) private(set) var request: HTTPRequest
  /// The stream of a body that libcurl requests piece by piece; `nil` for a body that it gets at once.
  nonisolated(unsafe) private(set) var stream: BodyStream?
  let observer: Observer<TransportEvent, NetworkError>
  /// Whether the exchange is neither queued nor counted: its time limit runs, and those in flight may be as long.
  let isOfRefresh: Bool
  /// The key for the limit per host.
  var origin: Origin? { Origin(request.url) }
  let subscribedAt = SuspendingClock.now
  // Accessed on the loop's thread only; set to `nil` when the transfer is closed.
  nonisolated(unsafe) var transfer: CurlTransfer?
  private let terminated = Atomic<Bool>(false)

  private let loop: CurlLoop

  init(
    _ request: HTTPRequest, _ stream: BodyStream?, _ observer: Observer<TransportEvent, NetworkError>, _ loop: CurlLoop
  ) {
    self.request = request
    isOfRefresh = request.context.isOfRefresh
    self.stream = stream
    self.observer = observer
    self.loop = loop
  }

  /// Cancels the exchange; has no effect after its end, which also calls this method.
  func dispose() { if !isTerminated { loop.submit(.cancel(self)) } }

  var isDisposed: Bool { isTerminated }

  /// Releases the body of an exchange that may remain in the queue; only for the caller that has claimed its end.
  func releaseBody() {
    request.body = .empty
    stream = nil
  }

  /// Whether the exchange has terminated or was cancelled.
  var isTerminated: Bool { terminated.load(ordering: .acquiring) }

  /// Ends the exchange, on the loop's thread or on one that could not create it; returns whether it had not ended
  /// before.
  @discardableResult
  func claimEnd() -> Bool {
    guard !terminated.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    request.deadline?.leave(self)
    return true
  }
}
#endif
