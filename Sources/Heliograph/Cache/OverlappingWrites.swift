/// The writes in progress, each with a value that orders the writes of one entry.
struct OverlappingWrites<Order: Comparable & Sendable>: Sendable {
  private var writes: [EntryName: (count: Int, range: ClosedRange<Order>)] = [:]

  var isEmpty: Bool { writes.isEmpty }

  /// The range of the values of an entry's writes in progress and of the writes that they overlap; `nil` without a
  /// write.
  subscript(name: EntryName) -> ClosedRange<Order>? { writes[name]?.range }

  mutating func begin(_ name: EntryName, _ order: Order) {
    let (count, range) = writes[name] ?? (0, order...order)
    writes[name] = (count + 1, min(range.lowerBound, order)...max(range.upperBound, order))
  }

  /// Ends a write and returns the range of its value and those of the writes that it overlaps.
  mutating func finish(_ name: EntryName) -> ClosedRange<Order>? {
    guard let (count, range) = writes[name] else { return nil }
    writes[name] = count > 1 ? (count - 1, range) : nil
    return range
  }
}
