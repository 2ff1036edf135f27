import Signals

/// The loading state of a value, as shown by a screen: it includes the previous value during a reload and after a
/// failure.
///
/// ```swift
/// @MainActor func text(for results: Loadable<[String]>) -> String {
///   switch results {
///   case .idle: "Type to search"
///   case .loading(let previous): previous.map { "\($0.count) results, updating" } ?? "Searching"
///   case .loaded(let results): "\(results.count) results"
///   case .failed(let error, _): error.message
///   }
/// }
/// ```
/// `load(into:on:)` sets a property of this type from a signal.
public enum Loadable<Value: Sendable>: Sendable {
  /// Nothing was requested.
  case idle
  /// The value is being loaded; `previous` is the value loaded before, if any.
  case loading(previous: Value?)
  /// The value has been loaded.
  case loaded(Value)
  /// Loading has failed; `previous` is the value loaded before, if any.
  case failed(NetworkError, previous: Value?)

  /// The value to show: the loaded one, or the previous one while loading and after a failure.
  public var value: Value? {
    switch self {
    case .idle: nil
    case .loading(let previous), .failed(_, let previous): previous
    case .loaded(let value): value
    }
  }

  /// Whether the value is being loaded.
  public var isLoading: Bool { if case .loading = self { true } else { false } }

  /// The error, if loading has failed.
  public var error: NetworkError? { if case .failed(let error, _) = self { error } else { nil } }

  /// Returns the state with its value or previous value transformed.
  ///
  /// - Parameter transform: Transforms the value; it runs at most once.
  /// - Returns: The same state with the transformed value.
  /// - Throws: The error that `transform` throws.
  public func map<Output: Sendable, Problem: Error>(
    _ transform: (Value) throws(Problem) -> Output
  ) throws(Problem) -> Loadable<Output> {
    switch self {
    case .idle: .idle
    case .loading(nil): .loading(previous: nil)
    case .loading(let previous?): .loading(previous: try transform(previous))
    case .loaded(let value): .loaded(try transform(value))
    case .failed(let error, nil): .failed(error, previous: nil)
    case .failed(let error, let previous?): .failed(error, previous: try transform(previous))
    }
  }

  /// The state after loading has ended without a result: the previously shown value, or idle.
  var settled: Loadable { value.map { .loaded($0) } ?? .idle }

  /// Returns the state after an event, or `nil` if it does not change.
  func after(_ event: Event<Value, NetworkError>) -> Loadable? {
    switch event {
    case .value(let value): .loaded(value)
    case .failed(let error) where !error.isCancelled: .failed(error, previous: value)
    case .failed, .completed: isLoading ? settled : nil
    }
  }
}

extension Loadable: Equatable where Value: Equatable {
  /// Returns whether two states and their values are equal; errors are compared by domain, code, message and reason.
  public static func == (left: Loadable, right: Loadable) -> Bool {
    switch (left, right) {
    case (.idle, .idle): true
    case (.loading(let left), .loading(let right)): left == right
    case (.loaded(let left), .loaded(let right)): left == right
    case (.failed(let error, let left), .failed(let other, let right)):
      left == right && error.code == other.code && error.message == other.message && error.reason == other.reason
    default: false
    }
  }
}
