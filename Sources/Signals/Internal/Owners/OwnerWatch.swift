extension WeakOwner {
  /// Disposes a handle after the owner's deinit; returns a handle that removes the watch.
  ///
  /// This happens exactly at deinit on Apple's systems, except for an actor, and within 100 milliseconds elsewhere.
  func watch(_ handle: Disposable) -> Disposable? {
    guard owner != nil else {
      handle.dispose()
      return nil
    }
    #if canImport(ObjectiveC)
    if let lifetime { return lifetime.ending.add(handle) }
    #endif
    return Sweeper.shared.add(self, handle)
  }
}

/// A timer that looks for deallocated owners every 50 milliseconds while any owner is watched.
///
/// Swift has no hook for the deinit of another module's objects. Apple's systems need the timer for actors only.
final class Sweeper: Sendable {
  static let shared = Sweeper()

  struct State {
    var watched: [Int: (owner: WeakOwner, handle: Disposable)] = [:]
    var nextKey = 0
    var isRunning = false
  }

  let state = Guarded(State())
  private let scheduler: any SignalScheduler

  /// Creates a timer on a queue of its own, because a busy app delays its work on the system's concurrent queue.
  init(_ scheduler: any SignalScheduler = .serial("Signals.Sweeper")) {
    self.scheduler = scheduler
  }

  func add(_ owner: WeakOwner, _ handle: Disposable) -> Disposable {
    let (key, mustStart) = state.withLock { state in
      state.nextKey += 1
      state.watched[state.nextKey] = (owner, handle)
      defer { state.isRunning = true }
      return (state.nextKey, !state.isRunning)
    }
    if mustStart { scheduleSweep() }
    return Disposable { [self] in remove(key) }
  }

  private func remove(_ key: Int) { state.discardWithLock { $0.watched.removeValue(forKey: key) } }

  private func scheduleSweep() {
    // Half the documented latency, so that a late sweep still meets it.
    scheduler.schedule(after: .milliseconds(50)) { [self] in
      sweep()
      let isRunning = state.withLock { state in
        state.isRunning = !state.watched.isEmpty
        return state.isRunning
      }
      if isRunning { scheduleSweep() }
    }
  }

  /// Disposes the handles of deallocated owners, after a sweep that is in progress.
  func sweepNow() async {
    await withCheckedContinuation { continuation in
      scheduler.schedule { [self] in
        sweep()
        continuation.resume()
      }
    }
  }

  /// Disposes the handles of deallocated owners.
  func sweep() {
    // Read outside the lock, because reading a weak owner may drop its last reference.
    let watched = state.withLock { $0.watched }
    var (orphaned, count) = (watched.filter { $0.value.owner.isDeallocated }, 0)
    // The search may have found only some entries of an owner that was deallocated during it: all end together.
    while orphaned.count != count {
      count = orphaned.count
      orphaned = watched.filter { $0.value.owner.isDeallocated }
    }
    // Newest first, as with a lifetime. Disposal removes the entry, unless its watch has already been removed.
    for (key, entry) in orphaned.sorted(by: { $0.key > $1.key }) {
      entry.handle.dispose()
      remove(key)
    }
  }
}

/// The handles that end with their owners.
package enum OwnedHandles {
  /// Disposes the handles of owners that were deallocated before, unless this happened exactly at their deinit; they
  /// are disposed on the thread of the timer, which may be disposing some of them already.
  package static func disposeOrphans() async { await Sweeper.shared.sweepNow() }
}
