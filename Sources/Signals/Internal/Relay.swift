/// Carries the events of a signal over to a scheduler, one at a time and in order, also on a concurrent one.
@usableFromInline
final class Relay<Value: Sendable, Failure: Error>: Disposing {
  @usableFromInline
  struct Queue {
    @usableFromInline var values: [Value] = []
    /// What a turn of the scheduler has left, from a position on: it goes before the values.
    @usableFromInline var rest: [Value] = []
    @usableFromInline var position = 0
    /// Follows the values.
    @usableFromInline var end: End<Value, Failure>?
    @usableFromInline var isScheduled = false
    /// Where they go; `nil` after the end, so that work which the scheduler still has keeps nothing alive.
    @usableFromInline var downstream: Downstream<Value, Failure>?

    @inlinable
    init(_ downstream: Downstream<Value, Failure>?) {
      self.downstream = downstream
    }

    /// Whether the scheduler has to be told that there is something to deliver.
    @inlinable
    mutating func claimTurn() -> Bool {
      defer { isScheduled = true }
      return !isScheduled
    }

    @inlinable
    mutating func takeRest() -> ([Value], Int) {
      defer { (rest, position) = ([], 0) }
      return (rest, position)
    }
  }

  /// How many values are delivered before the scheduler's other work gets a turn.
  @inlinable static var turnLength: Int { 256 }

  @usableFromInline let source = Disposable()
  @usableFromInline let queue: Guarded<Queue>
  @usableFromInline let scheduler: any SignalScheduler
  /// How much waits, also for who looks without the lock, and whether it is over.
  @usableFromInline let pressure: Pressure

  @inlinable
  init(_ scheduler: any SignalScheduler, _ downstream: Downstream<Value, Failure>) {
    self.scheduler = scheduler
    pressure = Pressure(before: downstream.pressure)
    queue = Guarded(Queue(downstream))
    downstream.scope.hold(self)
  }

  @inlinable package var isDisposed: Bool { pressure.isOver }

  @inlinable
  func next(_ value: Value) {
    let mustSchedule = queue.withLock { queue in
      if queue.downstream == nil { return false }
      queue.values.append(value)
      pressure.gather(queue.values.count)
      return queue.claimTurn()
    }
    if mustSchedule { scheduler.schedule { self.run() } }
  }

  @inlinable
  func end(_ end: End<Value, Failure>) {
    let (mustSchedule, downstream) = queue.withLock { queue -> (Bool, Downstream<Value, Failure>?) in
      if queue.downstream == nil || queue.end != nil { return (false, nil) }
      queue.end = end
      // Nobody is told, so nothing has to wait for the scheduler.
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
    pressure.tell()
  }

  /// Takes out what waits and where it was to go; both are freed outside the lock.
  @usableFromInline
  func close() {
    pressure.close()
    let dropped = queue.withLock { queue in
      let before = queue
      queue = Queue(nil)
      return before
    }
    withExtendedLifetime(dropped) {}
  }

  /// Delivers what has arrived, until the queue is empty or the turn is over.
  @inlinable
  func run() {
    let turnEnd = scheduler.now + .milliseconds(1)
    // Two arrays take turns, so that their memory is used again.
    var (batch, position) = queue.withLock { $0.takeRest() }
    var count = 0
    while let downstream = refill(&batch, &position) {
      while position < batch.count {
        if isDisposed { return }
        if count == Relay.turnLength || (Relay.looksAtClock(after: count) && scheduler.now >= turnEnd) {
          return pause(batch, at: position)
        }
        downstream.next(batch[position])
        position += 1
        count += 1
        pressure.deliver(leaving: batch.count - position)
      }
    }
  }

  /// A look takes as long as an event, so it is taken after 1, 2, 4, 8, 16, 24 … of them.
  @inlinable
  static func looksAtClock(after count: Int) -> Bool { count < 8 ? count.nonzeroBitCount == 1 : count % 8 == 0 }

  /// Lets the scheduler's other work have a turn.
  @usableFromInline
  func pause(_ batch: [Value], at position: Int) {
    let isOver = queue.withLock { queue in
      if queue.downstream == nil { return true }
      (queue.rest, queue.position) = (batch, position)
      return false
    }
    if !isOver { scheduler.schedule { self.run() } }
  }

  /// Makes sure that the batch has values left; otherwise delivers the end, or goes to rest, and returns `nil`.
  @inlinable
  func refill(_ batch: inout [Value], _ position: inout Int) -> Downstream<Value, Failure>? {
    if position == batch.count {
      batch.removeAll(keepingCapacity: true)
      position = 0
    }
    let (downstream, end) = queue.withLock { queue -> (Downstream<Value, Failure>?, End<Value, Failure>?) in
      if batch.isEmpty {
        pressure.take(queue.values.count)
        swap(&batch, &queue.values)
      }
      queue.isScheduled = !batch.isEmpty
      return (queue.downstream, batch.isEmpty ? queue.end : nil)
    }
    pressure.tell()
    guard batch.isEmpty else { return downstream }
    if let end, let downstream { finish(end, downstream) }
    return nil
  }

  @usableFromInline
  func finish(_ end: End<Value, Failure>, _ downstream: Downstream<Value, Failure>) {
    close()
    if !end.isUnreachable { source.dispose() }
    pressure.tell()
    downstream.end(end)
  }
}
