import Signals

/// One run of a call, a batch or a chain, from its start to its end.
final class Run: Sendable {
  /// A point of the run at which the app's closures are called.
  enum Moment {
    case update, success, failure
  }

  private struct State {
    /// The closure that calls the app; retained while the run is in flight.
    var call: (@MainActor @Sendable (Moment) -> Void)?
    var whenEnded: (@Sendable (NetworkError?) -> Void)?
    var beforeSuccess: (@Sendable () -> Void)?
    /// The failure of a call whose account changed before an update was delivered.
    var staleFailure: NetworkError?
    /// Whether `willStart` of the accessories is running.
    var isStarting = true
    /// Whether the run was cancelled during `willStart`; its end is reported afterwards.
    var isCancelledAtStart = false
  }

  let id = RequestID.next()
  private let work: any Startable
  private let scope: ClientScope?
  private let accessories: [any Accessory]
  private let state: Guarded<State>
  private let subscription = SerialHandle()

  /// Creates a run.
  ///
  /// `beforeSuccess` runs after success, before another run can begin, so that it reads the results of this one.
  /// `whenEnded` runs once at the end, on the thread that ends the run, with the failure or the cancellation.
  init(
    _ work: any Startable, in scope: ClientScope? = nil, _ call: (@MainActor @Sendable (Moment) -> Void)? = nil,
    beforeSuccess: (@Sendable () -> Void)? = nil, whenEnded: (@Sendable (NetworkError?) -> Void)? = nil
  ) {
    self.work = work
    self.scope = scope
    accessories = work.accessories
    state = Guarded(State(call: call, whenEnded: whenEnded, beforeSuccess: beforeSuccess))
  }

  /// Starts the run; returns `false` if another one is in flight.
  func start(for owner: AnyObject?) -> Bool {
    guard work.begin(self) else {
      release()
      return false
    }
    work.reset(id)
    for accessory in accessories { accessory.willStart(work) }
    let isCancelled = state.withLock { state in
      state.isStarting = false
      return state.isCancelledAtStart
    }
    if isCancelled {
      finish(with: .cancellation)
      return true
    }
    guard work.isCurrent(id) else { return true }
    var events = work.work(id, in: scope).observe(on: .main)
    if let owner { events = events.bound(to: owner) }
    // The work may be cancelled while it starts.
    let handle = Disposable()
    subscription.set(handle)
    // After a disposal (owner deallocated, or cancellation) no event arrives: `finally` ends the run when its requests
    // have ended.
    events.finally { self.end(with: .cancellation) }.subscribe(with: handle) { event in
      // The main queue is the main actor's executor.
      MainActor.assumeIsolated { self.receive(event) }
    }
    return true
  }

  func cancel() {
    subscription.dispose()
    end(with: .cancellation)
  }

  @MainActor
  private func receive(_ event: Event<Void, NetworkError>) {
    switch event {
    case .value:
      guard work.isCurrent(id) else { return }
      // A failure follows, or a completion that was on its way already.
      if let failure = work.takeStaleFailure(id) { return state.withLock { $0.staleFailure = failure } }
      work.didUpdate()
      // The hook or the delegate may have cancelled the run.
      if work.isCurrent(id) { work.delegate?.didUpdate(work) }
      if work.isCurrent(id) { state.withLock { $0.call }?(.update) }
    case .failed(let error) where error.isCancelled: end(with: error)
    case .failed(let error):
      end(with: work.takeStaleFailure(id, replacing: error) ?? error) { self.deliver(.failure) }
    case .completed:
      if let failure = state.withLock({ $0.staleFailure }) ?? work.takeStaleFailure(id) {
        // Until now the run was a success.
        if work.isCurrent(id) { work.willFail(with: failure) }
        return end(with: failure) { self.deliver(.failure) }
      }
      if work.isCurrent(id) { state.withLock { $0.beforeSuccess }?() }
      end(with: nil) { self.deliver(.success) }
    }
  }

  @MainActor
  private func deliver(_ moment: Moment) {
    if moment == .success { work.didSucceed() } else { work.didFail() }
    let delegate = work.delegate
    if moment == .success { delegate?.didSucceed(work) } else { delegate?.didFail(work) }
    state.withLock { $0.call }?(moment)
  }

  /// Ends the run, unless it has already ended.
  private func end(with error: NetworkError?, _ deliver: () -> Void = {}) {
    guard work.end(id, with: error) else { return }
    let isDeferred = state.withLock { state in
      state.isCancelledAtStart = state.isStarting
      return state.isStarting
    }
    if !isDeferred { finish(with: error, deliver) }
  }

  private func finish(with error: NetworkError?, _ deliver: () -> Void = {}) {
    // Another thread may have cancelled it before its work began.
    if error?.isCancelled == true { work.releaseWork() }
    for accessory in accessories { accessory.willStop(work) }
    deliver()
    for accessory in accessories { accessory.didStop(work) }
    release()?(error)
  }

  /// Releases the app's closures and returns the last one to call.
  @discardableResult
  private func release() -> (@Sendable (NetworkError?) -> Void)? {
    let last = state.withLock { state in
      let last = state
      state = State(isStarting: false)
      return last
    }
    return last.whenEnded
  }
}
