import Foundation

/// One accepted connection, owned by the loop's thread.
///
/// It never waits: after each event it goes as far as it can and then says, by `interest` and `wakeAt`, what it waits
/// for. The order is receive a request, answer it, receive the next; a pipelined request stays in the buffer meanwhile.
final class LoopbackConnection {
  private enum Phase {
    case receiving
    case responding
    case delaying
    case holding
    case resetting
    case lingering
  }

  /// Beyond this no more is read while a response is in flight, so that the sender feels it.
  private static let bufferedByteLimit = 1 << 20
  /// What one turn of the loop moves for one connection before the others have theirs.
  private static let turnByteCount = 4 << 20
  /// The most handed to the kernel at once, and so the most by which the log may briefly run ahead.
  private static let sendByteCount = 256 << 10
  /// How long a client may take to answer the server's FIN.
  ///
  /// Closing at once while bytes of the client are unread would be an RST, which can destroy the response on its way.
  private static let lingerTime = Duration.seconds(1)
  /// The interval at which an abort asks whether the written bytes have arrived, and when it stops asking.
  private static let resetInterval = Duration.milliseconds(1)
  private static let resetTime = Duration.seconds(2)

  let id: Int
  let socket: Socket
  /// When it wants `advance()` to be called, other than by an event.
  private(set) var wakeAt: ContinuousClock.Instant?
  /// Set once; the loop then closes the descriptor.
  private(set) var isClosed = false

  private let ledger: Ledger
  private let routes: RouteTable
  private var parser = RequestParser()
  private var phase = Phase.receiving
  private var steps: ArraySlice<LoopbackResponse.Step> = []
  private var closesAfter = false
  private var output = Data()
  private var outputOffset = 0
  private var hasClientEnded = false
  private var resetDeadline: ContinuousClock.Instant?

  init(id: Int, socket: Socket, routes: RouteTable, ledger: Ledger) {
    self.id = id
    self.socket = socket
    self.routes = routes
    self.ledger = ledger
  }

  private var hasOutput: Bool { outputOffset < output.count }

  var interest: Readiness {
    var interest: Readiness = hasOutput ? .writable : []
    if !hasClientEnded {
      let isFull = phase != .receiving && phase != .lingering && parser.bufferedByteCount >= Self.bufferedByteLimit
      interest.formUnion(isFull ? .hangUp : [.readable, .hangUp])
    }
    return interest
  }

  func handle(_ readiness: Readiness, scratch: UnsafeMutableRawBufferPointer) {
    if !readiness.isDisjoint(with: [.readable, .hangUp]) {
      // A second hang-up is an abort: nobody is left to write to.
      if hasClientEnded, readiness.contains(.hangUp) { return close(by: .client) }
      receive(scratch, isEnding: readiness.contains(.hangUp))
    }
    advance()
  }

  /// Goes as far as possible without waiting.
  func advance() {
    while !isClosed, flush(), advancePhase() {}
  }

  /// Closes at once, whatever is in flight.
  func abandon() {
    close(by: .server)
  }
}

// MARK: - Reading and writing

extension LoopbackConnection {
  private func receive(_ scratch: UnsafeMutableRawBufferPointer, isEnding: Bool) {
    var budget = Self.turnByteCount
    // What is left after the other side's end is bounded by the kernel's buffer, and its end must not be missed.
    while !hasClientEnded, budget > 0 || isEnding {
      switch socket.receive(into: scratch) {
      case .bytes(let count):
        budget -= count
        ledger.received(count, on: id)
        if phase != .lingering { parser.append(UnsafeRawBufferPointer(rebasing: scratch[..<count])) }
        if phase == .receiving { advance() }
        if isClosed || count < scratch.count && !isEnding { return }
      case .wouldBlock: return
      case .end:
        hasClientEnded = true
        ledger.closed(id, by: .client)
      case .failed: return close(by: .client)
      }
    }
  }

  /// Whether nothing is left to write.
  private func flush() -> Bool {
    var budget = Self.turnByteCount
    while hasOutput {
      guard budget > 0 else { return false }
      let planned = min(output.count - outputOffset, Self.sendByteCount)
      // Told to the log before, so that a client that has read it all finds it there.
      ledger.sent(planned, on: id)
      let transfer = output.withUnsafeBytes { bytes in
        socket.send(UnsafeRawBufferPointer(rebasing: bytes[outputOffset..<(outputOffset + planned)]))
      }
      guard case .bytes(let count) = transfer else {
        ledger.sent(-planned, on: id)
        if transfer == .failed { close(by: .client) }
        return false
      }
      if count < planned { ledger.sent(count - planned, on: id) }
      outputOffset += count
      budget -= count
    }
    if outputOffset > 0 {
      output = Data()
      outputOffset = 0
    }
    return true
  }

  private func close(by side: LoopbackLog.Side) {
    ledger.closed(id, by: side)
    isClosed = true
  }
}

// MARK: - Phases

extension LoopbackConnection {
  /// Whether there is more to do now.
  private func advancePhase() -> Bool {
    switch phase {
    case .receiving: return parseNext()
    case .responding: return performNext()
    case .delaying:
      if hasClientEnded { close(by: .client) }
      guard !isClosed, isDue else { return false }
      enter(.responding)
      return true
    case .holding:
      if hasClientEnded { close(by: .client) }
      return false
    case .resetting:
      let now = ContinuousClock.now
      if socket.unacknowledgedByteCount > 0, let resetDeadline, now < resetDeadline {
        wakeAt = now + Self.resetInterval
        return false
      }
      socket.resetOnClose()
      close(by: .server)
      return false
    case .lingering:
      if hasClientEnded || isDue { isClosed = true }
      return false
    }
  }

  private var isDue: Bool { wakeAt.map { $0 <= .now } ?? false }

  private func enter(_ next: Phase, for duration: Duration? = nil) {
    phase = next
    wakeAt = duration.map { .now + min(max($0, .zero), Ledger.longestWait) }
  }

  private func parseNext() -> Bool {
    do throws(RequestFault) {
      switch try parser.next() {
      case .needsMore:
        if hasClientEnded { close(by: .client) }
        return false
      case .continueExpected:
        output = Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)
      case .request(let head, let body):
        let request = ledger.record(LoopbackRequest(head, body: body, connection: id))
        begin(ResponsePlan(routes.respond(to: request), to: head))
      }
    } catch {
      begin(ResponsePlan(.json(#"{"error":"\#(error.reason)"}"#, status: error.status), to: nil))
    }
    return true
  }

  private func begin(_ plan: ResponsePlan) {
    steps = plan.steps[...]
    closesAfter = plan.closesAfter
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
      if closesAfter { finishSending() } else { enter(.receiving) }
    }
    return true
  }

  private func finishSending() {
    ledger.closed(id, by: .server)
    socket.finishSending()
    enter(.lingering, for: Self.lingerTime)
  }
}
