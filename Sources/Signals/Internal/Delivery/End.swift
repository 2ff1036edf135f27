/// The end of a stage's input; a completion may carry the last value.
///
/// A request sends one last value. Delivering both in one call halves the work of every stage.
@frozen
@usableFromInline
enum End<Value: Sendable, Failure: Error>: Sendable {
  case last(Value)
  case failed(Failure)
  case completed
  /// The source or its owner was deallocated: the subscription terminates silently, as if it were disposed.
  case abandoned
  /// No further event is possible, as with `never`: downstream buffers are freed, and the teardown runs at disposal.
  case unreachable

  /// Whether the end is not delivered to subscribers.
  @inlinable var isSilent: Bool {
    switch self {
    case .last, .failed, .completed: false
    case .abandoned, .unreachable: true
    }
  }

  @inlinable var isUnreachable: Bool { if case .unreachable = self { true } else { false } }

  @inlinable
  func map<Output>(_ transform: (Value) -> Output) -> End<Output, Failure> {
    switch self {
    case .last(let value): .last(transform(value))
    case .failed(let failure): .failed(failure)
    case .completed: .completed
    case .abandoned: .abandoned
    case .unreachable: .unreachable
    }
  }

  @inlinable
  func catchFailure<Problem>(_ transform: (Failure) -> End<Value, Problem>) -> End<Value, Problem> {
    switch self {
    case .last(let value): .last(value)
    case .failed(let failure): transform(failure)
    case .completed: .completed
    case .abandoned: .abandoned
    case .unreachable: .unreachable
    }
  }

  /// Returns the end with another value type, or `nil` for a last value.
  @inlinable
  func withoutValue<Output>(_ type: Output.Type = Output.self) -> End<Output, Failure>? {
    switch self {
    case .last: nil
    case .failed(let failure): .failed(failure)
    case .completed: .completed
    case .abandoned: .abandoned
    case .unreachable: .unreachable
    }
  }
}
