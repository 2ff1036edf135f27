/// A rule for the buffer of an async sequence when values arrive faster than the loop consumes them.
///
/// Terminal events are never dropped.
public struct BufferingPolicy: Sendable, Hashable {
  private enum Kind: Hashable {
    case unbounded
    case newest(Int)
    case oldest(Int)
  }

  private let kind: Kind

  /// A policy that buffers all values.
  ///
  /// Memory grows with the backlog unless the source pauses.
  public static let unbounded = BufferingPolicy(kind: .unbounded)

  /// Creates a policy that buffers the latest values and drops older ones.
  ///
  /// - Parameter limit: The maximum number of buffered values. Values below 1 count as 1.
  /// - Returns: The policy.
  public static func newest(_ limit: Int) -> BufferingPolicy { BufferingPolicy(kind: .newest(max(1, limit))) }

  /// Creates a policy that buffers the first values and drops newer ones while the buffer is full.
  ///
  /// - Parameter limit: The maximum number of buffered values. Values below 1 count as 1.
  /// - Returns: The policy.
  public static func oldest(_ limit: Int) -> BufferingPolicy { BufferingPolicy(kind: .oldest(max(1, limit))) }

  var isUnbounded: Bool { kind == .unbounded }

  /// Adds a value to a buffer and returns the value that is dropped in exchange, if any.
  func admit<Value>(_ value: Value, to buffer: inout FIFOQueue<Value>) -> Value? {
    switch kind {
    case .oldest(let limit) where buffer.count >= limit: return value
    case .newest(let limit) where buffer.count >= limit:
      let oldest = buffer.popFirst()
      buffer.append(value)
      return oldest
    default:
      buffer.append(value)
      return nil
    }
  }
}
