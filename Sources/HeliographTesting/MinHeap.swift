/// A binary min-heap; adding and removing are O(log n).
struct MinHeap<Element: Comparable & Sendable>: Sendable {
  private var elements: [Element] = []

  var count: Int { elements.count }
  var first: Element? { elements.first }

  mutating func add(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0, elements[child] < elements[(child - 1) / 2] {
      elements.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  @discardableResult
  mutating func takeFirst() -> Element? {
    guard let first = elements.first else { return nil }
    elements.swapAt(0, elements.count - 1)
    elements.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < elements.count && elements[child] < elements[least] {
        least = child
      }
      guard least != parent else { return first }
      elements.swapAt(parent, least)
      parent = least
    }
  }

  /// Removes the elements that satisfy a condition, in O(n log n).
  mutating func removeAll(where condition: (Element) -> Bool) {
    elements.removeAll(where: condition)
    elements.sort()
  }
}
