/// The owner of a bound subscription, which is never retained: the state of a lifetime, or a weak reference.
enum BoundOwner: Sendable {
  case lifetime(Ending)
  case object(WeakOwner)

  init(_ owner: AnyObject) {
    if let lifetime = owner as? Lifetime { self = .lifetime(lifetime.ending) } else { self = .object(WeakOwner(owner)) }
  }

  var isDeallocated: Bool {
    switch self {
    case .lifetime(let ending): ending.hasEnded
    case .object(let owner): owner.isDeallocated
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

  /// Whether each delivery of a subscription must check the owner; the watch of an object may be late, and on Apple's
  /// systems it runs after the body of the deinit.
  var mustGuardDeliveries: Bool { if case .object = self { true } else { false } }

  /// An object that retains the owner, or `nil` after its deallocation; a lifetime is not retained.
  var retained: AnyObject? {
    switch self {
    case .lifetime(let ending): ending.hasEnded ? nil : ending
    case .object(let owner): owner.owner
    }
  }

  /// Runs a delivery unless the owner was deallocated, and returns whether the owner exists; an object is retained.
  func runIfAlive(_ deliver: () -> Void) -> Bool {
    switch self {
    case .lifetime(let ending):
      if !ending.hasEnded { deliver() }
      return !ending.hasEnded
    case .object(let owner):
      guard let owner = owner.owner else { return false }
      withExtendedLifetime(owner, deliver)
      return true
    }
  }
}

/// The source of a bound signal, with its entry in the ownership log.
final class Bound: Disposing {
  let source = Disposable()
  /// The entry in the ownership log, if the log is enabled.
  private let record: OwnershipRecord?

  init(_ scope: Disposable, _ record: OwnershipRecord?) {
    self.record = record
    scope.hold(self)
  }

  // A subscription whose source was dropped is released without a disposal.
  deinit { record?.end() }

  var isDisposed: Bool { source.isCancelled }

  func dispose() {
    source.dispose()
    record?.end()
  }
}
