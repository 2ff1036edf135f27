import Synchronization

/// A loop run by one thread at a time; a concurrent call leaves its work to the thread inside.
///
/// The work is stored elsewhere, behind a lock, and is added before the call.
@usableFromInline
package struct Drain: ~Copyable, Sendable {
  /// The number of calls whose work may not have been done yet.
  private let calls = Atomic<Int>(0)

  package init() {}

  /// Does all pending work, unless another thread or an outer call is doing so and will do this work too; the
  /// work may add work and call this method again.
  @usableFromInline
  package func run(_ work: () -> Void) {
    var count = calls.add(1, ordering: .acquiringAndReleasing).newValue
    guard count == 1 else { return }
    repeat {
      work()
      count = calls.subtract(count, ordering: .acquiringAndReleasing).newValue
    } while count > 0
  }
}

extension Array {
  /// Removes and returns the first element; `nil` if there is none.
  @inlinable
  package mutating func takeFirst() -> Element? { isEmpty ? nil : removeFirst() }
}

/// A FIFO queue; each operation is O(1) amortized.
@usableFromInline
package struct FIFOQueue<Element> {
  @usableFromInline var elements: [Element?] = []
  @usableFromInline var head = 0

  @inlinable package init() {}

  @inlinable
  init(_ elements: some Sequence<Element>) {
    self.elements = elements.map { $0 }
  }

  @inlinable package var isEmpty: Bool { head == elements.count }
  @inlinable package var count: Int { elements.count - head }

  @inlinable package var first: Element? { head < elements.count ? elements[head] : nil }

  @inlinable
  package mutating func append(_ element: Element) { elements.append(element) }

  @inlinable
  package mutating func popFirst() -> Element? {
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

  /// Removes the elements that meet a condition.
  package mutating func removeAll(where shouldRemove: (Element) -> Bool) {
    elements.removeAll { $0.map(shouldRemove) ?? true }
    head = 0
  }
}

extension FIFOQueue: Sendable where Element: Sendable {}
