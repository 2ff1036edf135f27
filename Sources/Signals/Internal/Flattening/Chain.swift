public import Synchronization

/// A pair of concatenated signals, as `a.concat(b)` nests them; either may be a chain itself.
///
/// A chain is immutable and may be shared. It is freed in a loop, because 100,000 nested releases need more stack than
/// a thread has.
@usableFromInline
final class Chain<Value: Sendable, Failure: Error>: Sendable {
  /// The first signal, or `nil` if it is a chain.
  @usableFromInline let first: Signal<Value, Failure>?
  /// The last signal, or `nil` if it is a chain.
  @usableFromInline let last: Signal<Value, Failure>?
  // Bound where the chain is made, so that only the value types of chains get specialized code to run them.
  @usableFromInline let runner: @Sendable (Chain, Downstream<Value, Failure>) -> Signal<Value, Failure>?
  // Emptied by deinit, when no other reference exists.
  @usableFromInline let firstChain: Cell<Chain?>?
  @usableFromInline let lastChain: Cell<Chain?>?
  /// All signals except those of nested last chains, flattened at the first subscription, until a longer chain takes
  /// them over.
  @usableFromInline let flattened = Guarded<[Signal<Value, Failure>]?>(nil)

  @inlinable
  init(
    _ first: Signal<Value, Failure>, then last: Signal<Value, Failure>,
    _ runner: @escaping @Sendable (Chain, Downstream<Value, Failure>) -> Signal<Value, Failure>?
  ) {
    self.runner = runner
    if case .chain(let chain) = first.kind {
      (self.first, firstChain) = (nil, Cell(chain))
    } else {
      (self.first, firstChain) = (first, nil)
    }
    if case .chain(let chain) = last.kind {
      (self.last, lastChain) = (nil, Cell(chain))
    } else {
      (self.last, lastChain) = (last, nil)
    }
  }

  deinit {
    if firstChain == nil && lastChain == nil { return }
    var chains = removeChains()
    while var chain = chains.popLast() {
      if isKnownUniquelyReferenced(&chain) { chains += chain.removeChains() }
    }
  }

  private func removeChains() -> [Chain] {
    flattened.withLock { $0 = nil }
    var chains: [Chain] = []
    if let chain = firstChain?.value.take() { chains.append(chain) }
    if let chain = lastChain?.value.take() { chains.append(chain) }
    return chains
  }

  /// Runs the signals and returns the last one as a tail call.
  @inlinable
  func run(in downstream: Downstream<Value, Failure>) -> Signal<Value, Failure>? {
    if let first, let last { return Successors.run(first, then: last, in: downstream) }
    return Successors.run(signals, in: downstream)
  }

  /// The flattened signals.
  ///
  /// The array of a chain at the beginning is moved here: if each of a thousand prefixes kept its own, a chain that
  /// grows while it is run would keep half a million signals.
  ///
  /// Complexity: O(n) at the first access, and at the next one after a longer chain has taken the array; else O(1).
  @usableFromInline var signals: [Signal<Value, Failure>] {
    if let cached = flattened.withLock({ $0 }) { return cached }
    var (prefix, result): ([Signal<Value, Failure>], [Signal<Value, Failure>]) = ([], [])
    var link: Chain? = self
    while let current = link {
      if let cached = current.flattened.withLock({ $0.take() }) {
        prefix = cached
        break
      }
      if let chain = current.lastChain?.value { result.append(Signal(.chain(chain))) }
      if let last = current.last { result.append(last) }
      if let first = current.first { result.append(first) }
      link = current.firstChain?.value
    }
    prefix += result.reversed()
    flattened.set(prefix)
    return prefix
  }
}

/// The transfer of a downstream to the successor of a terminated signal.
///
/// If a signal terminates before its starter has returned from starting it, the starter gets the successor as a tail
/// call and runs it in its loop. Otherwise the thread that delivered the end runs the successor immediately. In neither
/// case does the stack grow.
@usableFromInline
struct TailCall: ~Copyable, Sendable {
  @inlinable static var starting: UInt8 { 0 }
  @inlinable static var waiting: UInt8 { 1 }
  @inlinable static var started: UInt8 { 2 }

  @usableFromInline let phase = Atomic<UInt8>(0)

  @inlinable init() {}

  @inlinable var isStarted: Bool { phase.load(ordering: .acquiring) == TailCall.started }

  /// Claims the successor for the starter; returns `false` if the caller must run it now.
  ///
  /// Called when the signal has terminated.
  @inlinable
  func leaveToStarter() -> Bool {
    phase.compareExchange(
      expected: TailCall.starting, desired: TailCall.waiting, ordering: .acquiringAndReleasing
    ).exchanged
  }

  /// Runs `prepare` and then `leaveToStarter`; returns `false` without preparing if the starter has already returned.
  ///
  /// `prepare` stores what the starter needs.
  @inlinable
  func leave(_ prepare: () -> Void) -> Bool {
    if isStarted { return false }
    prepare()
    return leaveToStarter()
  }

  /// Claims the tail call and returns whether the starter must run a successor; called when starting has returned.
  ///
  /// `restarts` begins the next round, for a starter that runs several signals in a row.
  @inlinable
  func claimTail(restarts: Bool = false) -> Bool {
    let (isStillRunning, _) = phase.compareExchange(
      expected: TailCall.starting, desired: TailCall.started, ordering: .acquiringAndReleasing)
    if !isStillRunning, restarts { phase.store(TailCall.starting, ordering: .releasing) }
    return !isStillRunning
  }

  /// Begins the next round; called by the thread that must run the successor itself.
  @inlinable
  func restart() { phase.store(TailCall.starting, ordering: .releasing) }
}
