/// The state of one stage, accessed only inside its deliveries.
///
/// `@unchecked Sendable`, because the compiler cannot verify the order of the accesses: deliveries of one subscription
/// never overlap, and the gate that serializes them transfers memory with acquire and release. Apart from gates,
/// the inputs of joins and weak references, nothing else in the module bypasses the compiler's checks.
@usableFromInline
final class Cell<State>: @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var value: State

  @inlinable
  init(_ value: State) {
    self.value = value
  }
}

// A gate's mutable fields belong to the thread that its phase has let in (see `Gate`). It is not final, because `Inner`
// and `HubEntry` add fields to it in the same allocation.
extension Gate: @unchecked Sendable {}

// The reason is that of the superclass.
extension Inner: @unchecked Sendable {}

// The reason is that of the superclass.
extension HubEntry: @unchecked Sendable {}

// Its fields belong to the thread inside the gate of the join.
extension TypedInput: @unchecked Sendable {}

/// A weak reference to an owner that tests whether the owner still exists; `@unchecked Sendable`, because only the
/// existence of the object is read, and weak references may be read from any thread.
@usableFromInline
package final class WeakOwner: @unchecked Sendable {
  /// The owner, or `nil` after its deallocation.
  package private(set) weak var owner: AnyObject?

  package init(_ owner: AnyObject) {
    self.owner = owner
  }

  package var isDeallocated: Bool { owner == nil }
}
