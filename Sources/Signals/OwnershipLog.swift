import Synchronization

/// A debugging aid that lists subscriptions bound with ``Signal/bound(to:)-(AnyObject)`` and those that outlived their
/// owner.
///
/// ```swift
/// OwnershipLog.isEnabled = true
/// // … use the app, close a screen …
/// for entry in OwnershipLog.outlived { print(entry) }  // "GET /search of a deallocated SearchModel, after 1.5 seconds"
/// ```
/// A subscription that outlived its owner, such as a request or a timer, was stopped only by the binding. Recording is
/// off by default and then costs one atomic load per bound subscription. The log retains neither owners nor signals.
/// All members may be used from any thread.
public enum OwnershipLog {
  /// The record of one bound subscription.
  public struct Entry: Sendable, Hashable {
    /// The name of the owner's type, such as `SearchModel`; `Lifetime` if the signal is bound to a ``Lifetime``.
    public let ownerType: String
    /// The name of the signal that was bound, such as `GET /search`; see ``Signal/name``.
    ///
    /// It is `nil` for signals without a name, such as those that operators return.
    public let signalName: String?
    /// The time from the start of the subscription until now, or until it was disposed with its owner.
    public let age: Duration
    /// Whether the owner has been deallocated.
    public let isOwnerDeallocated: Bool
  }

  /// Whether new bound subscriptions are recorded; `false` by default.
  ///
  /// Subscriptions that started earlier are not recorded. Recorded ones stay listed until they end.
  public static var isEnabled: Bool {
    get { OwnershipTable.shared.isEnabled.load(ordering: .relaxed) }
    set { OwnershipTable.shared.isEnabled.store(newValue, ordering: .relaxed) }
  }

  /// The active bound subscriptions, in the order in which they started.
  ///
  /// The subscription of a deallocated owner is listed until it is disposed: for up to 100 milliseconds, but not at all
  /// for a ``Lifetime``, or on Apple's systems for an owner that is not an actor. Complexity: O(n log n).
  public static var active: [Entry] { OwnershipTable.shared.active }

  /// The last 100 subscriptions that were still active when their owner was deallocated, the oldest first.
  public static var outlived: [Entry] { OwnershipTable.shared.outlived }

  /// Removes all records; subscriptions that are active now are no longer listed.
  public static func removeAll() { OwnershipTable.shared.removeAll() }
}

extension OwnershipLog.Entry: CustomStringConvertible {
  /// The signal, the owner and the age on one line.
  public var description: String {
    "\(signalName ?? "a signal") of a \(isOwnerDeallocated ? "deallocated " : "")\(ownerType), after \(age)"
  }
}
