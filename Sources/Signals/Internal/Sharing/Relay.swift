/// The stage of `observe(on:)`: delivers events on a scheduler, serially and in order even if the scheduler is
/// concurrent.
@usableFromInline
final class Relay<Value: Sendable, Failure: Error>: Disposing {
  @usableFromInline
  struct Queue: Sendable {
    @usableFromInline var values: [Value] = []
    /// The undelivered batch of a paused run; its values from `position` on precede `values`.
    @usableFromInline var undelivered: [Value] = []
    @usableFromInline var position = 0
    @usableFromInline var end: End<Value, Failure>?
    @usableFromInline var isScheduled = false
    /// The downstream, or `nil` after the end, so that work still queued on the scheduler retains nothing.
    @usableFromInline var downstream: Downstream<Value, Failure>?

    @inlinable
    init(_ downstream: Downstream<Value, Failure>?) {
      self.downstream = downstream
    }

    /// Claims the scheduler and returns whether a run must be scheduled.
    @inlinable
    mutating func claimTurn() -> Bool {
      defer { isScheduled = true }
      return !isScheduled
    }

    @inlinable
    mutating func takeUndelivered() -> ([Value], Int) {
      defer { (undelivered, position) = ([], 0) }
      return (undelivered, position)
    }
  }

  /// The maximum number of values in one run, so that the scheduler's other work can run.
  @inlinable static var turnLength: Int { 256 }

  @usableFromInline let source = Disposable()
  @usableFromInline let queue: Guarded<Queue>
  @usableFromInline let scheduler: any SignalScheduler
  /// Whether a run may be followed by another one for further values: only on a queue, where work is never synchronous.
  @usableFromInline let allowsFollowUp: Bool
  /// The back-pressure, readable without the lock: the number of buffered values, and whether the stage is closed.
  @usableFromInline let pressure: Pressure
  /// Keeps the runs of a concurrent scheduler apart, and those of one that runs work before `schedule` returns.
  @usableFromInline let drain = Drain()

  @inlinable
  init(_ scheduler: any SignalScheduler, _ downstream: Downstream<Value, Failure>) {
    self.scheduler = scheduler
    allowsFollowUp = (scheduler as? DispatchScheduler)?.isAsynchronous == true
    pressure = Pressure(before: downstream.pressure)
    queue = Guarded(Queue(downstream))
    downstream.scope.hold(self)
  }

  @inlinable package var isDisposed: Bool { pressure.isTerminated }

  @inlinable
  func next(_ value: Value) {
    let mustSchedule = queue.withLock { queue in
      if queue.downstream == nil { return false }
      queue.values.append(value)
      pressure.setQueued(queue.values.count)
      return queue.claimTurn()
    }
    if mustSchedule { scheduler.schedule { self.run() } }
  }

  @inlinable
  func end(_ end: End<Value, Failure>) {
    let (mustSchedule, downstream) = queue.withLock { queue -> (Bool, Downstream<Value, Failure>?) in
      if queue.downstream == nil || queue.end != nil { return (false, nil) }
      queue.end = end
      // A silent end is not delivered, so it does not need to wait for the scheduler.
      if end.isSilent, !queue.isScheduled { return (false, queue.downstream) }
      return (queue.claimTurn(), nil)
    }
    if let downstream { finish(end, downstream) }
    if mustSchedule { scheduler.schedule { self.run() } }
  }

  @usableFromInline
  package func dispose() {
    close()
    source.dispose()
    pressure.notify()
  }

  /// Removes the buffer and the downstream; both are freed outside the lock.
  @usableFromInline
  func close() {
    pressure.close()
    queue.set(Queue(nil))
  }

  /// Delivers the buffered values in a run of the scheduler.
  @inlinable
  func run() {
    drain.run { runTurn() }
  }

  /// Delivers the buffered values until the queue is empty or the limit of one run is reached.
  @inlinable
  func runTurn() {
    let turnEnd = scheduler.now + .milliseconds(1)
    // Two arrays are swapped, so that their memory is reused.
    var (batch, position) = queue.withLock { $0.takeUndelivered() }
    var count = 0
    while let downstream = refill(&batch, &position, after: count) {
      while position < batch.count {
        if isDisposed { return }
        if count == Relay.turnLength || (Relay.checksClock(after: count) && scheduler.now >= turnEnd) {
          return pause(batch, at: position)
        }
        downstream.next(batch[position])
        position += 1
        count += 1
        pressure.deliver(leaving: batch.count - position)
      }
    }
  }

  /// Returns whether to check the clock, which costs as much as an event: after 1, 2, 4, 8, 16, 24 … events.
  @inlinable
  static func checksClock(after count: Int) -> Bool { count < 8 ? count.nonzeroBitCount == 1 : count % 8 == 0 }

  /// Stores the rest of a batch and schedules another run, so that the scheduler's other work can run.
  @usableFromInline
  func pause(_ batch: [Value], at position: Int) {
    let isTerminated = queue.withLock { queue in
      if queue.downstream == nil { return true }
      (queue.undelivered, queue.position) = (batch, position)
      return false
    }
    if !isTerminated { scheduler.schedule { self.run() } }
  }

  /// Refills an empty batch; if the queue is empty too, delivers the end, if any, and returns `nil`.
  ///
  /// In the middle of a stream, a run that has delivered several values is followed by another one, because waking the
  /// queue for every few values would be the sender's largest cost.
  @inlinable
  func refill(_ batch: inout [Value], _ position: inout Int, after count: Int) -> Downstream<Value, Failure>? {
    if position == batch.count {
      batch.removeAll(keepingCapacity: true)
      position = 0
    }
    var followsUp = false
    let (downstream, end) = queue.withLock { queue -> (Downstream<Value, Failure>?, End<Value, Failure>?) in
      if batch.isEmpty {
        pressure.take(queue.values.count)
        swap(&batch, &queue.values)
      }
      followsUp = allowsFollowUp && count > 1 && batch.isEmpty && queue.end == nil && queue.downstream != nil
      queue.isScheduled = !batch.isEmpty || followsUp
      return (queue.downstream, batch.isEmpty ? queue.end : nil)
    }
    pressure.notify()
    guard batch.isEmpty else { return downstream }
    if followsUp {
      scheduler.schedule { self.run() }
    } else if let end, let downstream {
      finish(end, downstream)
    }
    return nil
  }

  @usableFromInline
  func finish(_ end: End<Value, Failure>, _ downstream: Downstream<Value, Failure>) {
    close()
    if !end.isUnreachable { source.dispose() }
    pressure.notify()
    downstream.end(end)
  }
}
