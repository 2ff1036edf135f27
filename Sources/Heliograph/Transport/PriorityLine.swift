/// What can stand in a line, and may have left it before its turn.
protocol Queued {
  /// Whether it needs no turn any more.
  var isOver: Bool { get }
}

/// A line in which a higher priority goes first, and within one priority whoever came first.
///
/// Complexity: O(1) for each element, on average.
struct PriorityLine<Element: Queued> {
  /// One for each priority, by its raw value.
  private var lanes: [Lane<Element>] = RequestPriority.allCases.map { _ in Lane() }

  var isEmpty: Bool { lanes.allSatisfy(\.isEmpty) }

  mutating func add(_ element: Element, _ priority: RequestPriority) {
    lanes[priority.rawValue].append(element)
  }

  /// The next one; it may be over.
  mutating func popFirst() -> Element? {
    for level in lanes.indices.reversed() where !lanes[level].isEmpty { return lanes[level].popFirst() }
    return nil
  }

  /// The priority of the next one that is not over; those before it are taken out.
  mutating func firstPriority() -> RequestPriority? {
    for level in lanes.indices.reversed() {
      lanes[level].dropOver()
      if !lanes[level].isEmpty { return RequestPriority(rawValue: level) }
    }
    return nil
  }
}

extension PriorityLine: Sendable where Element: Sendable {}

/// First come, first served.
private struct Lane<Element: Queued> {
  /// Those whose turn has come are empty.
  private var elements: [Element?] = []
  private var firstIndex = 0
  /// At this many entries those that ended are removed: a lane that never gets its turn must not keep them.
  private var sortingCount = 64

  var isEmpty: Bool { firstIndex == elements.count }

  mutating func append(_ element: Element) {
    if elements.count >= sortingCount {
      elements.removeAll { $0?.isOver ?? true }
      firstIndex = 0
      sortingCount = max(64, elements.count * 2)
    }
    elements.append(element)
  }

  mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let element = elements[firstIndex].take()
    firstIndex += 1
    if isEmpty {
      elements.removeAll(keepingCapacity: true)
      firstIndex = 0
    }
    return element
  }

  mutating func dropOver() {
    while !isEmpty, elements[firstIndex]?.isOver ?? true { _ = popFirst() }
  }
}

extension Lane: Sendable where Element: Sendable {}
