public import Synchronization

/// Carries the events of a signal over to a scheduler, one at a time and in order, also on a concurrent one.
@usableFromInline
final class Relay<Value: Sendable, Failure: Error>: Cancellable {
  @usableFromInline typealias Item = Event<Value, Failure>.Whole

  @usableFromInline
  struct Queue {
    @usableFromInline var items: [Item] = []
    @usableFromInline var isScheduled = false
    /// Where they go; `nil` when it is over, so that work which the scheduler still has keeps nothing alive.
    @usableFromInline var sink: Sink<Value, Failure>?

    @inlinable
    init(_ sink: Sink<Value, Failure>?) {
      self.sink = sink
    }
  }

  /// How many batches run before the scheduler's other work gets a turn.
  @inlinable static var turnLength: Int { 64 }

  @usableFromInline let source = Disposable()
  @usableFromInline let queue: Guarded<Queue>
  @usableFromInline let scheduler: any Scheduler
  /// How much waits, also for who looks without the lock, and whether it is over.
  @usableFromInline let pressure: Pressure

  @inlinable
  init(_ scheduler: any Scheduler, _ place: Continuation<Value, Failure>) {
    self.scheduler = scheduler
    pressure = Pressure(before: place.sink.pressure)
    queue = Guarded(Queue(place.sink))
    place.scope.hold(self)
  }

  @inlinable var isOver: Bool { pressure.isOver }

  @inlinable
  func submit(_ item: Item) {
    let mustSchedule = queue.withLock { queue in
      if queue.sink == nil { return false }
      queue.items.append(item)
      pressure.gather(queue.items.count)
      if queue.isScheduled { return false }
      queue.isScheduled = true
      return true
    }
    if mustSchedule { scheduler.schedule { self.run() } }
  }

  @usableFromInline
  func cancel() {
    pressure.close()
    let dropped = clear()
    withExtendedLifetime(dropped) {}
    source.dispose()
    pressure.tell()
  }

  /// Takes out what waits and where it was to go; both are freed outside the lock.
  @usableFromInline
  func clear() -> Queue {
    queue.withLock { queue in
      let before = queue
      queue = Queue(nil)
      return before
    }
  }

  /// Delivers what has gathered, batch by batch, and lets the scheduler's other work have a turn now and then.
  @inlinable
  func run() {
    // Two arrays take turns, so that their memory is used again.
    var batch: [Item] = []
    for _ in 0..<Relay.turnLength {
      if batch.count > 1, !pressure.isWatched { letGather() }
      batch.removeAll(keepingCapacity: true)
      guard let sink = takeBatch(&batch) else { return }
      var leftCount = batch.count
      for item in batch {
        if isOver { return }
        switch item {
        case .value(let value):
          sink.next(value)
          leftCount -= 1
          pressure.deliver(leaving: leftCount)
        case .end(let end):
          pressure.close()
          _ = clear()
          pressure.tell()
          return sink.end(end)
        }
      }
    }
    scheduler.schedule { self.run() }
  }

  /// In the middle of a stream, gives the sender up to some microseconds for more.
  ///
  /// Two threads that take turns at the lock for each event are slower than either. Not done for a source that pauses:
  /// it may have nothing more to send until it is told.
  @inlinable
  func letGather() {
    var turns = 0
    while turns < 8192, pressure.queuedCount.load(ordering: .relaxed) < 64 { turns += 1 }
  }

  @inlinable
  func takeBatch(_ batch: inout [Item]) -> Sink<Value, Failure>? {
    let sink = queue.withLock { queue -> Sink<Value, Failure>? in
      pressure.take(queue.items.count)
      if queue.items.isEmpty {
        queue.isScheduled = false
        return nil
      }
      swap(&batch, &queue.items)
      return queue.sink
    }
    pressure.tell()
    return sink
  }
}
