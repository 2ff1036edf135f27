public import Signals

/// A chain of steps that depend on the results of other steps.
///
/// Steps with the same dependencies run concurrently.
///
/// ```swift
/// let chain = Chain()
/// let user = chain.add { _ in client.enqueue(request: "/me", resultType: User.self) }
/// let cart = chain.add(after: user) { chain in
///   chain[user].map { client.enqueue(request: "/carts/\($0.value.id)", resultType: Cart.self) }
/// }
/// chain.start(for: self) { model, chain in model.cart = chain[cart]?.value }
/// ```
/// A step starts when all steps that it depends on have ended. If its closure returns `nil`, it is skipped, and its
/// dependents run without its value. The first failure cancels all steps in flight, and no further step starts. The
/// chain succeeds when all of its steps have ended; without steps it succeeds at once.
///
/// Steps may be added while the chain runs: in the closure of a step, or in a callback of its signal. A chain runs
/// once. Steps run without recursion, whatever their number, and a step that has ended retains only its value.
public final class Chain: StartableObject, Startable {
  /// A step of a chain, used to read its value.
  public struct Step<Value: Sendable>: Sendable {
    /// The position of the step in the chain, from 0.
    public let index: Int
  }

  private nonisolated let state = Guarded(ChainState())
  private nonisolated let advancing = Drain()

  /// Creates a chain without steps.
  public nonisolated init() { super.init(isSingleUse: true) }

  /// Adds a step that runs a signal.
  ///
  /// - Parameters:
  ///   - steps: The steps that must end first. Default: none.
  ///   - make: Returns the signal, whose last value is the step's value; `nil` skips the step. A signal that completes
  ///     without a value, such as after a 304 or dropped by a lane, has succeeded: the step's value is `nil`. `make` runs
  ///     on a thread on which a step has ended, or on the one that starts the chain or adds the step.
  /// - Returns: The step. It never runs if the chain has ended.
  @discardableResult
  public nonisolated func add<each Before, Value>(
    after steps: repeat Step<each Before>, run make: @escaping @Sendable (Chain) -> Signal<Value, NetworkError>?
  ) -> Step<Value> {
    add(after: indices(repeat each steps)) { chain in make(chain)?.map { $0 as any Sendable } }
  }

  /// Adds a step that starts a call.
  ///
  /// - Parameters:
  ///   - steps: The steps that must end first. Default: none.
  ///   - make: Returns the call; `nil` skips the step. See `add(after:run:)`.
  /// - Returns: The step, whose value is the response of the call.
  @discardableResult
  public nonisolated func add<each Before, Value>(
    after steps: repeat Step<each Before>, call make: @escaping @Sendable (Chain) -> Call<Value>?
  ) -> Step<Response<Value>> {
    add(after: indices(repeat each steps)) { chain in
      make(chain)?.result { $0.response }.compactMap { $0 }.map { $0 as any Sendable }
    }
  }

  private nonisolated func indices<each Before>(_ steps: repeat Step<each Before>) -> [Int] {
    var indices: [Int] = []
    for step in repeat each steps { indices.append(step.index) }
    return indices
  }

  private nonisolated func add<Value>(after indices: [Int], _ work: @escaping ChainState.Work) -> Step<Value> {
    let index = state.withLock { $0.add(work, after: indices) }
    advance()
    return Step(index: index)
  }

  /// The latest value of a step; `nil` if there is none yet, or if the step was skipped.
  public nonisolated subscript<Value>(step: Step<Value>) -> Value? {
    // Cast without its optional, because a cast of `nil` to an optional type would be a value.
    state.withLock { $0.value(at: step.index) }.flatMap { $0 as? Value }
  }

  /// The index of the step that failed the chain, or that was cancelled on its own; `nil` if there is none.
  public nonisolated var failedIndex: Int? { state.withLock { $0.failedIndex } }

  /// Returns the steps as one signal, which sends no values.
  override nonisolated func work(_ id: RequestID, in scope: ClientScope?) -> Signal<Void, NetworkError> {
    Signal { [self] observer in
      state.withLock { $0.begin(observer) }
      observer.hold(Disposable { [self] in stop() })
      advance()
      return nil
    }
  }

  override nonisolated func releaseWork() { stop() }

  /// Starts the ready steps, in a loop instead of recursion, because a step may end at once.
  private nonisolated func advance() {
    advancing.run {
      while let next = state.withLock({ $0.takeNext() }) {
        switch next {
        case .start(let index, let work): run(index, work)
        case .complete(let observer): observer.complete()
        }
      }
    }
  }

  private nonisolated func run(_ index: Int, _ work: ChainState.Work) {
    guard let signal = work(self) else { return end(index) }
    let handle = state.withLock { $0.handle(at: index) }
    guard let handle else { return }
    // A step that ends silently, such as when its owner is deallocated, has ended without a value.
    let ended = signal.finally { [self] in
      end(index)
      advance()
    }
    ended.subscribe(with: handle) { [self] event in
      switch event {
      case .value(let value): state.discardWithLock { $0.store(value, at: index) }
      case .failed(let error): fail(index, error)
      case .completed: break
      }
    }
  }

  private nonisolated func end(_ index: Int) { state.discardWithLock { $0.markEnded(index) } }

  private nonisolated func fail(_ index: Int, _ error: NetworkError) {
    let observer = state.withLock { $0.markFailed(index) }
    stop()
    observer?.fail(error)
  }

  /// Ends the run: no further step is started, and steps in flight are cancelled.
  private nonisolated func stop() {
    let released = state.withLock { $0.stop() }
    for handle in released.handles.reversed() { handle.dispose() }
    withExtendedLifetime(released) {}
  }
}
