/// A type that has a signal: a ``Signal`` itself, a ``CurrentValue``, a ``Property`` or a ``PublishSubject``.
///
/// Operators that combine signals accept each of these types if it cannot fail; write `subject.signal` for a
/// ``PublishSubject`` that can, and for `amb`. Each type also has these operators, `map` and `subscribe(onValue:)`; all
/// other operators are called on ``signal``.
///
/// A signal that cannot fail combines with one that can: the result has the failure type of the latter. For
/// `amb`, and for `skip(until:)` and `sample(on:)` with a signal that can fail, first write
/// ``Signal/setFailureType(to:)``.
///
/// ```swift
/// let (name, age) = (CurrentValue("Ada"), CurrentValue(36))
/// let saved: Signal<Int, any Error> = .just(1)
/// let labels = name.combineLatest(age).map { "\($0), \($1)" }  // Signal<String, Never>
/// let versions = saved.withLatest(from: name)  // Signal<(Int, String), any Error>
/// ```
public protocol SignalConvertible<Value, Failure>: Sendable {
  /// The type of the signal's values.
  associatedtype Value: Sendable
  /// The type of the signal's failure; `Never` if it cannot fail.
  associatedtype Failure: Error

  /// The signal on which the operators act.
  var signal: Signal<Value, Failure> { get }
}

extension Signal: SignalConvertible {
  /// This signal itself.
  @inlinable public var signal: Signal { self }
}

extension CurrentValue: SignalConvertible {
  /// Transforms each value with a closure; see ``Signal/map(_:)``.
  public func map<Output: Sendable>(_ transform: @escaping @Sendable (Value) -> Output) -> Signal<Output, Never> {
    signal.map(transform)
  }
}

extension PublishSubject: SignalConvertible {
  /// Transforms each value with a closure; see ``Signal/map(_:)``.
  public func map<Output: Sendable>(_ transform: @escaping @Sendable (Value) -> Output) -> Signal<Output, Failure> {
    signal.map(transform)
  }
}

extension Property: SignalConvertible {}

extension SignalConvertible where Failure == Never {
  /// Starts the work of a signal that cannot fail; see ``Signal/subscribe(onValue:onFailure:onCompletion:)``.
  @inlinable
  @discardableResult
  public func subscribe(
    onValue: @escaping @Sendable (Value) -> Void, onCompletion: @escaping @Sendable () -> Void = {}
  ) -> Disposable {
    let signal = signal.resolved()
    if let handle = signal.deliver(to: onValue, onCompletion) { return handle }
    return signal.subscribe { (event: Event<Value, Never>) in
      switch event {
      case .value(let value): onValue(value)
      case .completed: onCompletion()
      }
    }
  }

  /// Starts the work of a signal that cannot fail and delivers its events to main-actor closures; see
  /// ``Signal/subscribeOnMain(onValue:onFailure:onCompletion:)``.
  @discardableResult
  public func subscribeOnMain(
    onValue: @escaping @MainActor @Sendable (Value) -> Void,
    onCompletion: @escaping @MainActor @Sendable () -> Void = {}
  ) -> Disposable {
    signal.subscribeOnMain(onValue: onValue, onFailure: { _ in }, onCompletion: onCompletion)
  }
}
