public import Synchronization

/// Carries the events of a signal over to a scheduler, one at a time and in order, also on a concurrent one.
@usableFromInline
final class Relay<Value: Sendable, Failure: Error>: Cancellable {
  @usableFromInline typealias Item = Event<Value, Failure>.Whole

  @usableFromInline
  struct Queue {
    @usableFromInline var items: [Item] = []
    @usableFromInline var isScheduled = false
    @usableFromInline var isOver = false

    @inlinable init() {}
  }

  /// How many batches run before the scheduler's other work gets a turn.
  @inlinable static var turnLength: Int { 64 }

  @usableFromInline let source = Disposable()
  @usableFromInline let queue = Mutex(Queue())
  @usableFromInline let over = Atomic<Bool>(false)
  @usableFromInline let scheduler: any Scheduler
  @usableFromInline let place: Continuation<Value, Failure>

  @inlinable
  init(_ scheduler: any Scheduler, _ place: Continuation<Value, Failure>) {
    self.scheduler = scheduler
    self.place = place
    place.scope.hold(self)
  }

  @inlinable var isOver: Bool { over.load(ordering: .acquiring) }

  @inlinable
  func submit(_ item: Item) {
    let mustSchedule = queue.withLock { queue in
      if queue.isOver { return false }
      queue.items.append(item)
      if queue.isScheduled { return false }
      queue.isScheduled = true
      return true
    }
    if mustSchedule { scheduler.schedule { self.run() } }
  }

  @usableFromInline
  func cancel() {
    over.store(true, ordering: .releasing)
    let dropped = queue.withLock { queue in
      queue.isOver = true
      return queue.items.drained()
    }
    withExtendedLifetime(dropped) {}
    source.dispose()
  }

  /// Delivers what has gathered, batch by batch, and lets the scheduler's other work have a turn now and then.
  @inlinable
  func run() {
    // Two arrays take turns, so that their memory is used again.
    var batch: [Item] = []
    for _ in 0..<Relay.turnLength {
      batch.removeAll(keepingCapacity: true)
      guard takeBatch(&batch) else { return }
      for item in batch {
        if isOver { return }
        switch item {
        case .value(let value): place.sink.next(value)
        case .end(let end):
          over.store(true, ordering: .releasing)
          return place.sink.end(end)
        }
      }
    }
    scheduler.schedule { self.run() }
  }

  @inlinable
  func takeBatch(_ batch: inout [Item]) -> Bool {
    queue.withLock { queue in
      if queue.items.isEmpty {
        queue.isScheduled = false
        return false
      }
      swap(&batch, &queue.items)
      return true
    }
  }
}
