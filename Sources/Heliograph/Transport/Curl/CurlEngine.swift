#if HELIOGRAPH_CURL
import CCurl
import Foundation
import Signals

#if canImport(ObjectiveC)
import ObjectiveC
#endif

/// The work of a loop, on its thread: starts queued exchanges, drives libcurl, and ends exchanges.
///
/// All of its state belongs to that thread. Commands submitted during a call-out wait in the loop's inbox, so nothing
/// here is reentered.
final class CurlEngine {
  private let loop: CurlLoop
  private let resolved: ResolvedSettings
  private var queue: CurlQueue
  private var connectionLimit: CurlConnectionLimit
  private var active: [CurlTransfer] = []
  private var idleHandles: [CurlHandle] = []
  private var suspects = CurlSuspects()
  /// When requests were sent on kept connections that timed out before their responses.
  ///
  /// After a change of network all connections that were idle then are dead, and each would cost a timeout.
  private var unanswered: CurlFailures
  /// The failures to connect: libcurl caches addresses for a minute, even if no server answers there any more.
  private var unconnected = CurlFailures(lifetime: .seconds(60))
  /// When no connection to a proxy could be made, whose name is that of all origins.
  private var proxyFailedAt: SuspendingClock.Instant?
  private var commands: [CurlLoop.Command] = []
  private var isFinishing = false
  private let turn = TransportTurn()

  init(_ loop: CurlLoop, _ resolved: ResolvedSettings) {
    self.loop = loop
    self.resolved = resolved
    let settings = resolved.settings
    nextTrim = loop.now + CurlEngine.trimInterval
    unanswered = CurlFailures(lifetime: settings.maximumConnectionIdleTime)
    queue = CurlQueue(limit: settings.concurrencyLimit, limitPerHost: settings.concurrencyLimitPerHost)
    ccurl_multi_set_long(loop.multi, Int(CCURL_MULTI_PIPELINING), CCURL_PIPE_MULTIPLEX)
    connectionLimit = CurlConnectionLimit(settings.concurrencyLimit, descriptorLimit: Int(ccurl_descriptor_limit()))
    // From 8.20 on its look-ups belong to the handle, whose end would wait for them.
    ccurl_multi_set_long(loop.multi, Int(CCURL_MULTI_QUICK_EXIT), 1)
  }

  func run() {
    while true {
      pooled { work() }
      if isFinishing, active.isEmpty, queue.isEmpty { return }
      if !queue.canStart { wait() }
    }
  }

  private func wait() {
    loop.wait(milliseconds: waitingTime)
    // See `CurlQuirks`. Nothing else can be waited for: the sockets are ready.
    if CurlQuirks.spinsWhilePaused, active.contains(where: \.isPausedOverHTTP2) { ccurl_rest(2) }
  }

  private func work() {
    loop.now = .now
    loop.takeCommands(into: &commands)
    for command in commands { perform(command) }
    // Cancelled exchanges, with bodies and closures, must not be retained while the loop sleeps.
    commands.removeAll(keepingCapacity: true)
    while let exchange = queue.takeNext() { start(exchange) }
    if let limit = connectionLimit.next(active.count) {
      ccurl_multi_set_long(loop.multi, Int(CCURL_MULTI_MAXCONNECTS), limit)
    }
    ccurl_multi_work(loop.multi)
    turn.run { endFinished() }
    expire()
    suspects.update(isSilent)
  }

  private func perform(_ command: CurlLoop.Command) {
    switch command {
    case .start(let exchange):
      if exchange.isOfRefresh, !exchange.isTerminated { start(exchange) } else { queue.add(exchange) }
    case .cancel(let exchange):
      guard exchange.claimEnd() else { return }
      if let transfer = exchange.transfer { remove(transfer) }
      exchange.releaseBody()
    case .resumeReceiving(let exchange):
      guard let transfer = exchange.transfer else { return }
      let result = transfer.resumeReceiving()
      // The data before the pause was invalid; libcurl would report that only when more data arrives.
      if let callbackError = transfer.callbackError {
        end(transfer, callbackError)
      } else if let result {
        end(transfer, transfer.failure(for: result))
      } else {
        loop.scheduleCheck(transfer.expiry)
      }
    case .resumeSending(let exchange):
      exchange.transfer?.resumeSending()
      loop.scheduleCheck(exchange.transfer?.expiry)
    case .expire(let exchange):
      expire(exchange)
    case .finish:
      isFinishing = true
    }
  }

  private func start(_ exchange: CurlExchange) {
    // The failure of another exchange of this iteration may have disposed it.
    if exchange.request.isStale || exchange.observer.isDisposed {
      exchange.claimEnd()
      return queue.finish(exchange)
    }
    let handle: CurlHandle
    do throws(NetworkError) {
      if let idle = idleHandles.popLast() { handle = idle } else { handle = try CurlHandle(resolved) }
      minimumIdleCount = min(minimumIdleCount, idleHandles.count)
    } catch {
      queue.finish(exchange)
      exchange.claimEnd()
      return exchange.observer.fail(error.attaching(exchange.request))
    }
    let transfer = CurlTransfer(exchange, handle, loop, index: active.count)
    active.append(transfer)
    exchange.transfer = transfer
    let hasProxyFailed = proxyFailedAt.map { loop.now - $0 < unconnected.lifetime } ?? false
    handle.cachesAddresses = !hasProxyFailed && unconnected.age(exchange.origin, at: loop.now) == nil
    // Connections that were last used before the request that was not answered, in libcurl's whole seconds.
    handle.idleLimit = unanswered.age(exchange.origin, at: loop.now).map { Int($0.components.seconds) - 1 }
    let isSuspect = !suspects.isEmpty && suspects.contains(exchange.origin)
    do throws(NetworkError) {
      try transfer.prepare(
        avoidsReuse: isSuspect || exchange.request.context.needsNewConnection || handle.idleLimit.map { $0 < 1 } == true
      )
      add(transfer)
    } catch {
      // The handle still has the measurements of its previous request.
      end(transfer, error, Metrics(endedAt: .now - exchange.subscribedAt))
    }
  }

  private func add(_ transfer: CurlTransfer) {
    guard ccurl_multi_add(loop.multi, transfer.handle.easy) == CCURL_OK else {
      let failure = NetworkError(
        .invalidTransport, reason: "libcurl could not start the transfer", request: transfer.request)
      return end(transfer, failure, Metrics(endedAt: .now - transfer.exchange.subscribedAt))
    }
    loop.scheduleCheck(transfer.expiry)
  }

  private func endFinished() {
    var result = 0
    while let easy = ccurl_multi_next_done(loop.multi, &result) {
      guard let context = ccurl_context(easy), let transfer = CurlHandle.from(context).transfer?.takeUnretainedValue()
      else { continue }
      finish(transfer, result)
    }
  }

  private func finish(_ transfer: CurlTransfer, _ result: Int) {
    switch result {
    case CCURL_COULDNT_RESOLVE_HOST, CCURL_COULDNT_RESOLVE_PROXY, CCURL_COULDNT_CONNECT, CCURL_OPERATION_TIMEDOUT:
      recordNoConnection(of: transfer)
    default: break
    }
    switch transfer.end(with: result) {
    case .resend:
      ccurl_multi_remove(loop.multi, transfer.handle.easy)
      transfer.prepareResend()
      add(transfer)
    case .hold: break
    case .drop:
      transfer.exchange.claimEnd()
      remove(transfer)
    case .end(let failure): end(transfer, failure)
    }
  }

  /// Records a failure to connect: to the server or, which libcurl does not tell, to its proxy.
  private func recordNoConnection(of transfer: CurlTransfer) {
    unconnected.record(transfer.exchange.origin, at: loop.now)
    if resolved.hasProxy, !transfer.handle.lastBypassedProxy { proxyFailedAt = loop.now }
  }

  /// Ends a transfer that was not cancelled: its observer fails or completes.
  private func end(_ transfer: CurlTransfer, _ failure: NetworkError?, _ finalMetrics: Metrics? = nil) {
    let metrics = finalMetrics ?? transfer.metrics
    let exchange = transfer.exchange
    exchange.claimEnd()
    remove(transfer)
    if var failure {
      failure.metrics = metrics
      exchange.observer.fail(failure)
    } else {
      exchange.observer.complete(with: .metrics(metrics))
    }
  }

  /// Removes a transfer silently; libcurl closes its connection in the middle of a response.
  private func remove(_ transfer: CurlTransfer) {
    // libcurl would reset the HTTP/2 stream only with the connection's next use. This closes it, unless it is shared.
    if transfer.isMultiplexing, !transfer.isFinished { transfer.handle.forbidsReuse = true }
    ccurl_multi_remove(loop.multi, transfer.handle.easy)
    transfer.close()
    let last = active.removeLast()
    if last !== transfer {
      active[transfer.index] = last
      last.index = transfer.index
    }
    if !transfer.handle.isUsedUp { idleHandles.append(transfer.handle) }
    queue.finish(transfer.exchange)
  }

  /// Ends exchanges whose timeout has passed or whose connection was closed, and determines the next check.
  private func expire() {
    trim()
    guard let next = loop.nextExpiry, loop.now >= next else { return }
    let now = loop.now
    loop.nextExpiry = nil
    for transfer in active {
      guard let expiry = transfer.expiry else { continue }
      if expiry > now {
        loop.scheduleCheck(expiry)
      } else if transfer.flow.sending == .running {
        let reason = "idle timeout: no bytes sent or received for \(transfer.request.idleTimeout)"
        timeOut(transfer, NetworkError(.timedOut, reason: reason, request: transfer.request))
      } else if let result = transfer.resultOfPausedUpload() {
        finish(transfer, result)
      } else {
        loop.scheduleCheck(transfer.expiry)
      }
    }
  }

  /// Fails an exchange whose total timeout has passed, even while it is queued.
  private func expire(_ exchange: CurlExchange) {
    guard let deadline = exchange.request.deadline, !exchange.isTerminated else { return }
    if let transfer = exchange.transfer {
      return timeOut(transfer, deadline.failure(of: exchange.request, transfer.metrics))
    }
    guard exchange.claimEnd() else { return }
    let metrics = Metrics(endedAt: .now - exchange.subscribedAt)
    exchange.observer.fail(deadline.failure(of: exchange.request, metrics))
    exchange.releaseBody()
  }

  /// Ends an exchange whose idle or total timeout has passed, and avoids its connection if that may be dead.
  private func timeOut(_ transfer: CurlTransfer, _ failure: @autoclosure () -> NetworkError) {
    if transfer.hasCompleteResponse { return end(transfer, nil) }
    let (origin, instant) = (transfer.exchange.origin, transfer.lastActivityAt)
    if transfer.isConnecting { recordNoConnection(of: transfer) }
    end(transfer, failure())
    guard transfer.flow.isRunning, CurlSuspects.isLong(loop.now - instant, transfer.request.idleTimeout) else { return }
    if transfer.isUnanswered { unanswered.record(origin, at: instant) }
    if transfer.connection >= 0 { suspects.add(transfer.connection, origin, silentSince: instant, if: isSilent) }
  }

  /// Returns whether exchanges use a connection on which nothing has arrived since an instant.
  private func isSilent(_ connection: Int64, since instant: SuspendingClock.Instant) -> Bool {
    var isUsed = false
    for transfer in active where transfer.connection == connection {
      if let receivedAt = transfer.lastReceivedAt, receivedAt > instant { return false }
      isUsed = true
    }
    return isUsed && loop.connections.lastInput(on: connection).map { $0 > instant } != true
  }

  // MARK: Idle handles

  /// The minimum number of idle handles since the last trim: that many were not needed.
  private var minimumIdleCount = 0
  private var nextTrim: SuspendingClock.Instant
  /// The interval for freeing unneeded handles, which hold header fields and a body: each is kept for 10 to 20 seconds.
  private static let trimInterval = Duration.seconds(10)

  private func trim() {
    guard loop.now >= nextTrim else { return }
    idleHandles.removeFirst(min(minimumIdleCount, idleHandles.count))
    minimumIdleCount = idleHandles.count
    nextTrim = loop.now + CurlEngine.trimInterval
  }

  /// The time in milliseconds until the next check, rounded up so that the loop does not spin.
  private var waitingTime: Int32 {
    var due = loop.nextExpiry ?? loop.now + .seconds(60)
    if !idleHandles.isEmpty { due = min(due, nextTrim) }
    let parts = (due - loop.now).components
    if parts.seconds >= 60 { return 60_000 }
    return Int32(max(0, parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000 + 1))
  }
}

/// Runs a closure and releases what Foundation autoreleases in it, because an endless loop has no pool that is drained.
private func pooled<Result>(_ work: () -> Result) -> Result {
  #if canImport(ObjectiveC)
  autoreleasepool(invoking: work)
  #else
  work()
  #endif
}
#endif
