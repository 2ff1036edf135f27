/// The owner of a bound subscription, which is never retained: the state of a lifetime, or a weak reference.
enum BoundOwner: Sendable {
  case lifetime(Ending)
  case object(WeakOwner)

  init(_ owner: AnyObject) {
    if let lifetime = owner as? Lifetime { self = .lifetime(lifetime.ending) } else { self = .object(WeakOwner(owner)) }
  }

  /// Whether the owner has been deallocated.
  var isGone: Bool {
    switch self {
    case .lifetime(let ending): ending.hasEnded
    case .object(let owner): owner.isGone
    }
  }

  /// The name of the owner's type, or `nil` after its deallocation.
  var typeName: String? {
    switch self {
    case .lifetime(let ending): ending.hasEnded ? nil : "\(Lifetime.self)"
    case .object(let owner): owner.owner.map { "\(type(of: $0))" }
    }
  }

  /// Disposes a handle after the owner's deinit; returns a handle that removes the watch.
  func watch(_ handle: Disposable) -> Disposable? {
    switch self {
    case .lifetime(let ending): ending.add(handle)
    case .object(let owner): owner.watch(handle)
    }
  }

  /// The number of watches that have not been removed.
  var watchCount: Int {
    switch self {
    case .lifetime(let ending): ending.observerCount
    case .object(let owner): owner.watchCount
    }
  }

  /// Adds a check of the owner to every delivery of a subscription, if the watch may be late.
  func guardDeliveries(of subscription: any Disposing) {
    if case .object(let owner) = self { owner.guardDeliveries(of: subscription) }
  }

  /// Runs a delivery unless the owner was deallocated, and returns whether the owner exists.
  func ifAlive(_ deliver: () -> Void) -> Bool {
    switch self {
    case .lifetime(let ending):
      if !ending.hasEnded { deliver() }
      return !ending.hasEnded
    case .object(let owner): return owner.ifAlive(deliver)
    }
  }
}
