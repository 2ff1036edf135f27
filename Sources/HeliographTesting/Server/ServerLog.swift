import Signals

/// The log of a server and the waiters for its conditions.
///
/// The loop writes; any thread reads and waits. Conditions are called on the loop's thread, without a lock.
final class ServerLog: Sendable {
  typealias Condition = @Sendable (LoopbackLog) -> Bool

  private struct Waiter: Sendable {
    let id: Int
    let deadline: ContinuousClock.Instant
    let condition: Condition
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State: Sendable {
    var log = LoopbackLog()
    var requestCount = 0
    var waiters: [Waiter] = []
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
  private let keepsRequests: Bool

  init(wakeup: Wakeup, bodyByteLimit: Int, keepsRequests: Bool) {
    self.wakeup = wakeup
    self.bodyByteLimit = bodyByteLimit
    self.keepsRequests = keepsRequests
  }

  var log: LoopbackLog { state.withLock { $0.log } }

  func forgetRequests() {
    state.withLock { $0.log.requests = [] }
  }
}

// MARK: - Writing, by the loop

extension ServerLog {
  func recordOpening() -> Int {
    state.withLock { state in
      let id = state.log.connections.count
      state.log.connections.append(LoopbackLog.Connection(id: id, openedAt: .now))
      state.hasChanged = true
      return id
    }
  }

  func recordReceived(_ byteCount: Int, on connection: Int) {
    state.withLock { state in
      state.log.connections[connection].receivedByteCount += byteCount
      state.hasChanged = true
    }
  }

  func recordSent(_ byteCount: Int, on connection: Int) {
    state.withLock { state in
      state.log.connections[connection].sentByteCount += byteCount
      state.hasChanged = true
    }
  }

  /// Records a request and returns it with its number.
  func record(_ request: LoopbackRequest) -> LoopbackRequest {
    state.withLock { state in
      var request = request
      request.index = state.requestCount
      state.requestCount += 1
      if keepsRequests { state.log.requests.append(request) }
      state.log.connections[request.connection].requestCount += 1
      state.hasChanged = true
      return request
    }
  }

  /// Records a close; only the first close of a connection counts.
  func recordClose(_ connection: Int, byClient isClosedByClient: Bool) {
    state.withLock { state in
      guard state.log.connections[connection].closedAt == nil else { return }
      state.log.connections[connection].closedAt = .now
      state.log.connections[connection].isClosedByClient = isClosedByClient
      state.hasChanged = true
    }
  }
}

// MARK: - Waiting

extension ServerLog {
  func wait(for timeout: Duration, until condition: @escaping Condition) async -> Bool {
    let id = state.withLock { state in
      state.lastWaiterID += 1
      return state.lastWaiterID
    }
    let deadline = ContinuousClock.now + min(max(timeout, .zero), Self.longestWait)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        register(Waiter(id: id, deadline: deadline, condition: condition, continuation: continuation))
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume(returning: false)
    }
  }

  private func register(_ waiter: Waiter) {
    let finalLog: LoopbackLog? = state.withLock { state in
      // A cancellation before this point found no waiter to resume; a later one will.
      if state.isFinished || Task.isCancelled { return state.log }
      state.waiters.append(waiter)
      state.hasChanged = true
      return nil
    }
    guard let finalLog else { return wakeup.signal() }
    waiter.continuation.resume(returning: waiter.condition(finalLog))
  }

  /// Resumes waiters whose condition holds or whose deadline has passed; returns the next deadline.
  ///
  /// Called once in each iteration of the loop.
  func resumeWaiters() -> ContinuousClock.Instant? {
    let now = ContinuousClock.now
    let (log, candidates) = state.withLock { state -> (LoopbackLog, [Waiter]) in
      let candidates = state.hasChanged ? state.waiters : state.waiters.filter { $0.deadline <= now }
      state.hasChanged = false
      return (candidates.isEmpty ? LoopbackLog() : state.log, candidates)
    }
    if !candidates.isEmpty {
      resume(
        candidates.compactMap { waiter in
          let holds = waiter.condition(log)
          return holds || waiter.deadline <= now ? (waiter.id, holds) : nil
        })
    }
    return state.withLock { $0.waiters.lazy.map(\.deadline).min() }
  }

  /// Marks the log as final and resumes every waiter with its condition on the final log.
  func finish() {
    state.withLock { $0.isFinished = true }
    let (log, waiters) = state.withLock { ($0.log, $0.waiters) }
    resume(waiters.map { ($0.id, $0.condition(log)) })
  }

  private func resume(_ results: [(id: Int, holds: Bool)]) {
    for result in results {
      // A cancellation may already have removed the waiter.
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.id == result.id }.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume(returning: result.holds)
    }
  }
}
