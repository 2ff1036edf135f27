/// An item that waits at a gate, linked by plain pointers: long lists are freed in a loop, not by recursion.
@usableFromInline
final class Node<Item: Sendable>: Sendable {
  @usableFromInline let item: Item
  // Written before the node is published and while its list belongs to one thread only.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var older: UInt = 0

  @inlinable
  init(_ item: Item) {
    self.item = item
  }

  /// The list turned round, so that it starts with the oldest.
  @inlinable
  static func reversed(_ newest: UInt) -> UInt {
    var result: UInt = 0
    var current = newest
    while let node = object(current) {
      let next = node.older
      node.older = result
      result = current
      current = next
    }
    return result
  }

  /// Takes the first node off the list.
  @inlinable
  static func take(_ list: inout UInt) -> Node? {
    guard let pointer = UnsafeRawPointer(bitPattern: list) else { return nil }
    let node = Unmanaged<Node>.fromOpaque(pointer).takeRetainedValue()
    list = node.older
    return node
  }

  /// Releases every node of a list.
  @inlinable
  static func discard(_ list: UInt) {
    var rest = list
    while take(&rest) != nil {}
  }

  @inlinable
  static func object(_ bits: UInt) -> Node? {
    UnsafeRawPointer(bitPattern: bits).map { Unmanaged<Node>.fromOpaque($0).takeUnretainedValue() }
  }
}
