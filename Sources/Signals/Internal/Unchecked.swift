/// State of one stage, touched only inside its deliveries.
///
/// `@unchecked Sendable` because the compiler cannot see what orders the accesses: deliveries of one subscription
/// never overlap, and the gate that serializes them hands memory over with acquire and release. This is the only
/// place in the module where the compiler is asked to trust us with a whole type.
@usableFromInline
final class Cell<State>: @unchecked Sendable {
  @usableFromInline var value: State

  @inlinable
  init(_ value: State) {
    self.value = value
  }
}

/// Somebody who is not kept alive and only asked whether they are still there.
///
/// `@unchecked Sendable` because nothing but the existence of the object is ever looked at, and weak references may be
/// read from any thread.
package final class WeakOwner: @unchecked Sendable {
  /// They, while they are there.
  package private(set) weak var owner: AnyObject?

  /// Notes somebody.
  package init(_ owner: AnyObject) {
    self.owner = owner
  }

  /// Whether they are there no more.
  package var isGone: Bool { owner == nil }
}
