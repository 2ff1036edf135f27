/// An element of a queue that may be cancelled while it is queued.
protocol Queued {
  /// Whether the element was cancelled or has ended.
  var isTerminated: Bool { get }
}

/// A queue by priority, first in, first out within a priority.
///
/// Complexity: amortized O(1) for each element.
struct PriorityQueue<Element: Queued> {
  /// One level for each priority, by its raw value.
  private var levels: [FIFOQueue<Element>] = RequestPriority.allCases.map { _ in FIFOQueue() }

  var isEmpty: Bool { levels.allSatisfy(\.isEmpty) }

  mutating func add(_ element: Element, _ priority: RequestPriority) {
    levels[priority.rawValue].append(element)
  }

  /// Removes and returns the next element, which may have terminated.
  mutating func popFirst() -> Element? {
    for level in levels.indices.reversed() where !levels[level].isEmpty { return levels[level].popFirst() }
    return nil
  }

  /// Returns the priority of the next element that has not terminated, and removes those before it.
  mutating func firstPriority() -> RequestPriority? {
    for level in levels.indices.reversed() {
      levels[level].dropTerminated()
      if !levels[level].isEmpty { return RequestPriority(rawValue: level) }
    }
    return nil
  }
}

extension PriorityQueue: Sendable where Element: Sendable {}

/// A first-in, first-out queue.
private struct FIFOQueue<Element: Queued> {
  /// The elements; those that were taken are `nil`.
  private var elements: [Element?] = []
  private var firstIndex = 0
  /// The number of entries at which terminated ones are removed, so that a level that is never reached retains none.
  private var cleanupCount = 64

  var isEmpty: Bool { firstIndex == elements.count }

  mutating func append(_ element: Element) {
    if elements.count >= cleanupCount {
      elements.removeAll { $0?.isTerminated ?? true }
      firstIndex = 0
      cleanupCount = max(64, elements.count * 2)
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

  mutating func dropTerminated() {
    while !isEmpty, elements[firstIndex]?.isTerminated ?? true { _ = popFirst() }
  }
}

extension FIFOQueue: Sendable where Element: Sendable {}
