public import Synchronization

/// What a gate's word says.
@usableFromInline
enum GatePhase {
  @inlinable static var idle: UInt { 0 }
  @inlinable static var busy: UInt { 1 }
  /// Greater words are pointers to nodes, which are aligned to 16 bytes.
  @inlinable static var closed: UInt { 2 }
}

/// The way to the stage below, which one thread at a time may use; others leave their jobs, in order, and nobody waits.
///
/// One word holds the phase: idle, busy, closed, or a pointer to the newest of the jobs that arrived while it was busy (a
/// Treiber stack, reversed when it is taken). A thread that finds the gate idle enters, does its own job and then what was
/// left meanwhile; one that finds it busy, on the same thread or another, leaves its job. So re-entrant sends neither
/// recurse nor deadlock, and the jobs of one thread keep their order.
///
/// Closing frees the closures: that cuts the stage's references to the stages below it. The thread inside frees them, or
/// the one that closed an idle gate. `resource` is what the stage disposes upstream.
///
/// The class has plain fields only: fields whose layout depends on the generic types would be looked up at each release.
/// `Inner` inherits from it, so that an inner signal of a flattening and its gate are one allocation.
@usableFromInline
class Gate<Value: Sendable, Failure: Error>: Disposing {
  @usableFromInline final let word: Atomic<UInt>
  @usableFromInline final let resourcePhase = Atomic<UInt8>(ResourcePhase.none)
  // Written by the thread that has claimed the phase, and taken by the one that disposes.
  @exclusivity(unchecked) @usableFromInline final nonisolated(unsafe) var resource: (any Disposing)?
  // Touched only by the thread inside, or by the one that closed the gate while it was idle.
  @exclusivity(unchecked) @usableFromInline final nonisolated(unsafe) var next: (@Sendable (Value) -> Void)?
  @exclusivity(unchecked) @usableFromInline final nonisolated(unsafe) var end:
    (@Sendable (End<Value, Failure>) -> Void)?
  /// The subscriber itself, where there is no stage between: that saves the object that a chain of stages ends in.
  @exclusivity(unchecked) @usableFromInline final nonisolated(unsafe) var subscriber:
    (@Sendable (Event<Value, Failure>) -> Void)?

  /// Makes an idle gate; or one that the caller is inside.
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
  init(subscriber: @escaping @Sendable (Event<Value, Failure>) -> Void) {
    self.subscriber = subscriber
    word = Atomic(0)
  }

  @inlinable final var isDisposed: Bool { word.load(ordering: .acquiring) == GatePhase.closed }

  /// Enters an idle gate and returns `true`: do the job, then call `leave`.
  @inlinable
  final func enter() -> Bool {
    word.compareExchange(expected: GatePhase.idle, desired: GatePhase.busy, ordering: .acquiring).exchanged
  }

  /// For when `enter` has returned `false`: leaves a job to the thread inside, or does it now if that has left meanwhile.
  ///
  /// A closed gate drops the job.
  @usableFromInline
  final func later(_ job: @escaping @Sendable () -> Void) {
    guard enter(orLeave: job) else { return }
    job()
    leave()
  }

  /// Enters and returns `true`, or leaves a job to the thread inside.
  ///
  /// A closed gate drops it. Never calls out.
  @usableFromInline
  final func enter(orLeave job: @escaping @Sendable () -> Void) -> Bool {
    var node: Node?
    var seen = word.load(ordering: .acquiring)
    while seen != GatePhase.closed {
      if seen == GatePhase.idle {
        let (entered, now) = word.weakCompareExchange(expected: seen, desired: GatePhase.busy, ordering: .acquiring)
        if entered { return true }
        seen = now
        continue
      }
      let fresh = node ?? Node(job)
      node = fresh
      fresh.older = seen == GatePhase.busy ? 0 : seen
      let bits = fresh.retainedBits()
      let (kept, now) = word.weakCompareExchange(expected: seen, desired: bits, ordering: .acquiringAndReleasing)
      if kept { return false }
      Node.discard(bits, upTo: fresh.older)
      seen = now
    }
    return false
  }

  /// Does the jobs that arrived meanwhile and makes the gate idle; frees the closures if it was closed.
  @inlinable
  final func leave() {
    if word.compareExchange(expected: GatePhase.busy, desired: GatePhase.idle, ordering: .releasing).exchanged {
      return
    }
    _ = drain()
  }

  /// As `leave`, but when others leave jobs faster than they are done, the rest is done on a scheduler.
  ///
  /// That is when more than `limit` wait at once, or after a thousand times as many. (A handler that sends for itself leaves
  /// one at a time, and stays on its thread.)
  final func leave(after limit: Int, continuingOn scheduler: DispatchScheduler, _ jobs: UInt = 0) {
    guard let rest = drain(jobs, atMost: limit) else { return }
    scheduler.schedule { self.leave(after: limit, continuingOn: scheduler, rest) }
  }

  /// Does the given jobs and those that arrived meanwhile; returns the jobs that exceed the limit, or `nil` when it has
  /// left.
  @usableFromInline
  final func drain(_ left: UInt = 0, atMost limit: Int = .max) -> UInt? {
    var (jobs, rest) = (left, limit.multipliedReportingOverflow(by: 1_000).overflow ? .max : limit * 1_000)
    while true {
      while jobs != 0 {
        if isDisposed {
          Node.discard(jobs)
          break
        }
        if rest == 0 { return jobs }
        rest -= 1
        Node.take(&jobs)?.job()
      }
      let seen = word.load(ordering: .acquiring)
      if seen == GatePhase.closed {
        free()
        return nil
      }
      let wanted = seen == GatePhase.busy ? GatePhase.idle : GatePhase.busy
      guard word.compareExchange(expected: seen, desired: wanted, ordering: .acquiringAndReleasing).exchanged
      else { continue }
      if wanted == GatePhase.idle { return nil }
      jobs = Node.reversed(seen)
      if limit < .max, Node.count(jobs) > limit { return jobs }
    }
  }

  /// Closes the gate from inside; returns `false` if it was disposed meanwhile.
  ///
  /// `leave` is still to follow.
  @inlinable
  final func close() -> Bool {
    let before = word.exchange(GatePhase.closed, ordering: .acquiringAndReleasing)
    if before > GatePhase.closed { Node.discard(before) }
    return before != GatePhase.closed
  }

  /// Closes the gate from outside if nobody is inside.
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

  /// Closes the gate, drops what had arrived, and disposes the resource.
  @inlinable
  final func cancel() {
    if isDisposed { return disposeResource() }
    let before = word.exchange(GatePhase.closed, ordering: .acquiringAndReleasing)
    if before == GatePhase.idle { free() }
    if before > GatePhase.closed { Node.discard(before) }
    disposeResource()
  }

  /// Frees what leads to the stages below.
  @inlinable
  final func cut() {
    next = nil
    end = nil
    subscriber = nil
  }

  /// Frees what the thread inside has used, when the gate has been closed.
  @usableFromInline
  func free() { cut() }
}
