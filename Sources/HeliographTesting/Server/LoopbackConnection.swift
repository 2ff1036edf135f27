import Foundation

/// An accepted connection, owned by the loop's thread.
///
/// It never blocks: after each event it advances as far as possible and then publishes its `interest` and `wakeAt`.
/// It receives a request, responds and then receives the next; a pipelined request stays in the buffer until then.
final class LoopbackConnection {
  private enum Phase {
    case receiving
    /// The connection waits for the task of a route.
    case awaitingResponse
    case responding
    case delaying
    case holding
    case resetting
    case lingering
  }

  /// The read buffer limit while a response is in flight; beyond it reading stops, so that TCP applies back-pressure.
  private static let bufferedByteLimit = 1 << 20
  /// The maximum number of bytes transferred for one connection in one iteration of the loop.
  private static let iterationByteLimit = 4 << 20
  /// The maximum size of one write, and the maximum number of bytes that the log counts before they are written.
  private static let writeByteLimit = 256 << 10
  /// The maximum wait for a client's FIN after the server's; an immediate close with unread bytes of the client would
  /// send an RST, which can destroy the response in transit.
  private static let lingerTime = Duration.seconds(1)
  /// The interval at which an abort checks whether the written bytes have arrived, and the time after which it stops.
  private static let resetInterval = Duration.milliseconds(1)
  private static let resetTime = Duration.seconds(2)

  let id: Int
  let socket: Socket
  /// The time at which to call `advance()`, other than after an event.
  private(set) var wakeAt: ContinuousClock.Instant?
  /// Whether the connection is closed; set once, after which the loop closes the descriptor.
  private(set) var isClosed = false

  private let serverLog: ServerLog
  private let routes: RouteTable
  private let responses: RouteResponses
  private var task: Task<Void, Never>?
  private var pendingHead: RequestHead?
  private var parser: RequestParser
  private var phase = Phase.receiving
  private var steps: ArraySlice<LoopbackResponse.Step> = []
  private var closesAfterResponse = false
  private var output = Data()
  private var hasClientEnded = false
  private var resetDeadline: ContinuousClock.Instant?

  init(id: Int, socket: Socket, routes: RouteTable, responses: RouteResponses, serverLog: ServerLog) {
    self.id = id
    self.socket = socket
    self.routes = routes
    self.responses = responses
    self.serverLog = serverLog
    parser = RequestParser(bodyByteLimit: serverLog.bodyByteLimit)
  }

  var interest: Readiness {
    var interest: Readiness = output.isEmpty ? [] : .writable
    if !hasClientEnded {
      let isFull = phase != .receiving && phase != .lingering && parser.bufferedByteCount >= Self.bufferedByteLimit
      interest.formUnion(isFull ? .hangUp : [.readable, .hangUp])
    }
    return interest
  }

  func handle(_ readiness: Readiness, scratch: UnsafeMutableRawBufferPointer) {
    if !readiness.isDisjoint(with: [.readable, .hangUp]) {
      // A second hang-up is an abort, so the client receives nothing more.
      if hasClientEnded, readiness.contains(.hangUp) { return close(byClient: true) }
      receive(scratch, isEnding: readiness.contains(.hangUp))
    }
    advance()
  }

  /// Advances as far as possible without blocking.
  func advance() {
    while !isClosed, flush(), advancePhase() {}
  }

  /// Sends the response of a route's task.
  func respond(_ response: LoopbackResponse) {
    guard phase == .awaitingResponse else { return }
    task = nil
    begin(ResponsePlan(response, to: pendingHead))
    advance()
  }

  private func receive(_ scratch: UnsafeMutableRawBufferPointer, isEnding: Bool) {
    var budget = Self.iterationByteLimit
    // The peer's remaining bytes are limited by the kernel's buffer, and its FIN must not be missed.
    while !hasClientEnded, budget > 0 || isEnding {
      switch socket.receive(into: scratch) {
      case .bytes(let count):
        budget -= count
        serverLog.recordReceived(count, on: id)
        if phase != .lingering { parser.append(UnsafeRawBufferPointer(rebasing: scratch[..<count])) }
        if phase == .receiving { advance() }
        if isClosed || count < scratch.count && !isEnding { return }
      case .wouldBlock: return
      case .end:
        hasClientEnded = true
        serverLog.recordClose(id, byClient: true)
      case .failed: return close(byClient: true)
      }
    }
  }

  /// Writes pending output and returns whether all of it is written.
  private func flush() -> Bool {
    var budget = Self.iterationByteLimit
    while !output.isEmpty {
      guard budget > 0 else { return false }
      let planned = output.prefix(Self.writeByteLimit)
      // Logged before the write, so that a client that has read all bytes finds them in the log.
      serverLog.recordSent(planned.count, on: id)
      let transfer = planned.withUnsafeBytes { socket.send($0) }
      guard case .bytes(let count) = transfer else {
        serverLog.recordSent(-planned.count, on: id)
        if transfer == .failed { close(byClient: true) }
        return false
      }
      if count < planned.count { serverLog.recordSent(count - planned.count, on: id) }
      // An empty slice would retain all bytes.
      output = count == output.count ? Data() : output.dropFirst(count)
      budget -= count
    }
    return true
  }

  /// Closes immediately, even with a response in flight.
  func close(byClient isClosedByClient: Bool) {
    serverLog.recordClose(id, byClient: isClosedByClient)
    task?.cancel()
    isClosed = true
  }

  /// Advances the current phase and returns whether there is more to do now.
  private func advancePhase() -> Bool {
    switch phase {
    case .receiving: return parseNext()
    case .responding: return performNext()
    case .delaying:
      if hasClientEnded { close(byClient: true) }
      guard !isClosed, isDue else { return false }
      enter(.responding)
      return true
    case .holding, .awaitingResponse:
      if hasClientEnded { close(byClient: true) }
      return false
    case .resetting:
      let now = ContinuousClock.now
      if socket.unacknowledgedByteCount > 0, let resetDeadline, now < resetDeadline {
        wakeAt = now + Self.resetInterval
        return false
      }
      socket.resetOnClose()
      close(byClient: false)
      return false
    case .lingering:
      if hasClientEnded || isDue { isClosed = true }
      return false
    }
  }

  private var isDue: Bool { wakeAt.map { $0 <= .now } ?? false }

  private func enter(_ next: Phase, for duration: Duration? = nil) {
    phase = next
    wakeAt = duration.map { .now + min(max($0, .zero), ServerLog.longestWait) }
  }

  private func parseNext() -> Bool {
    do throws(RequestFault) {
      switch try parser.next() {
      case .needsMore:
        if hasClientEnded { close(byClient: true) }
        return false
      case .continueExpected:
        output = Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)
      case .request(let head, let body):
        let request = serverLog.record(LoopbackRequest(head, body: body, connection: id))
        switch routes.handler(for: request) {
        case .synchronous(let respond): begin(ResponsePlan(respond(request), to: head))
        case .asynchronous(let respond):
          pendingHead = head
          enter(.awaitingResponse)
          task = Task { [id, responses] in responses.add(await respond(request), on: id) }
        }
      }
    } catch {
      begin(ResponsePlan(.json(#"{"error":"\#(error.reason)"}"#, status: error.status), to: nil))
    }
    return true
  }

  private func begin(_ plan: ResponsePlan) {
    steps = plan.steps[...]
    closesAfterResponse = plan.closesAfterResponse
    enter(.responding)
  }

  private func performNext() -> Bool {
    switch steps.popFirst() {
    case .bytes(let data): output = data
    case .text(let text): output = Data(text.utf8)
    case .delay(let duration): enter(.delaying, for: duration)
    case .hold: enter(.holding)
    case .reset:
      resetDeadline = .now + Self.resetTime
      enter(.resetting)
    case .close: finishSending()
    case nil:
      if closesAfterResponse { finishSending() } else { enter(.receiving) }
    }
    return true
  }

  private func finishSending() {
    serverLog.recordClose(id, byClient: false)
    socket.finishSending()
    enter(.lingering, for: Self.lingerTime)
  }
}
