#if !canImport(ObjectiveC)
import Synchronization

extension WeakOwner {
  /// Disposes a handle within 100 milliseconds of the owner's deinit; returns what withdraws it.
  func watch(_ handle: Disposable) -> Disposable? { Sweeper.shared.add(self, handle) }

  /// Has every delivery of a subscription look whether the owner exists: the watch may be late.
  func guardDeliveries(of subscription: any Disposing) { (subscription as? Disposable)?.guardDeliveries(by: self) }

  /// Runs a delivery if the owner exists, which is retained meanwhile; returns whether it does.
  func ifAlive(_ deliver: () -> Void) -> Bool {
    guard let owner else { return false }
    withExtendedLifetime(owner, deliver)
    return true
  }
}

/// Checks every 50 milliseconds which owners were deallocated, while anything is bound.
///
/// There is no hook on the deinit of an object that is not ours (trap T11).
final class Sweeper: Sendable {
  static let shared = Sweeper()

  private struct State {
    var watched: [Int: (owner: WeakOwner, handle: Disposable)] = [:]
    var nextKey = 0
    var isRunning = false
  }

  private let state = Guarded(State())
  private let scheduler: any SignalScheduler = .global

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

  private func remove(_ key: Int) {
    let removed = state.withLock { $0.watched.removeValue(forKey: key) }
    withExtendedLifetime(removed) {}
  }

  private func scheduleSweep() {
    // Half the promised latency, so that a sweep that comes late still keeps it.
    scheduler.schedule(after: .milliseconds(50)) { [self] in sweep() }
  }

  private func sweep() {
    let all = state.withLock { $0.watched }
    // Outside the lock: to look at an owner may be to release it. Disposing withdraws the entry, unless its watcher
    // has gone already.
    for (key, entry) in all where entry.owner.isGone {
      entry.handle.dispose()
      remove(key)
    }
    let mustGoOn = state.withLock { state in
      state.isRunning = !state.watched.isEmpty
      return state.isRunning
    }
    if mustGoOn { scheduleSweep() }
  }
}
#endif
