/// An event delivered to a subscriber: a value, a failure or completion.
///
/// A subscription delivers any number of values and then at most one terminal event: `value* (failed | completed)?`.
@frozen
public enum Event<Value: Sendable, Failure: Error>: Sendable {
  /// A value; further events may follow.
  case value(Value)
  /// The signal failed; no event follows.
  case failed(Failure)
  /// The signal completed; no event follows.
  case completed

  /// The value, or `nil` for a terminal event.
  public var value: Value? {
    if case .value(let value) = self { value } else { nil }
  }

  /// The failure, or `nil` for a value and for completion.
  public var failure: Failure? {
    if case .failed(let failure) = self { failure } else { nil }
  }

  /// Whether this event terminates the subscription.
  public var isTerminal: Bool {
    if case .value = self { false } else { true }
  }
}

extension Event: Equatable where Value: Equatable, Failure: Equatable {}
extension Event: Hashable where Value: Hashable, Failure: Hashable {}
