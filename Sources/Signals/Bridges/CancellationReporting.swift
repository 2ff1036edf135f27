/// A failure type with a value that reports the cancellation of a task.
///
/// ``Signal/values`` and the async ``Signal/first()->Value?`` throw it when their task is cancelled. With any other
/// failure type they end as if the signal had completed. Subscriptions that are disposed stay silent in either case.
public protocol CancellationReporting: Error {
  /// The failure that a cancelled task throws.
  static var cancellation: Self { get }
}

extension Event {
  /// The terminal event of a cancelled task.
  static var cancellation: Event {
    guard let type = Failure.self as? any CancellationReporting.Type, let failure = type.cancellation as? Failure else {
      return .completed
    }
    return .failed(failure)
  }
}
