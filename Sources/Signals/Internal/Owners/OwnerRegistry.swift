/// The objects that have an `OwnerKey`.
final class OwnerRegistry: Sendable {
  static let shared = OwnerRegistry()

  private struct State {
    var byObject: [ObjectIdentifier: NamedOwner] = [:]
    var byKey: [String: NamedOwner] = [:]
    var nextNumber = 0
    /// The count at which entries of deallocated objects are removed; it is then set to twice the remaining count: O(1)
    /// amortized per entry.
    var threshold = 64

    func owner(_ object: AnyObject) -> NamedOwner? {
      // Reading the weak reference cannot drop the object's last reference, because the caller retains the object; an
      // entry of another object at the same address reads `nil`.
      byObject[ObjectIdentifier(object)].flatMap { $0.reference.owner === object ? $0 : nil }
    }

    mutating func remove(_ owner: NamedOwner) {
      byKey[owner.key] = nil
      if byObject[owner.id] === owner { byObject[owner.id] = nil }
    }
  }

  private let state = Guarded(State())

  /// The number of entries, including those of deallocated objects that are not yet removed.
  var count: Int { state.withLock { $0.byKey.count } }

  /// Returns the key of an object, the same one as long as the object exists.
  func key(of object: AnyObject) -> String {
    if let key = state.withLock({ $0.owner(object)?.key }) { return key }
    let (typeName, reference) = ("\(type(of: object))", WeakOwner(object))
    let (id, owner) = (ObjectIdentifier(object), BoundOwner(object))
    let (key, replaced, candidates) = state.withLock { state -> (String, NamedOwner?, [NamedOwner]) in
      // Another thread may have added the entry first.
      if let named = state.owner(object) { return (named.key, nil, []) }
      state.nextNumber += 1
      let named = NamedOwner("\(typeName)#\(state.nextNumber)", id, reference, owner)
      let replaced = state.byObject[id]
      if let replaced { state.remove(replaced) }
      state.byObject[id] = named
      state.byKey[named.key] = named
      guard state.byKey.count > state.threshold else { return (named.key, replaced, []) }
      // Prevents another thread from checking the same entries at the same time.
      state.threshold = .max
      return (named.key, replaced, Array(state.byKey.values))
    }
    withExtendedLifetime((object, replaced)) {}
    if !candidates.isEmpty { remove(candidates) }
    return key
  }

  /// Returns the existing object that a key identifies.
  func owner(of key: OwnerKey) -> NamedOwner? {
    guard let named = state.withLock({ $0.byKey[key.rawValue] }) else { return nil }
    if !named.owner.isDeallocated { return named }
    state.withLock { $0.remove(named) }
    return nil
  }

  /// Removes the entries of deallocated objects; they are checked outside the lock, because reading a weak reference
  /// may drop the object's last reference.
  private func remove(_ candidates: [NamedOwner]) {
    let deallocated = candidates.filter { $0.reference.isDeallocated }
    state.withLock { state in
      for named in deallocated { state.remove(named) }
      state.threshold = max(64, state.byKey.count * 2)
    }
  }
}

/// An object with a key and the subscriptions that are bound by the key.
final class NamedOwner: Sendable {
  let key: String
  let id: ObjectIdentifier
  let reference: WeakOwner
  let owner: BoundOwner
  /// The handles of the subscriptions; disposing all of them ends this `Ending`, and a new one replaces it.
  private let bindings = Guarded(Ending())

  init(_ key: String, _ id: ObjectIdentifier, _ reference: WeakOwner, _ owner: BoundOwner) {
    (self.key, self.id, self.reference, self.owner) = (key, id, reference, owner)
  }

  /// The subscriptions that are bound by the key, until they are disposed together.
  var group: Ending { bindings.withLock { $0 } }

  func disposeAll() {
    let replaced = bindings.withLock { bindings in
      let replaced = bindings
      bindings = Ending()
      return replaced
    }
    replaced.end()
  }
}
