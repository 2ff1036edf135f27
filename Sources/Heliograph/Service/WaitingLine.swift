/// Items that are dealt with one at a time, in order, by whoever finds nobody at it.
///
/// It is kept under a lock, which is free while an item is dealt with.
struct WaitingLine<Item: Sendable>: Sendable {
  private var items: [Item] = []
  private var isAttended = false

  mutating func append(_ item: Item) { items.append(item) }

  /// Whether the caller is the one to deal with the items, until there are none.
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
