package import Foundation
package import Signals

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// An exchange of a session, from the start of its task to its end.
package struct SessionExchange: Sendable {
  package let observer: Observer<TransportEvent, NetworkError>
  package let task: URLSessionTask
  package let request: HTTPRequest
  /// Whether the task was started by an earlier process.
  private let isAdopted: Bool
  /// The length of a body that is no stream, as it was at the start: a file may be removed meanwhile.
  private let byteCount: Int?
  private let startedAt = SuspendingClock.now
  private var lastActivityAt = SuspendingClock.now
  private var firstByteAt: Duration?
  private var receivedByteCount = 0
  var measurement: SessionMeasurement?
  /// The body of the response, if the task has written it to a file.
  package var file: FileHandle?
  #if !canImport(FoundationNetworking)
  var body: StreamedBody?
  #endif
  /// Whether the server's certificate was accepted by the transport's own authorities.
  var isTrusted = false
  /// What has arrived since the task was suspended because the consumer is above the high-water mark; `nil` unless it
  /// is suspended.
  var backlog: PausedBacklog?
  /// Whether the session has nothing to send until the source of the body delivers a piece.
  var isAwaitingSource = false

  package init(
    _ observer: Observer<TransportEvent, NetworkError>, _ task: URLSessionTask, _ request: HTTPRequest,
    isAdopted: Bool = false
  ) {
    self.observer = observer
    self.task = task
    self.request = request
    self.isAdopted = isAdopted
    byteCount = if case .stream = request.body { nil } else { request.body.byteCount }
  }

  /// The length of the body; `nil` until the end of a stream was read.
  private var bodyByteCount: Int? {
    #if canImport(FoundationNetworking)
    byteCount
    #else
    byteCount ?? body?.byteCountAtEnd
    #endif
  }

  /// Whether the task is suspended because the consumer is above the high-water mark.
  var isPaused: Bool { backlog != nil }

  var hasHead: Bool { firstByteAt != nil }

  /// The instant at which the idle timeout passes without further traffic; `nil` while the exchange is paused or the
  /// source of its body is awaited.
  ///
  /// Time in which the device sleeps does not count.
  var expiry: SuspendingClock.Instant? {
    isPaused || isAwaitingSource ? nil : lastActivityAt + request.idleTimeout
  }

  package var metrics: Metrics {
    var contents = Metrics(
      startedAt: .zero, firstByteAt: firstByteAt, endedAt: .now - startedAt,
      sentByteCount: Int(clamping: max(0, task.countOfBytesSent)), receivedByteCount: receivedByteCount)
    let sentBodyByteCount = contents.sentByteCount
    measurement?.merge(&contents, keepingInstants: isAdopted)
    // The session does not report whether it has sent a head alone.
    if let bodyByteCount, bodyByteCount > 0 { contents.hasSentAll = sentBodyByteCount >= bodyByteCount }
    return contents
  }

  /// Returns the reason of the failure if the body has ended before the length that its head declares; `nil` otherwise.
  ///
  /// The session may report such an end as a success, such as that of a stream of HTTP/2.
  func truncation(of response: URLResponse?) -> String? {
    // The session's length is compared first, because a head costs some microseconds.
    guard request.method != .head, let response, response.expectedContentLength > Int64(receivedByteCount),
      let head = SessionDelegate.head(of: response, for: task), let length = head.fileByteCount,
      length > receivedByteCount, head.statusCode != 204,
      // Foundation on Linux drops the body of a redirect that is not followed.
      !(300..<400).contains(head.statusCode)
    else { return nil }
    return "response body truncated: \(receivedByteCount) of \(length) bytes received"
  }

  /// Returns the reason of the failure if the session has decoded a range of an encoded body, which yields other bytes
  /// than those of the range; `nil` otherwise.
  ///
  /// A range from the first byte on is decoded as far as it goes. Some servers encode the range itself, and others name
  /// a coding that the body does not have: then the length is that of the range.
  func rangeFault(of response: URLResponse?) -> String? {
    guard request.method != .head, (response as? HTTPURLResponse)?.statusCode == 206,
      let head = SessionDelegate.head(of: response, for: task), head.headers.hasContentCoding,
      let range = ContentRange(head.headers), range.range.count != receivedByteCount,
      range.first > 0 || receivedByteCount == 0 && range.range.count != range.length
    else { return nil }
    let count = range.range.count
    return "URLSession has decoded \(count) bytes of an encoded body to \(receivedByteCount): use CurlTransport"
  }

  /// Removes the task from its deadline, and stops the stream of the body.
  func end() {
    request.deadline?.leave(task)
    // A task that is cancelled while it is suspended may not report its end.
    if isPaused { task.resume() }
    #if !canImport(FoundationNetworking)
    body?.stop()
    #endif
  }

  /// Pauses the idle timeout while the source of the body is awaited; afterwards it starts again.
  mutating func awaitSource(_ isAwaiting: Bool) {
    isAwaitingSource = isAwaiting
    record()
  }

  mutating func record(receivedByteCount count: Int = 0, isHead: Bool = false) {
    lastActivityAt = .now
    receivedByteCount += count
    if isHead, firstByteAt == nil { firstByteAt = .now - startedAt }
  }
}

package final class SessionExchanges: Sendable {
  private let exchanges = Guarded<[Int: SessionExchange]>([:])
  private let watch = IdleTimeoutWatch()
  #if !canImport(FoundationNetworking)
  /// The bodies of ended exchanges whose tasks have not ended yet.
  private let stoppedBodies = Guarded<[Int: StreamedBody]>([:])
  #endif

  package func add(_ exchange: SessionExchange) {
    exchanges.withLock { $0[exchange.task.taskIdentifier] = exchange }
    if let deadline = exchange.request.deadline {
      deadline.enter(exchange.task) { [weak self] in self?.expire(exchange.task, deadline) }
    }
    scheduleCheck(of: exchange)
  }

  /// Schedules a check for the instant at which the exchange's idle timeout may have passed.
  func scheduleCheck(of exchange: SessionExchange) {
    if let expiry = exchange.expiry { watch.schedule(at: expiry) { [weak self] in self?.failIdle($0, isLate: $1) } }
  }

  /// Removes and returns all exchanges, when their session has become invalid.
  package func removeAll() -> [SessionExchange] {
    let all = exchanges.withLock { exchanges in
      for exchange in exchanges.values { keepBody(of: exchange) }
      defer { exchanges = [:] }
      return Array(exchanges.values)
    }
    for exchange in all { exchange.end() }
    #if !canImport(FoundationNetworking)
    let bodies = stoppedBodies.withLock { bodies in
      defer { bodies = [:] }
      return Array(bodies.values)
    }
    for body in bodies { body.close() }
    #endif
    return all
  }

  /// Keeps the body of an exchange until its task ends; called in the turn of the lock that removes the exchange, so
  /// that the end of the task finds one or the other.
  private func keepBody(of exchange: SessionExchange?) {
    #if !canImport(FoundationNetworking)
    if let exchange, let body = exchange.body { stoppedBodies.withLock { $0[exchange.task.taskIdentifier] = body } }
    #endif
  }

  #if !canImport(FoundationNetworking)
  /// Closes the stream of a task's body, when the task has ended.
  func closeBody(of task: URLSessionTask) {
    stoppedBodies.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.close()
  }
  #endif

  package func remove(_ task: URLSessionTask) -> SessionExchange? {
    let exchange = exchanges.withLock { exchanges in
      let exchange = exchanges.removeValue(forKey: task.taskIdentifier)
      keepBody(of: exchange)
      return exchange
    }
    exchange?.end()
    return exchange
  }

  /// Refuses a redirect, unless the exchange has ended.
  ///
  /// Foundation on Linux traps if the completion handler is called after it has stopped the task. The handler queues a
  /// block on the task's queue, and a cancellation removes the exchange first. So the block is queued before the stop,
  /// or not at all.
  func refuseRedirect(of task: URLSessionTask, _ completionHandler: (URLRequest?) -> Void) {
    exchanges.withLock { exchanges in
      // Inside the lock: Foundation's handler only queues a block, before the task can be cancelled.
      if exchanges[task.taskIdentifier] != nil { completionHandler(nil) }
    }
  }

  /// Fails an exchange whose total timeout has passed.
  private func expire(_ task: URLSessionTask, _ deadline: Deadline) {
    guard let exchange = remove(task) else { return }
    task.cancel()
    exchange.observer.fail(deadline.failure(of: exchange.request, exchange.metrics))
  }

  /// Records traffic; returns the exchange as it was before, if it is still in flight.
  package func record(_ task: URLSessionTask, receivedByteCount: Int = 0, isHead: Bool = false) -> SessionExchange? {
    exchanges.withLock { exchanges in
      let exchange = exchanges[task.taskIdentifier]
      exchanges[task.taskIdentifier]?.record(receivedByteCount: receivedByteCount, isHead: isHead)
      return exchange
    }
  }

  /// Updates an exchange and returns it, or `nil` if it has ended.
  package func update(_ task: URLSessionTask, _ update: (inout SessionExchange) -> Void) -> SessionExchange? {
    exchanges.withLock { exchanges in
      guard var exchange = exchanges[task.taskIdentifier] else { return nil }
      update(&exchange)
      exchanges[task.taskIdentifier] = exchange
      return exchange
    }
  }

  /// Fails the exchanges whose idle timeout has passed; returns the next instant at which an idle timeout may pass.
  private func failIdle(_ now: SuspendingClock.Instant, isLate: Bool) -> SuspendingClock.Instant? {
    let (idle, next) = exchanges.withLock { exchanges in
      if isLate { for number in exchanges.keys { exchanges[number]?.record() } }
      let idle = exchanges.filter { $0.value.expiry.map { $0 <= now } ?? false }
      for number in idle.keys { keepBody(of: exchanges.removeValue(forKey: number)) }
      return (idle.values, exchanges.values.compactMap(\.expiry).min())
    }
    for exchange in idle {
      let request = exchange.request
      exchange.end()
      exchange.task.cancel()
      exchange.observer.fail(
        NetworkError(
          .timedOut, reason: "idle timeout: no bytes received for \(request.idleTimeout)", request: request,
          metrics: exchange.metrics))
    }
    return next
  }
}
