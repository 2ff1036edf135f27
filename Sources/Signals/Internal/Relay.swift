import Synchronization

/// Carries the events of a signal over to a scheduler, one at a time and in order, also on a concurrent one.
final class Relay<Value: Sendable, Failure: Error>: Cancellable {
  private struct Queue {
    var items: [Event<Value, Failure>.Whole] = []
    /// An emptied array that keeps its memory for the next turn.
    var spare: [Event<Value, Failure>.Whole] = []
    var isScheduled = false
    var isOver = false
  }

  /// How many batches run before the scheduler's other work gets a turn.
  private static var turnLength: Int { 16 }

  let source = Disposable()
  private let queue = Mutex(Queue())
  private let over = Atomic<Bool>(false)
  private let scheduler: any Scheduler
  private let place: Continuation<Value, Failure>

  init(_ scheduler: any Scheduler, _ place: Continuation<Value, Failure>) {
    self.scheduler = scheduler
    self.place = place
    place.scope.hold(self)
  }

  var isOver: Bool { over.load(ordering: .acquiring) }

  func submit(_ event: Event<Value, Failure>.Whole) {
    let mustSchedule = queue.withLock { queue in
      if queue.isOver { return false }
      queue.items.append(event)
      defer { queue.isScheduled = true }
      return !queue.isScheduled
    }
    if mustSchedule { scheduler.schedule { self.run() } }
  }

  func cancel() {
    over.store(true, ordering: .releasing)
    let dropped = queue.withLock { queue in
      let dropped = queue
      queue = Queue(isOver: true)
      return dropped
    }
    withExtendedLifetime(dropped) {}
    source.dispose()
  }

  private func run() {
    for _ in 0..<Relay.turnLength {
      guard var batch = takeBatch() else { return }
      for event in batch {
        if isOver { return }
        switch event {
        case .value(let value): place.sink.next(value)
        case .end(let end): return finish(end)
        }
      }
      batch.removeAll(keepingCapacity: true)
      giveBack(batch)
    }
    scheduler.schedule { self.run() }
  }

  private func finish(_ end: End<Value, Failure>) {
    over.store(true, ordering: .releasing)
    place.sink.end(end)
  }

  private func takeBatch() -> [Event<Value, Failure>.Whole]? {
    queue.withLock { queue in
      if queue.items.isEmpty {
        queue.isScheduled = false
        return nil
      }
      let batch = queue.items
      queue.items = queue.spare
      queue.spare = []
      return batch
    }
  }

  private func giveBack(_ batch: [Event<Value, Failure>.Whole]) {
    queue.withLock { if !$0.isOver { $0.spare = batch } }
  }
}
