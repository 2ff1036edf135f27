/// How a stage's input ends, with a last value fused into its completion.
///
/// A request is one last value: delivering both in one call halves the work of every stage it passes.
@frozen
@usableFromInline
enum End<Value: Sendable, Failure: Error>: Sendable {
  case last(Value)
  case failed(Failure)
  case completed
  /// The source was deallocated before it ended: nothing more can come.
  ///
  /// Silent: no subscriber sees it, and nothing is disposed because of it. Stages free what they hold and pass it on.
  case abandoned
}

extension End {
  /// The same end of another value type; `nil` for a last value.
  @inlinable
  func withoutValue<Output>(_ type: Output.Type = Output.self) -> End<Output, Failure>? {
    switch self {
    case .last: nil
    case .failed(let failure): .failed(failure)
    case .completed: .completed
    case .abandoned: .abandoned
    }
  }
}
