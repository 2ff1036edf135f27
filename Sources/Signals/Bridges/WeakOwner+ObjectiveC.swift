#if canImport(ObjectiveC)
import ObjectiveC
import Synchronization

extension WeakOwner {
  /// Disposes a handle exactly when the owner is deallocated, and returns a handle that removes the watch.
  ///
  /// An object associated with the owner detects the deallocation.
  func watch(_ handle: Disposable) -> Disposable? {
    guard let owner else {
      handle.dispose()
      return nil
    }
    let lifetime = objc_getAssociatedObject(owner, Lifetime.associationKey) as? Lifetime ?? associate(with: owner)
    return lifetime.ending.add(handle)
  }

  var watchCount: Int {
    let lifetime = owner.flatMap { objc_getAssociatedObject($0, Lifetime.associationKey) as? Lifetime }
    return lifetime?.ending.observerCount ?? 0
  }

  private func associate(with owner: AnyObject) -> Lifetime {
    // Serialized, because two concurrent first subscriptions could each associate a lifetime, and the replaced one
    // would end immediately.
    Lifetime.associationLock.withLock { _ in
      if let lifetime = objc_getAssociatedObject(owner, Lifetime.associationKey) as? Lifetime { return lifetime }
      let lifetime = Lifetime()
      objc_setAssociatedObject(owner, Lifetime.associationKey, lifetime, .OBJC_ASSOCIATION_RETAIN)
      return lifetime
    }
  }
}

extension Lifetime {
  /// A unique key: the address of an object that is never freed.
  static var associationKey: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(keyHolder).toOpaque()) }
  private static let keyHolder = Lifetime()
  static let associationLock = Guarded(())
}
#endif
