public import Synchronization

/// The phases stored in a gate's word.
@usableFromInline
enum GatePhase {
  @inlinable static var idle: UInt { 0 }
  @inlinable static var busy: UInt { 1 }
  /// Greater words are pointers to nodes, which are aligned to 16 bytes.
  @inlinable static var closed: UInt { 2 }
}

/// A non-blocking serial gate to the stage downstream: one thread at a time is inside, and others queue their jobs.
///
/// One word holds the phase: idle, busy, closed, or a pointer to the newest queued job (a Treiber stack, reversed when
/// it is taken). A thread that finds the gate idle enters, runs its own job and then the queued ones. A thread that
/// finds it busy, even if it is the thread inside, queues its job. Re-entrant sends therefore neither recurse nor
/// deadlock, and the jobs of one thread keep their order.
///
/// Closing the gate frees the closures, which cuts the references to the stages downstream. The thread inside frees
/// them, or the thread that closed an idle gate. The stage disposes `resource`, its upstream, when it terminates.
///
/// No field has a layout that depends on the generic types, which would be looked up at each release. `Inner` and
/// `HubEntry` are subclasses, so that an inner signal of a flattening, or a subscriber of a hub, and its gate are one
/// allocation.
@usableFromInline
class Gate<Value: Sendable, Failure: Error>: Disposing {
  @usableFromInline final let word: Atomic<UInt>
  @usableFromInline final let resourcePhase = Atomic<UInt8>(ResourcePhase.none)
  /// The deferral mode of the gate's source; set before the source's work begins.
  @usableFromInline final let deferral = Atomic<UInt8>(Deferral.none)
  /// Whether a start was deferred until the thread inside has left; see `DeferredStarts`.
  @usableFromInline final let deferredMark = Atomic<Bool>(false)
  /// The number of deliveries, counted only if `DeferredStarts` needs it; written by the thread inside.
  @usableFromInline final let deliveries = Atomic<Int>(0)
  // Written by the thread that has claimed `resourcePhase`, taken by the thread that disposes.
  @exclusivity(unchecked) @usableFromInline final nonisolated(unsafe) var resource: (any Disposing)?
  // Accessed only by the thread inside, or by the thread that closed the gate while it was idle.
  @exclusivity(unchecked) @usableFromInline final nonisolated(unsafe) var next: (@Sendable (Value) -> Void)?
  @exclusivity(unchecked) @usableFromInline final nonisolated(unsafe) var end:
    (@Sendable (End<Value, Failure>) -> Void)?
  /// The subscriber itself, if there is no stage between; this saves the object at the end of a chain of stages.
  @exclusivity(unchecked) @usableFromInline final nonisolated(unsafe) var subscriber:
    (@Sendable (Event<Value, Failure>) -> Void)?

  /// Creates an idle gate, or one that the caller is already inside.
  @inlinable
  init(
    next: (@Sendable (Value) -> Void)? = nil, end: (@Sendable (End<Value, Failure>) -> Void)? = nil,
    isEntered: Bool = false
  ) {
    self.next = next
    self.end = end
    word = Atomic(isEntered ? 1 : 0)
  }

  @inlinable
  init(subscriber: consuming @escaping @Sendable (Event<Value, Failure>) -> Void) {
    self.subscriber = subscriber
    word = Atomic(0)
  }

  @inlinable final var isDisposed: Bool { word.load(ordering: .acquiring) == GatePhase.closed }

  /// Enters an idle gate and returns `true`; the caller then runs its job and calls `leave`.
  @inlinable
  final func enter() -> Bool {
    word.compareExchange(expected: GatePhase.idle, desired: GatePhase.busy, ordering: .acquiring).exchanged
  }

  /// Queues a job after `enter` has returned `false`, or runs it now if the gate has become idle; a closed gate drops
  /// the job.
  @usableFromInline
  final func enqueue(_ job: @escaping @Sendable () -> Void) {
    guard enter(orEnqueue: job) else { return }
    job()
    leave()
  }

  /// Enters the gate and returns `true`, or queues the job for the thread inside.
  ///
  /// A closed gate drops the job. This method never calls out.
  @usableFromInline
  final func enter(orEnqueue job: @escaping @Sendable () -> Void) -> Bool {
    var node: Node?
    var current = word.load(ordering: .acquiring)
    while current != GatePhase.closed {
      if current == GatePhase.idle {
        let (entered, now) = word.weakCompareExchange(expected: current, desired: GatePhase.busy, ordering: .acquiring)
        if entered { return true }
        current = now
        continue
      }
      let newNode = node ?? Node(job)
      node = newNode
      newNode.older = current == GatePhase.busy ? 0 : current
      let bits = newNode.retainedBits()
      let (isQueued, now) = word.weakCompareExchange(expected: current, desired: bits, ordering: .acquiringAndReleasing)
      if isQueued { return false }
      Node.discard(bits, upTo: newNode.older)
      current = now
    }
    return false
  }

  /// Runs the queued jobs and makes the gate idle, or frees the closures of a closed gate.
  @inlinable
  final func leave() {
    if word.compareExchange(expected: GatePhase.busy, desired: GatePhase.idle, ordering: .sequentiallyConsistent)
      .exchanged
    {
      return
    }
    _ = drain()
  }

  /// Leaves the gate like `leave`, but continues on a scheduler if other threads queue jobs faster than they run.
  ///
  /// It continues there when more than `limit` of their jobs wait at once, or after a thousand times `limit` of them.
  /// Jobs of this thread, of a handler that sends to its own signal, do not count.
  final func leave(after limit: Int, continuingOn scheduler: DispatchScheduler, _ jobs: UInt = 0) {
    guard let remaining = drain(jobs, atMost: limit) else { return }
    scheduler.schedule { self.leave(after: limit, continuingOn: scheduler, remaining) }
  }

  /// Runs the given jobs and all queued ones, and leaves the gate; returns the rest when the limit for the jobs of
  /// other threads is reached, or `nil` when it has left the gate.
  @usableFromInline
  final func drain(_ left: UInt = 0, atMost limit: Int = .max) -> UInt? {
    var (jobs, remaining) = (left, limit.multipliedReportingOverflow(by: 1_000).overflow ? .max : limit * 1_000)
    while true {
      while jobs != 0 {
        if isDisposed {
          Node.discard(jobs)
          break
        }
        if remaining == 0 { return jobs }
        guard let node = Node.take(&jobs) else { break }
        if limit < .max, !node.isOfThisThread { remaining -= 1 }
        node.job()
      }
      let current = word.load(ordering: .acquiring)
      if current == GatePhase.closed {
        free()
        return nil
      }
      let desired = current == GatePhase.busy ? GatePhase.idle : GatePhase.busy
      guard word.compareExchange(expected: current, desired: desired, ordering: .sequentiallyConsistent).exchanged
      else { continue }
      if desired == GatePhase.idle { return nil }
      jobs = Node.reversed(current)
      if limit < .max, Node.countOfOthers(jobs) > limit { return jobs }
    }
  }

  /// Closes the gate from inside; returns `false` if it was already closed by a disposal.
  ///
  /// The caller must still call `leave`.
  @inlinable
  final func close() -> Bool {
    let previous = word.exchange(GatePhase.closed, ordering: .sequentiallyConsistent)
    if previous > GatePhase.closed { Node.discard(previous) }
    return previous != GatePhase.closed
  }

  /// Closes the gate from outside if no thread is inside.
  @inlinable
  final func closeIfIdle() -> Bool {
    guard
      word.compareExchange(expected: GatePhase.idle, desired: GatePhase.closed, ordering: .acquiringAndReleasing)
        .exchanged
    else { return false }
    free()
    return true
  }

  @usableFromInline
  func dispose() { cancel() }

  @usableFromInline var bondHolder: Disposable? { nil }

  /// Closes the gate, drops the queued jobs and disposes the resource.
  @inlinable
  final func cancel() {
    if isDisposed { return disposeResource() }
    let previous = word.exchange(GatePhase.closed, ordering: .sequentiallyConsistent)
    if previous == GatePhase.idle { free() }
    if previous > GatePhase.closed { Node.discard(previous) }
    disposeResource()
  }

  /// Frees the closures of the stages downstream.
  @inlinable
  final func cut() {
    next = nil
    end = nil
    subscriber = nil
  }

  /// Frees the closures, which only the thread inside may access; called once no further event can be delivered.
  ///
  /// Subclasses free their own state too.
  @usableFromInline
  func free() { cut() }
}
