#if canImport(ObjectiveC)
import ObjectiveC
import Synchronization

extension WeakOwner {
  /// Disposes a handle exactly when the owner is deallocated, by an object associated with it; returns what withdraws it.
  func watch(_ handle: Disposable) -> Disposable? {
    guard let owner else {
      handle.dispose()
      return nil
    }
    let lifetime = objc_getAssociatedObject(owner, Lifetime.associationKey) as? Lifetime ?? associate(with: owner)
    return lifetime.ending.add(handle)
  }

  /// Does nothing: the watch is never late.
  func guardDeliveries(of subscription: any Disposing) {}

  /// Runs a delivery; the owner's deinit disposes the handle first, so there is nothing to look at, and nothing to retain.
  func ifAlive(_ deliver: () -> Void) -> Bool {
    deliver()
    return true
  }

  private func associate(with owner: AnyObject) -> Lifetime {
    // One at a time, or two first subscriptions could each associate a lifetime and one would end at once.
    Lifetime.associating.withLock { _ in
      if let lifetime = objc_getAssociatedObject(owner, Lifetime.associationKey) as? Lifetime { return lifetime }
      let lifetime = Lifetime()
      objc_setAssociatedObject(owner, Lifetime.associationKey, lifetime, .OBJC_ASSOCIATION_RETAIN)
      return lifetime
    }
  }
}

extension Lifetime {
  /// An address that nobody else uses as a key: that of an object that is never freed.
  static var associationKey: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(keyHolder).toOpaque()) }
  private static let keyHolder = Lifetime()
  static let associating = Guarded(())
}
#endif
