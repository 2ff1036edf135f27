/// A job in the queue of a gate.
///
/// Nodes are linked by plain pointers, so that long lists are freed in a loop and not by recursion.
@usableFromInline
final class Node: Sendable {
  @usableFromInline let job: @Sendable () -> Void
  // Part of the gate: written before the node is published, or while one thread owns its list.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var older: UInt = 0

  init(_ job: @escaping @Sendable () -> Void) {
    self.job = job
  }

  /// Returns a retained pointer to the node.
  func retainedBits() -> UInt { UInt(bitPattern: Unmanaged.passRetained(self).toOpaque()) }

  /// Returns the list reversed, with the oldest node first.
  static func reversed(_ newest: UInt) -> UInt {
    var result: UInt = 0
    var current = newest
    while let pointer = UnsafeRawPointer(bitPattern: current) {
      let node = Unmanaged<Node>.fromOpaque(pointer).takeUnretainedValue()
      (current, node.older, result) = (node.older, result, current)
    }
    return result
  }

  /// Returns the number of nodes in a list.
  static func count(_ list: UInt) -> Int {
    var (count, current) = (0, list)
    while let pointer = UnsafeRawPointer(bitPattern: current) {
      count += 1
      current = Unmanaged<Node>.fromOpaque(pointer).takeUnretainedValue().older
    }
    return count
  }

  /// Removes and returns the first node of a list.
  static func take(_ list: inout UInt) -> Node? {
    guard let pointer = UnsafeRawPointer(bitPattern: list) else { return nil }
    let node = Unmanaged<Node>.fromOpaque(pointer).takeRetainedValue()
    list = node.older
    return node
  }

  /// Releases the nodes of a list up to, but not including, the given one.
  @usableFromInline
  static func discard(_ list: UInt, upTo end: UInt = 0) {
    var current = list
    while current != end, take(&current) != nil {}
  }
}
