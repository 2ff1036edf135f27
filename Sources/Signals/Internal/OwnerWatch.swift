#if !canImport(ObjectiveC)
  import Synchronization

  extension WeakOwner {
    /// Disposes a handle when the owner is gone, within 100 milliseconds; returns what withdraws it.
    func watch(_ handle: Disposable) -> Disposable? { Sweeper.shared.add(self, handle) }
  }

  /// Looks every 50 milliseconds which owners are gone, for as long as anything is bound.
  ///
  /// There is no hook on the deinit of an object that is not ours (trap T11).
  final class Sweeper: Sendable {
    static let shared = Sweeper()

    private struct State {
      var watched: [Int: (owner: WeakOwner, handle: Disposable)] = [:]
      var nextKey = 0
      var isRunning = false
    }

    private let state = Mutex(State())
    private let scheduler: any Scheduler = .global

    func add(_ owner: WeakOwner, _ handle: Disposable) -> Disposable {
      let (key, mustStart) = state.withLock { state in
        state.nextKey += 1
        state.watched[state.nextKey] = (owner, handle)
        defer { state.isRunning = true }
        return (state.nextKey, !state.isRunning)
      }
      if mustStart { scheduleSweep() }
      return Disposable { [self] in
        let removed = state.withLock { $0.watched.removeValue(forKey: key) }
        withExtendedLifetime(removed) {}
      }
    }

    private func scheduleSweep() {
      // Half the promised latency, so that a sweep that comes late still keeps it.
      scheduler.schedule(after: .milliseconds(50)) { [self] in sweep() }
    }

    private func sweep() {
      let all = state.withLock { $0.watched }
      for entry in all.values where entry.owner.isGone { entry.handle.dispose() }
      let mustGoOn = state.withLock { state in
        for key in all.keys where all[key]?.owner.isGone == true { state.watched[key] = nil }
        state.isRunning = !state.watched.isEmpty
        return state.isRunning
      }
      if mustGoOn { scheduleSweep() }
    }
  }
#endif
