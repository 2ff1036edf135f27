/// State of one stage, touched only inside its deliveries.
///
/// `@unchecked Sendable` because the compiler cannot see what orders the accesses: deliveries of one subscription
/// never overlap, and the gate that serializes them hands memory over with acquire and release. Beside the state inside a
/// gate, this is the only place in the module where the compiler is asked to trust us.
@usableFromInline
final class Cell<State>: @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var value: State

  @inlinable
  init(_ value: State) {
    self.value = value
  }
}

// A gate's mutable fields belong to the thread that its phase has let in (see `Gate`); it is not final because `Inner` adds
// constants to it, in the same allocation.
extension Gate: @unchecked Sendable {}

// As its superclass.
extension Inner: @unchecked Sendable {}

/// A weak reference to an owner, used to test whether the owner still exists.
///
/// `@unchecked Sendable` because nothing but the existence of the object is ever looked at, and weak references may be
/// read from any thread.
@usableFromInline
package final class WeakOwner: @unchecked Sendable {
  /// The owner, while it exists.
  package private(set) weak var owner: AnyObject?

  /// Refers to an owner.
  package init(_ owner: AnyObject) {
    self.owner = owner
  }

  /// Whether the owner has been deallocated.
  package var isGone: Bool { owner == nil }
}
