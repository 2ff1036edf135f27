/// A job that waits at a gate.
///
/// The nodes of a list are held together by plain pointers: long lists are freed in a loop, not by recursion.
@usableFromInline
final class Node: Sendable {
  @usableFromInline let job: @Sendable () -> Void
  // Part of the gate: written before the node is published and while its list belongs to one thread only.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var older: UInt = 0

  init(_ job: @escaping @Sendable () -> Void) {
    self.job = job
  }

  /// A pointer to the node that keeps it alive.
  func retainedBits() -> UInt { UInt(bitPattern: Unmanaged.passRetained(self).toOpaque()) }

  /// The list reversed, so that it starts with the oldest.
  static func reversed(_ newest: UInt) -> UInt {
    var result: UInt = 0
    var current = newest
    while let pointer = UnsafeRawPointer(bitPattern: current) {
      let node = Unmanaged<Node>.fromOpaque(pointer).takeUnretainedValue()
      (current, node.older, result) = (node.older, result, current)
    }
    return result
  }

  /// How many nodes a list has.
  static func count(_ list: UInt) -> Int {
    var (count, current) = (0, list)
    while let pointer = UnsafeRawPointer(bitPattern: current) {
      count += 1
      current = Unmanaged<Node>.fromOpaque(pointer).takeUnretainedValue().older
    }
    return count
  }

  /// Takes the first node off the list.
  static func take(_ list: inout UInt) -> Node? {
    guard let pointer = UnsafeRawPointer(bitPattern: list) else { return nil }
    let node = Unmanaged<Node>.fromOpaque(pointer).takeRetainedValue()
    list = node.older
    return node
  }

  /// Releases the nodes of a list before the given one.
  @usableFromInline
  static func discard(_ list: UInt, upTo end: UInt = 0) {
    var rest = list
    while rest != end, take(&rest) != nil {}
  }
}
