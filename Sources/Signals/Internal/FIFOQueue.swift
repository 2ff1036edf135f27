/// A FIFO queue.
///
/// Each operation is O(1) amortized.
@usableFromInline
struct FIFOQueue<Element: Sendable>: Sendable {
  @usableFromInline var elements: [Element?] = []
  @usableFromInline var head = 0

  @inlinable init() {}

  @inlinable
  init(_ elements: some Sequence<Element>) {
    self.elements = elements.map { $0 }
  }

  @inlinable var isEmpty: Bool { head == elements.count }
  @inlinable var count: Int { elements.count - head }

  @inlinable var first: Element? { head < elements.count ? elements[head] : nil }

  @inlinable
  mutating func append(_ element: Element) { elements.append(element) }

  @inlinable
  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let first = elements[head].take()
    head += 1
    if head == elements.count {
      elements.removeAll(keepingCapacity: elements.count <= 64)
      head = 0
    } else if head > 32, head * 2 > elements.count {
      // The earlier pops pay for moving the remaining elements.
      elements.removeFirst(head)
      head = 0
    }
    return first
  }
}
