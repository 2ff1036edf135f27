import Signals

/// Things in the order in which they happened, from whatever thread.
package final class Log<Entry: Sendable>: Sendable {
  private let state = Guarded<[Entry]>([])

  package init() {}

  package var entries: [Entry] { state.withLock { $0 } }
  package var count: Int { state.withLock { $0.count } }

  package func add(_ entry: Entry) { state.withLock { $0.append(entry) } }
}
