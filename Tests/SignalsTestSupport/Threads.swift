import Synchronization

/// An atomic counter that closures can share.
package final class Tally: Sendable {
  private let value = Atomic<Int>(0)

  package init() {}

  package var count: Int { value.load(ordering: .acquiring) }

  package func arrive() { value.add(1, ordering: .acquiringAndReleasing) }
}
