public import Signals

/// An event of a transfer: its progress or its response.
///
/// `signal.finished()` delivers only the response.
public enum Transfer<Value: Sendable>: _TransferEvent {
  /// Progress in one direction.
  case progress(TransferProgress)
  /// The response: the last event, unless there are several responses, such as the elements of an array.
  case finished(Value)

  /// The progress; `nil` if the transfer is finished.
  public var progress: TransferProgress? { if case .progress(let progress) = self { progress } else { nil } }
  /// The response; `nil` until the transfer is finished.
  public var finished: Value? { if case .finished(let value) = self { value } else { nil } }
}

extension Transfer: Equatable where Value: Equatable {}
extension Transfer: Hashable where Value: Hashable {}

extension Transfer: CustomStringConvertible {
  /// The progress or the response on one line.
  public var description: String {
    switch self {
    case .progress(let progress): "\(progress)"
    case .finished(let value): "finished: \(value)"
    }
  }
}

/// The constraint of operators on transfer signals: every ``Transfer``, whatever its value.
public protocol _TransferEvent: Sendable {
  /// The type of the response.
  associatedtype Value: Sendable
  /// The response; `nil` until the transfer is finished.
  var finished: Value? { get }
}

extension Signal where Value: _TransferEvent {
  /// Returns the signal of the responses alone, without the progress.
  public func finished() -> Signal<Value.Value, Failure> { compactMap { $0.finished } }

  // These have no result: with one, a mistake after the `value()` of any other signal would be reported as a use of these.

  /// Waits for the response and drops it; a plain `value()` would deliver the first progress.
  @available(*, deprecated, message: "a transfer begins with its progress: write finished().value()")
  public func value() async throws { _ = try await finished().value() }

  /// Waits for the response and drops it; a plain `first()` would deliver the first progress.
  @available(*, deprecated, message: "a transfer begins with its progress: write finished().first()")
  public func first() async throws(Failure) { _ = try await finished().first() }

  /// Returns a signal that ends with the response; a plain `first()` would cancel the transfer after its first progress.
  @available(*, deprecated, message: "a transfer begins with its progress: write finished().first()")
  public func first() -> Signal<Void, Failure> { finished().first().map { _ in } }
}
