import Synchronization

/// The number of changes of a value, read without a lock.
///
/// It does not retain the value, so whatever belongs to a former one may keep it.
package final class ChangeCount: Sendable {
  private let count = Atomic<Int>(0)

  package init() {}

  package var value: Int { count.load(ordering: .acquiring) }

  /// Counts a change; called together with the change, before anybody is notified of it.
  package func increment() { count.add(1, ordering: .releasing) }
}
