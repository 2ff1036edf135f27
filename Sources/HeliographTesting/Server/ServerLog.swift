import Signals

/// The log of a server and the waiters for its conditions.
///
/// The loop writes; any thread reads and waits. Conditions are called on the loop's thread, without a lock.
final class ServerLog: Sendable {
  typealias Condition = @Sendable (LoopbackLog) -> Bool

  private struct Waiter: Sendable {
    let deadline: ContinuousClock.Instant
    let condition: Condition
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State: Sendable {
    var log = LoopbackLog()
    var connectionCount = 0
    var requestCount = 0
    var waiters: [Int: Waiter] = [:]
    var lastWaiterID = 0
    var hasChanged = false
    var isFinished = false
  }

  /// The maximum wait: longer than any test, and short enough to be added to an instant.
  static let longestWait = Duration.seconds(86_400)

  private let state = Guarded(State())
  private let wakeup: Wakeup
  /// The maximum number of bytes of a body.
  let bodyByteLimit: Int
  private let keepsEntries: Bool

  init(wakeup: Wakeup, bodyByteLimit: Int, keepsEntries: Bool) {
    self.wakeup = wakeup
    self.bodyByteLimit = bodyByteLimit
    self.keepsEntries = keepsEntries
  }

  var log: LoopbackLog { state.withLock { $0.log } }

  func forgetRequests() {
    state.withLock { $0.log.requests = [] }
  }

  func recordOpening() -> Int {
    update { state in
      let id = state.connectionCount
      state.connectionCount += 1
      if keepsEntries { state.log.connections.append(LoopbackLog.Connection(id: id, openedAt: .now)) }
      return id
    }
  }

  func recordReceived(_ byteCount: Int, on connection: Int) {
    update(connection) { $0.receivedByteCount += byteCount }
  }

  func recordSent(_ byteCount: Int, on connection: Int) {
    update(connection) { $0.sentByteCount += byteCount }
  }

  /// Records a request and returns it with its number.
  func record(_ request: LoopbackRequest) -> LoopbackRequest {
    update { state in
      var request = request
      request.index = state.requestCount
      state.requestCount += 1
      guard keepsEntries else { return request }
      state.log.requests.append(request)
      state.log.connections[request.connection].requestCount += 1
      return request
    }
  }

  /// Records a close; only the first close of a connection counts.
  func recordClose(_ connection: Int, byClient isClosedByClient: Bool) {
    update(connection) { connection in
      guard connection.closedAt == nil else { return }
      connection.closedAt = .now
      connection.isClosedByClient = isClosedByClient
    }
  }

  private func update(_ connection: Int, _ change: (inout LoopbackLog.Connection) -> Void) {
    if keepsEntries { update { change(&$0.log.connections[connection]) } }
  }

  private func update<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
    state.withLock { state in
      state.hasChanged = true
      return change(&state)
    }
  }

  func wait(for timeout: Duration, until condition: @escaping Condition) async -> Bool {
    let id = state.withLock { state in
      state.lastWaiterID += 1
      return state.lastWaiterID
    }
    let deadline = ContinuousClock.now + min(max(timeout, .zero), Self.longestWait)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        register(id, Waiter(deadline: deadline, condition: condition, continuation: continuation))
      }
    } onCancel: {
      resume(id, false)
    }
  }

  private func register(_ id: Int, _ waiter: Waiter) {
    let finalLog: LoopbackLog? = state.withLock { state in
      // A cancellation before this point found no waiter to resume; a later one will.
      if state.isFinished || Task.isCancelled { return state.log }
      state.waiters[id] = waiter
      state.hasChanged = true
      return nil
    }
    guard let finalLog else { return wakeup.signal() }
    waiter.continuation.resume(returning: waiter.condition(finalLog))
  }

  /// Resumes waiters whose condition holds or whose deadline has passed, in each iteration of the loop; returns the
  /// next deadline.
  func resumeWaiters() -> ContinuousClock.Instant? {
    let now = ContinuousClock.now
    let (log, candidates) = state.withLock { state in
      defer { state.hasChanged = false }
      return (state.log, state.hasChanged ? state.waiters : state.waiters.filter { $0.value.deadline <= now })
    }
    for (id, waiter) in candidates {
      let holds = waiter.condition(log)
      if holds || waiter.deadline <= now { resume(id, holds) }
    }
    return state.withLock { $0.waiters.values.lazy.map(\.deadline).min() }
  }

  /// Marks the log as final and resumes every waiter with its condition on the final log.
  func finish() {
    let (log, waiters) = state.withLock { state in
      state.isFinished = true
      return (state.log, state.waiters)
    }
    for (id, waiter) in waiters { resume(id, waiter.condition(log)) }
  }

  /// Resumes a waiter, unless a cancellation has resumed it already.
  private func resume(_ id: Int, _ holds: Bool) {
    state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(returning: holds)
  }
}
