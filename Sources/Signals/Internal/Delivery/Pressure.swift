public import Synchronization

/// The back-pressure at an asynchronous boundary (`observe(on:)`, `values`): the buffered values there and further
/// downstream.
///
/// A boundary closes when it terminates or is disposed. A link with a scheduler (`subscribe(on:)`) is no boundary: it
/// buffers nothing and never closes.
///
/// Observers pass it to the sources upstream of the boundary, and a source that can pause checks it. It has no
/// reference to the subscription, so a source may retain it. The boundary always stores its counts, so that they are
/// exact at the first check.
@usableFromInline
package final class Pressure: Sendable {
  @usableFromInline
  enum Phase {
    @inlinable static var unwatched: UInt8 { 0 }
    /// A source has checked the pressure, so each delivery looks for sources to notify.
    @inlinable static var watched: UInt8 { 1 }
    @inlinable static var closed: UInt8 { 2 }
  }

  private struct Waiter: Sendable {
    let pressure: Pressure
    let resume: @Sendable () -> Void
  }

  /// The high-water mark: with this many buffered values a source pauses.
  package static let highCount = 16
  /// The low-water mark: a paused source resumes at this count, so that the consumer never runs dry.
  package static let lowCount = 4

  @usableFromInline let phase = Atomic<UInt8>(Phase.unwatched)
  /// The number of values in the boundary's queue.
  @usableFromInline let queuedCount = Atomic<Int>(0)
  /// The number of values that were taken from the queue but not yet delivered.
  @usableFromInline let takenCount = Atomic<Int>(0)
  private let downstream: Pressure?
  /// The scheduler on which work upstream of this link continues after a pause; `nil` at a boundary.
  private let scheduler: (any SignalScheduler)?
  /// Whether there is a boundary here or downstream, so that the pressure may become high.
  @usableFromInline let hasBoundary: Bool
  // Used only at the last link, which stores the waiting sources of all boundaries.
  private let hasWaiters = Atomic<Bool>(false)
  private let waiters = Guarded<[Waiter]>([])

  @usableFromInline
  init(before downstream: Pressure?) {
    (self.downstream, scheduler, hasBoundary) = (downstream, nil, true)
  }

  /// Creates a link with the scheduler on which paused work upstream continues.
  init(before downstream: Pressure?, continuingOn scheduler: any SignalScheduler) {
    (self.downstream, self.scheduler) = (downstream, scheduler)
    hasBoundary = downstream?.hasBoundary ?? false
  }

  /// Whether a source should pause: 16 or more values are buffered and no boundary has closed.
  package var isHigh: Bool {
    watch()
    return waitingCount.map { $0 >= Pressure.highCount } ?? false
  }

  /// Calls `resume` once, when at most 4 values are buffered or a boundary has closed; immediately if that holds now.
  ///
  /// It is called outside any lock, on the thread that delivered or disposed. After a disposal it is called even if the
  /// source itself has been disposed. By then the count may be high again.
  package func whenLow(_ resume: @escaping @Sendable () -> Void) {
    let last = watch()
    if isLow { return resume() }
    last.waiters.withLock { waiters in
      waiters.append(Waiter(pressure: self, resume: resume))
      last.hasWaiters.store(true, ordering: .sequentiallyConsistent)
    }
    // The count may have decreased before the source was on the list.
    if isLow { last.resumeWaiters() }
  }

  /// Continues work once, as `whenLow` does, on the scheduler of the nearest link; without one, on the thread that
  /// delivered or disposed.
  ///
  /// For work of the app, which must not move to the consumer's thread.
  package func continueWhenLow(_ work: @escaping @Sendable () -> Void) {
    var (current, scheduler): (Pressure?, (any SignalScheduler)?) = (self, nil)
    while let link = current, scheduler == nil { (current, scheduler) = (link.downstream, link.scheduler) }
    guard let scheduler else { return whenLow(work) }
    whenLow { scheduler.schedule(work) }
  }

  /// Whether at most 4 values are buffered or a boundary has closed, whether or not a source has asked.
  var isLow: Bool { waitingCount.map { $0 <= Pressure.lowCount } ?? true }

  /// Whether a source that asks may be paused: 16 or more values are buffered, or a source waits for a lower count; the
  /// second case is that of a source before another boundary, whose values arrive here after it has paused.
  var mayPauseSource: Bool {
    guard let count = waitingCount else { return false }
    return count >= Pressure.highCount || last.hasWaiters.load(ordering: .relaxed)
  }

  private var last: Pressure {
    var last = self
    while let next = last.downstream { last = next }
    return last
  }

  /// The number of values buffered here and downstream, or `nil` if a boundary has closed; it is summed in the
  /// direction of the values, so that a moving value is counted twice rather than not at all.
  package var waitingCount: Int? {
    var count = 0
    var current: Pressure? = self
    while let pressure = current {
      if pressure.isTerminated { return nil }
      count += pressure.queuedCount.load(ordering: .sequentiallyConsistent)
      count += pressure.takenCount.load(ordering: .sequentiallyConsistent)
      current = pressure.downstream
    }
    return count
  }

  /// Marks every boundary from here on as watched and returns the last one.
  @discardableResult
  private func watch() -> Pressure {
    var current = self
    while true {
      if current.phase.load(ordering: .relaxed) == Phase.unwatched {
        _ = current.phase.compareExchange(
          expected: Phase.unwatched, desired: Phase.watched, ordering: .sequentiallyConsistent)
      }
      guard let next = current.downstream else { return current }
      current = next
    }
  }

  private func resumeWaiters() {
    let ready = waiters.withLock { waiters in
      let firstReady = waiters.partition { $0.pressure.isLow }
      let ready = Array(waiters[firstReady...])
      waiters.removeSubrange(firstReady...)
      hasWaiters.store(!waiters.isEmpty, ordering: .sequentiallyConsistent)
      return ready
    }
    for waiter in ready { waiter.resume() }
  }
}

/// Updates from a boundary.
extension Pressure {
  @inlinable var isTerminated: Bool { phase.load(ordering: .acquiring) == Phase.closed }

  @inlinable var isWatched: Bool { phase.load(ordering: .relaxed) == Phase.watched }

  /// Sets the count of queued values; called inside the queue's lock.
  @inlinable
  func setQueued(_ count: Int) { queuedCount.store(count, ordering: .releasing) }

  /// Sets the count of queued values after one was taken.
  ///
  /// Called inside the queue's lock; the caller then calls `notify` outside the lock.
  func setQueuedInOrder(_ count: Int) { queuedCount.store(count, ordering: .sequentiallyConsistent) }

  /// Moves the count from the queue to the taken values; called inside the queue's lock.
  @inlinable
  func take(_ count: Int) {
    takenCount.store(count, ordering: .sequentiallyConsistent)
    queuedCount.store(0, ordering: .sequentiallyConsistent)
  }

  /// Sets the count of taken values that are not yet delivered.
  ///
  /// A source whose first check happens at this very moment may be missed here. The next delivery notifies it, or at
  /// the latest the `notify` after the next `take`. A source that has checked before is never missed.
  @inlinable
  func deliver(leaving count: Int) {
    takenCount.store(count, ordering: .releasing)
    if phase.load(ordering: .relaxed) != Phase.unwatched { notify(leaving: count) }
  }

  @usableFromInline
  func notify(leaving count: Int) {
    // Stored again, in one total order with the sources: either they see the count, or this thread sees them.
    takenCount.store(count, ordering: .sequentiallyConsistent)
    notify()
  }

  /// Resumes the sources whose pressure is now low; called outside any lock.
  @usableFromInline
  func notify() {
    guard phase.load(ordering: .sequentiallyConsistent) != Phase.unwatched else { return }
    let last = last
    // Many sources may wait, and none of those upstream of this boundary has a lower count.
    if last.hasWaiters.load(ordering: .sequentiallyConsistent), isLow { last.resumeWaiters() }
  }

  /// Marks the boundary as closed; the caller calls `notify` after it has stopped the sources.
  @usableFromInline
  func close() { phase.store(Phase.closed, ordering: .sequentiallyConsistent) }
}
