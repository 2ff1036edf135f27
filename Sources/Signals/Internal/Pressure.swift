public import Synchronization

/// How much waits at one asynchronous boundary (`observe(on:)`, `values`) and at those beyond it.
///
/// It reaches the sources before the boundary with their observers; one that can pause asks it. It knows nothing of the
/// subscription, so that a source may keep it. The counts are plain stores of the boundary's own, made whether anybody
/// asks or not: so they are exact at the first question, and cost no more than a store.
@usableFromInline
package final class Pressure: Sendable {
  @usableFromInline
  enum Phase {
    @inlinable static var plain: UInt8 { 0 }
    /// Somebody has asked, so each delivery looks whether there is somebody to tell.
    @inlinable static var watched: UInt8 { 1 }
    @inlinable static var over: UInt8 { 2 }
  }

  private struct Asker: Sendable {
    let pressure: Pressure
    let resume: @Sendable () -> Void
  }

  /// The high-water mark: with this many buffered values a source pauses.
  package static let highCount = 16
  /// The low-water mark: a paused source resumes at this count, so that the consumer never runs dry.
  package static let lowCount = 4

  @usableFromInline let phase = Atomic<UInt8>(Phase.plain)
  /// What the boundary has not taken out yet.
  @usableFromInline let queuedCount = Atomic<Int>(0)
  /// What it has taken out, but not delivered.
  @usableFromInline let takenCount = Atomic<Int>(0)
  /// The next boundary on the way to the subscriber.
  private let beyond: Pressure?
  // The last boundary keeps these for all.
  private let hasAskers = Atomic<Bool>(false)
  private let askers = Guarded<[Asker]>([])

  @usableFromInline
  init(before beyond: Pressure?) {
    self.beyond = beyond
  }

  /// Whether so much waits that a source that can pause should: 16 values or more, and somebody to get them.
  package var isHigh: Bool {
    watch()
    return waitingCount.map { $0 >= Pressure.highCount } ?? false
  }

  /// Calls `resume` once, when 4 values or fewer are left waiting or nobody is left to get them; at once if it is so.
  ///
  /// It is called outside any lock, on the thread that delivered or disposed, in the latter case also when the source
  /// itself has been disposed. By then it may be high again.
  package func whenLow(_ resume: @escaping @Sendable () -> Void) {
    let last = watch()
    if isLow { return resume() }
    last.askers.withLock { askers in
      askers.append(Asker(pressure: self, resume: resume))
      last.hasAskers.store(true, ordering: .sequentiallyConsistent)
    }
    // It may have sunk before we were on the list.
    last.callAskers()
  }

  private var isLow: Bool { waitingCount.map { $0 <= Pressure.lowCount } ?? true }

  /// How much waits here and beyond; `nil` if it is over with a boundary.
  ///
  /// In the direction of the values: one that moves on meanwhile is counted twice rather than not at all.
  private var waitingCount: Int? {
    var count = 0
    var current: Pressure? = self
    while let pressure = current {
      if pressure.isOver { return nil }
      count += pressure.queuedCount.load(ordering: .sequentiallyConsistent)
      count += pressure.takenCount.load(ordering: .sequentiallyConsistent)
      current = pressure.beyond
    }
    return count
  }

  /// Lets every boundary from here on look for askers; returns the last.
  @discardableResult
  private func watch() -> Pressure {
    var current = self
    while true {
      if current.phase.load(ordering: .relaxed) == Phase.plain {
        _ = current.phase.compareExchange(
          expected: Phase.plain, desired: Phase.watched, ordering: .sequentiallyConsistent)
      }
      guard let next = current.beyond else { return current }
      current = next
    }
  }

  private func callAskers() {
    let called = askers.withLock { askers in
      let split = askers.partition { $0.pressure.isLow }
      let called = Array(askers[split...])
      askers.removeSubrange(split...)
      hasAskers.store(!askers.isEmpty, ordering: .sequentiallyConsistent)
      return called
    }
    for asker in called { asker.resume() }
  }
}

/// What a boundary reports.
extension Pressure {
  @inlinable var isOver: Bool { phase.load(ordering: .acquiring) == Phase.over }

  @inlinable var isWatched: Bool { phase.load(ordering: .relaxed) == Phase.watched }

  /// So much is in the queue by now; inside the queue's lock.
  @inlinable
  func gather(_ count: Int) { queuedCount.store(count, ordering: .releasing) }

  /// So much is left in a queue from which values are taken one by one; inside its lock, and `tell` follows outside.
  func give(leaving count: Int) { queuedCount.store(count, ordering: .sequentiallyConsistent) }

  /// All that was in the queue is taken out; inside the queue's lock.
  @inlinable
  func take(_ count: Int) {
    takenCount.store(count, ordering: .sequentiallyConsistent)
    queuedCount.store(0, ordering: .sequentiallyConsistent)
  }

  /// So much of what was taken out is left to be delivered.
  ///
  /// Who asks for the first time at this very moment may be missed here and is seen by the next delivery, or at the
  /// latest by the `tell` after the next `take`; who has asked before is never missed.
  @inlinable
  func deliver(leaving count: Int) {
    takenCount.store(count, ordering: .releasing)
    if phase.load(ordering: .relaxed) != Phase.plain { tell(leaving: count) }
  }

  @usableFromInline
  func tell(leaving count: Int) {
    // Once more, in one order with the askers: either they see the count, or we see them.
    takenCount.store(count, ordering: .sequentiallyConsistent)
    tell()
  }

  /// Calls those for whom it is low by now; outside any lock.
  @usableFromInline
  func tell() {
    guard phase.load(ordering: .sequentiallyConsistent) != Phase.plain else { return }
    var last = self
    while let next = last.beyond { last = next }
    if last.hasAskers.load(ordering: .sequentiallyConsistent) { last.callAskers() }
  }

  /// Nobody is left to get anything; `tell` follows when the sources have been stopped.
  @usableFromInline
  func close() { phase.store(Phase.over, ordering: .sequentiallyConsistent) }
}
