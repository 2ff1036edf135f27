@testable import Signals

/// Returns the number of handles that wait for the deinit of an object.
public func watchCount(of owner: AnyObject) -> Int {
  if let lifetime = owner as? Lifetime { return lifetime.ending.observerCount }
  #if canImport(ObjectiveC)
  if let lifetime = WeakOwner(owner).lifetime { return lifetime.ending.observerCount }
  #endif
  return Sweeper.shared.watchCount(of: owner)
}

extension Sweeper {
  package func watchCount(of owner: AnyObject) -> Int {
    state.withLock { Array($0.watched.values) }.count { $0.owner.owner === owner }
  }
}

extension Ending {
  package var observerCount: Int { state.withLock { $0.observers?.count ?? 0 } }
}
