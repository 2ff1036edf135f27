/// A link of a list held together by plain pointers: long lists are freed in a loop, not by recursion.
@usableFromInline
class Link {
  // Written before the link is published and while its list belongs to one thread only.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) final var older: UInt = 0

  @inlinable init() {}

  /// The list turned round, so that it starts with the oldest.
  @usableFromInline
  static func reversed(_ newest: UInt) -> UInt {
    var result: UInt = 0
    var current = newest
    while let link = object(current) {
      let next = link.older
      link.older = result
      result = current
      current = next
    }
    return result
  }

  /// Takes the first link off the list.
  @inlinable
  static func take(_ list: inout UInt) -> Link? {
    guard let pointer = UnsafeRawPointer(bitPattern: list) else { return nil }
    let link = Unmanaged<Link>.fromOpaque(pointer).takeRetainedValue()
    list = link.older
    return link
  }

  /// Releases every link of a list.
  @usableFromInline
  static func discard(_ list: UInt) {
    var rest = list
    while take(&rest) != nil {}
  }

  private static func object(_ bits: UInt) -> Link? {
    UnsafeRawPointer(bitPattern: bits).map { Unmanaged<Link>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// An item that waits at a gate.
@usableFromInline
final class Node<Item: Sendable>: Link {
  @usableFromInline let item: Item

  @inlinable
  init(_ item: Item) {
    self.item = item
  }
}
