#if canImport(ObjectiveC)
import ObjectiveC

extension WeakOwner {
  /// An object associated with the owner, whose deallocation reports the owner's; `nil` after the deallocation, and for
  /// an actor: the runtime aborts if an object is associated with one.
  var lifetime: Lifetime? {
    guard let owner, !(owner is any Actor) else { return nil }
    return Self.associatedLifetime(of: owner) ?? associate(with: owner)
  }

  private static func associatedLifetime(of owner: AnyObject) -> Lifetime? {
    objc_getAssociatedObject(owner, Lifetime.associationKey) as? Lifetime
  }

  private func associate(with owner: AnyObject) -> Lifetime {
    // Serialized, because two concurrent first subscriptions could each associate a lifetime, and the replaced one
    // would end immediately.
    Lifetime.associationLock.withLock { _ in
      if let lifetime = Self.associatedLifetime(of: owner) { return lifetime }
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
