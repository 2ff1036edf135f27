/// What an async loop's buffer does with values that are sent faster than the loop takes them.
///
/// A terminal event is never dropped.
public struct BufferingPolicy: Sendable, Hashable {
  private enum Kind: Hashable {
    case unbounded
    case newest(Int)
    case oldest(Int)
  }

  private let kind: Kind

  /// All values wait; memory grows with how far the signal is ahead, unless its source pauses.
  public static let unbounded = BufferingPolicy(kind: .unbounded)

  /// Only the latest values wait; older ones are dropped.
  ///
  /// - Parameter limit: the maximum number of waiting values; less than 1 counts as 1.
  /// - Returns: the policy.
  public static func newest(_ limit: Int) -> BufferingPolicy { BufferingPolicy(kind: .newest(max(1, limit))) }

  /// Only the first values wait; newer ones are dropped while the buffer is full.
  ///
  /// - Parameter limit: the maximum number of waiting values; less than 1 counts as 1.
  /// - Returns: the policy.
  public static func oldest(_ limit: Int) -> BufferingPolicy { BufferingPolicy(kind: .oldest(max(1, limit))) }

  var isUnbounded: Bool { kind == .unbounded }

  /// Puts a value into a buffer; returns the one that is dropped for it.
  func admit<Value>(_ value: Value, to buffer: inout Waiting<Value>) -> Value? {
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
