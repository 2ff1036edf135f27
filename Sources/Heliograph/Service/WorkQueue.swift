/// A queue of items that one caller at a time processes, in order.
///
/// It is guarded by a lock, which is free while an item is processed.
struct WorkQueue<Item: Sendable>: Sendable {
  private var items: [Item] = []
  private var isAttended = false

  mutating func append(_ item: Item) { items.append(item) }

  /// Returns whether the caller has to process the items, until there are none.
  mutating func enter() -> Bool {
    guard !isAttended else { return false }
    isAttended = true
    return true
  }

  mutating func takeFirst() -> Item? {
    guard items.isEmpty else { return items.removeFirst() }
    isAttended = false
    return nil
  }
}
