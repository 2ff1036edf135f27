import Signals

/// The event loop of a server: waits for sockets and timers on one thread and advances the connections.
final class EventLoop {
  /// The tokens of the two descriptors that are not connections.
  private static let listenerToken = -1
  private static let wakeupToken = -2
  /// The maximum number of connections accepted before existing ones are served.
  private static let acceptLimit = 256
  /// The pause before the next accept when nothing can be accepted; without it the loop would spin.
  private static let exhaustionPause = Duration.milliseconds(20)
  /// The maximum pause before a failed listener is replaced again.
  private static let maximumPause = Duration.seconds(1)

  /// The listening socket; `nil` if it has failed and is not replaced yet.
  private var listener: Socket?
  private let port: UInt16?
  private let routes: RouteTable
  private let serverLog: ServerLog
  private let wakeup: Wakeup
  private let responses: RouteResponses
  private var poller = Poller()
  /// Large enough for uploads with few calls, small enough for the processor's cache.
  private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)

  private struct Entry {
    let connection: LoopbackConnection
    var interest: Readiness
    var wakeAt: ContinuousClock.Instant?
  }

  private var entries: [Int: Entry] = [:]
  /// The tokens of the waiting connections, or of the listener; a connection that no longer waits ignores its entry.
  private var timers = TimerQueue<ContinuousClock.Instant, Int>()
  /// The number of times in a row that the listener was ready and accepted no connection.
  private var vainCount = 0
  /// The pause after the next failure of the listener; it doubles until a connection is accepted.
  private var failurePause = EventLoop.exhaustionPause

  init(listener: Socket, routes: RouteTable, serverLog: ServerLog, wakeup: Wakeup) {
    self.listener = listener
    port = try? listener.localPort()
    self.routes = routes
    self.serverLog = serverLog
    self.wakeup = wakeup
    responses = RouteResponses(wakeup: wakeup)
  }

  deinit {
    scratch.deallocate()
  }

  /// Runs the loop until a stop is requested, and closes every socket before it returns.
  func run() {
    resumeListening()
    poller.add(wakeup.readEnd, token: Self.wakeupToken, for: .readable)
    var waiterDeadline: ContinuousClock.Instant?
    while !wakeup.isStopRequested {
      for (token, readiness) in poller.wait(milliseconds: milliseconds(until: waiterDeadline)) {
        dispatch(token, readiness)
      }
      deliverResponses()
      fireTimers()
      waiterDeadline = serverLog.resumeWaiters()
    }
    listener?.close()
    for entry in entries.values {
      entry.connection.close(byClient: false)
      entry.connection.socket.close()
    }
    entries = [:]
    serverLog.finish()
  }

  private func dispatch(_ token: Int, _ readiness: Readiness) {
    switch token {
    case Self.listenerToken: acceptAll()
    case Self.wakeupToken: wakeup.clear()
    default:
      // The connection may have closed earlier in this iteration.
      guard let connection = entries[token]?.connection else { return }
      connection.handle(readiness, scratch: scratch)
      updateInterest(connection)
    }
  }

  private func acceptAll() {
    guard let listener else { return }
    var abortedCount = 0
    for count in 0..<Self.acceptLimit {
      switch listener.accept() {
      case .aborted: abortedCount += 1
      // The connection that made the listener ready may be gone.
      case .none where count > 0 || vainCount == 0:
        vainCount = count == 0 ? 1 : 0
        return
      // The system closes the listener of a suspended app: it is ready from then on and accepts nothing.
      case .none:
        vainCount += 1
        return pauseListening(hasFailed: vainCount > 2)
      case .failed: return pauseListening(hasFailed: true)
      case .exhausted: return pauseListening(hasFailed: false)
      case .socket(let socket):
        (vainCount, failurePause) = (0, Self.exhaustionPause)
        let connection = LoopbackConnection(
          id: serverLog.recordOpening(), socket: socket, routes: routes, responses: responses, serverLog: serverLog)
        entries[connection.id] = Entry(connection: connection, interest: connection.interest, wakeAt: nil)
        poller.add(socket.descriptor, token: connection.id, for: connection.interest)
      }
    }
    if abortedCount == Self.acceptLimit { pauseListening(hasFailed: true) }
  }

  /// Ignores the listener for a time, because it would be ready again at once, and closes it if it has failed.
  private func pauseListening(hasFailed: Bool) {
    // Removed, because the end of a connection is reported without interest in it.
    poller.remove(token: Self.listenerToken)
    timers.add(Self.listenerToken, at: .now + (hasFailed ? failurePause : Self.exhaustionPause))
    guard hasFailed else { return }
    failurePause = min(failurePause * 2, Self.maximumPause)
    listener?.close()
    listener = nil
  }

  /// Waits for connections again, with a new listener at the same port if the last one has failed.
  private func resumeListening() {
    if listener == nil, let port { listener = try? Socket.listening(on: port) }
    guard let listener else { return pauseListening(hasFailed: true) }
    poller.add(listener.descriptor, token: Self.listenerToken, for: .readable)
  }

  private func deliverResponses() {
    for (id, response) in responses.takeAll() {
      // The client may have closed the connection in the meantime.
      guard let connection = entries[id]?.connection else { continue }
      connection.respond(response)
      updateInterest(connection)
    }
  }

  private func fireTimers() {
    guard let earliest = timers.earliest, earliest <= .now else { return }
    let now = ContinuousClock.now
    while let token = timers.takeDue(at: now) {
      if token == Self.listenerToken {
        resumeListening()
      } else if let connection = entries[token]?.connection {
        connection.advance()
        updateInterest(connection)
      }
    }
  }

  /// Registers the connection's current interest with the poller and the timers.
  private func updateInterest(_ connection: LoopbackConnection) {
    guard !connection.isClosed else {
      poller.remove(token: connection.id)
      entries[connection.id] = nil
      connection.socket.close()
      return
    }
    let interest = connection.interest
    if entries[connection.id]?.interest != interest {
      entries[connection.id]?.interest = interest
      poller.update(token: connection.id, for: interest)
    }
    if entries[connection.id]?.wakeAt != connection.wakeAt {
      entries[connection.id]?.wakeAt = connection.wakeAt
      if let wakeAt = connection.wakeAt { timers.add(connection.id, at: wakeAt) }
    }
  }

  /// Returns the time until the next deadline, rounded up, because waking early would mean waking twice.
  private func milliseconds(until waiterDeadline: ContinuousClock.Instant?) -> Int32 {
    guard let next = [timers.earliest, waiterDeadline].compactMap({ $0 }).min() else { return -1 }
    let remaining = min(max(ContinuousClock.now.duration(to: next), .zero), .seconds(60))
    return Int32((remaining / .milliseconds(1)).rounded(.up))
  }
}
