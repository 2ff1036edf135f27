/// The monitors of a client, at least one; not an array, because a call of an element would copy it first.
final class MonitorChain: Sendable {
  private let first: any Monitor
  private let others: MonitorChain?

  /// Creates a chain; returns `nil` without monitors.
  init?(_ monitors: ArraySlice<any Monitor>) {
    guard let first = monitors.first else { return nil }
    self.first = first
    others = MonitorChain(monitors.dropFirst())
  }

  func observe(_ event: MonitorEvent) {
    first.observe(event)
    others?.observe(event)
  }
}
