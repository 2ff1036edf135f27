/// How a stage's input ends, with a last value fused into its completion.
///
/// A request is one last value: delivering both in one call halves the work of every stage it passes.
@frozen
@usableFromInline
enum End<Value: Sendable, Failure: Error>: Sendable {
  case last(Value)
  case failed(Failure)
  case completed
  /// The source was deallocated, or its owner: the subscription ends silently, as if it were disposed.
  case abandoned
  /// Nothing more can come, as of `never`: what waits downstream is freed, and a teardown waits for the disposal.
  case unreachable
}

extension End {
  /// Whether no subscriber is told.
  @inlinable var isSilent: Bool {
    switch self {
    case .last, .failed, .completed: false
    case .abandoned, .unreachable: true
    }
  }

  @inlinable var isUnreachable: Bool { if case .unreachable = self { true } else { false } }

  /// The same end with a last value transformed.
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

  /// The same end with a failure transformed.
  @inlinable
  func mapFailure<Problem>(_ transform: (Failure) -> Problem) -> End<Value, Problem> {
    switch self {
    case .last(let value): .last(value)
    case .failed(let failure): .failed(transform(failure))
    case .completed: .completed
    case .abandoned: .abandoned
    case .unreachable: .unreachable
    }
  }

  /// The same end of another value type; `nil` for a last value.
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
