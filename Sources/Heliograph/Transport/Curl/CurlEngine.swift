import CCurl
import Foundation
import Signals

/// What a loop does, on its thread: starts what waits, lets libcurl work, ends what is done or takes too long.
///
/// All of its state belongs to that thread. It calls out only with its own state in order, and what is asked of it
/// meanwhile waits in the loop's inbox: so nothing here is ever entered twice.
final class CurlEngine {
  private let loop: CurlLoop
  private let settings: TransportSettings
  private var queue: CurlQueue
  private var active: [CurlTransfer] = []
  private var idleHandles: [CurlHandle] = []
  private var commands: [CurlLoop.Command] = []
  private var isFinishing = false
  /// How many of the active ones libcurl may forget.
  private var forgettableCount = 0
  /// Nothing can take too long before then: what is looked at instead of a timer for each exchange.
  private var nextExpiry: ContinuousClock.Instant?

  init(_ loop: CurlLoop, _ settings: TransportSettings) {
    self.loop = loop
    self.settings = settings
    queue = CurlQueue(limit: settings.activeLimit, limitPerHost: settings.activeLimitPerHost)
    _ = ccurl_multi_set_long(loop.multi, Int(CCURL_MULTI_PIPELINING), CCURL_PIPE_MULTIPLEX)
    _ = ccurl_multi_set_long(loop.multi, Int(CCURL_MULTI_MAXCONNECTS), max(settings.activeLimit, 1))
  }

  func run() {
    while !(isFinishing && active.isEmpty && queue.isEmpty) {
      loop.now = .now
      loop.takeCommands(into: &commands)
      for command in commands { perform(command) }
      while let exchange = queue.takeNext() { start(exchange) }
      _ = ccurl_multi_work(loop.multi)
      endDone()
      expire()
      if !queue.canStart { loop.wait(milliseconds: waitingTime) }
    }
    loop.close()
  }

  private func perform(_ command: CurlLoop.Command) {
    switch command {
    case .start(let exchange):
      if exchange.observer.isDisposed { return }
      queue.add(exchange)
    case .cancel(let exchange):
      exchange.isOver = true
      if let transfer = exchange.transfer { remove(transfer) }
    case .resume(let exchange):
      exchange.transfer?.resume()
    case .expire(let exchange):
      expire(exchange)
    case .finish:
      isFinishing = true
    }
  }

  private func start(_ exchange: CurlExchange) {
    if exchange.request.isLeft {
      exchange.isOver = true
      return queue.finish(exchange)
    }
    guard let handle = idleHandles.popLast() ?? CurlHandle(settings) else {
      queue.finish(exchange)
      exchange.isOver = true
      return exchange.observer.fail(
        NetworkError(.client, .badTransport, reason: "libcurl has no more handles", request: exchange.request))
    }
    let transfer = CurlTransfer(exchange, handle, loop, index: active.count)
    active.append(transfer)
    exchange.transfer = transfer
    do throws(NetworkError) {
      try transfer.prepare(settings)
      if transfer.isForgettable { forgettableCount += 1 }
      add(transfer)
    } catch {
      end(transfer, error)
    }
  }

  private func add(_ transfer: CurlTransfer) {
    _ = ccurl_multi_add(loop.multi, transfer.handle.easy)
    watch(transfer.expiry)
  }

  private func endDone() {
    var result = 0
    while let easy = ccurl_multi_next_done(loop.multi, &result) {
      guard let context = ccurl_context(easy), let transfer = CurlHandle.from(context).transfer?.takeUnretainedValue()
      else { continue }
      if transfer.mustResend(after: result) {
        _ = ccurl_multi_remove(loop.multi, easy)
        transfer.prepareResend()
        add(transfer)
      } else {
        end(transfer, transfer.failure(for: result))
      }
    }
  }

  /// Ends a transfer by itself: with a failure, or in order.
  private func end(_ transfer: CurlTransfer, _ failure: NetworkError?) {
    let metrics = transfer.metrics
    let exchange = transfer.exchange
    exchange.isOver = true
    remove(transfer)
    if var failure {
      failure.metrics = metrics
      exchange.observer.fail(failure)
    } else {
      exchange.observer.complete(with: .metrics(metrics))
    }
  }

  /// Takes a transfer out, silently; libcurl closes its connection if it is in the middle of a response.
  private func remove(_ transfer: CurlTransfer) {
    _ = ccurl_multi_remove(loop.multi, transfer.handle.easy)
    if transfer.isForgettable { forgettableCount -= 1 }
    transfer.close()
    let last = active.removeLast()
    if last !== transfer {
      active[transfer.index] = last
      last.index = transfer.index
    }
    idleHandles.append(transfer.handle)
    queue.finish(transfer.exchange)
  }

  private func watch(_ instant: ContinuousClock.Instant?) {
    guard let instant else { return }
    nextExpiry = nextExpiry.map { min($0, instant) } ?? instant
  }

  /// Ends what takes too long, and finds out when to look again.
  private func expire() {
    guard let next = nextExpiry, loop.now >= next else { return }
    let now = loop.now
    nextExpiry = nil
    for transfer in active {
      guard let expiry = transfer.expiry else { continue }
      if expiry <= now { end(transfer, transfer.timeout) } else { watch(expiry) }
    }
  }

  /// Ends an exchange whose total time-out has passed, also one that waits.
  private func expire(_ exchange: CurlExchange) {
    guard let deadline = exchange.request.deadline, !exchange.isOver else { return }
    if let transfer = exchange.transfer {
      return end(transfer, deadline.failure(of: exchange.request, transfer.metrics))
    }
    exchange.isOver = true
    let metrics = Metrics(endedAt: .now - exchange.subscribedAt)
    exchange.observer.fail(deadline.failure(of: exchange.request, metrics))
  }

  /// How long nothing is due but what libcurl and the inbox report; rounded up, so that it is not spent in turns.
  private var waitingTime: Int32 {
    let most: Int32 = forgettableCount > 0 ? CurlEngine.napMilliseconds : 60_000
    guard let nextExpiry else { return most }
    let parts = (nextExpiry - loop.now).components
    if parts.seconds >= 60 { return most }
    return min(most, Int32(max(0, parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000 + 1)))
  }

  /// While libcurl may oversleep it is woken after 5 ms: rarely needed, and at most 200 times a second.
  private static let napMilliseconds: Int32 = 5
}
