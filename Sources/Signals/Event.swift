/// One thing that a signal says to its subscriber.
///
/// A subscription sees any number of values and then at most one ending: `value* (failed | completed)?`.
@frozen
public enum Event<Value: Sendable, Failure: Error>: Sendable {
  /// A value; more may follow.
  case value(Value)
  /// The signal ended because something went wrong. Nothing follows.
  case failed(Failure)
  /// The signal ended in order. Nothing follows.
  case completed

  /// The value, or `nil` for an ending.
  public var value: Value? {
    if case .value(let value) = self { value } else { nil }
  }

  /// The failure, or `nil` for a value and for completion.
  public var failure: Failure? {
    if case .failed(let failure) = self { failure } else { nil }
  }

  /// Whether this event ends the subscription.
  public var isTerminal: Bool {
    if case .value = self { false } else { true }
  }
}

extension Event: Equatable where Value: Equatable, Failure: Equatable {}
extension Event: Hashable where Value: Hashable, Failure: Hashable {}

/// How a signal ends, with a last value fused into its completion.
///
/// A request is one last value: saying both in one call halves the work of every stage it passes.
@frozen
@usableFromInline
enum End<Value: Sendable, Failure: Error>: Sendable {
  case last(Value)
  case failed(Failure)
  case completed
}
