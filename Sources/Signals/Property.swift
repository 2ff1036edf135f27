/// A read-only view of a changing value, such as a ``CurrentValue`` that only its owner may set.
///
/// ```swift
/// final class Cart: Sendable {
///   private let current = CurrentValue(0)
///   var count: Property<Int> { current.property }
///   var isEmpty: Property<Bool> { count.map { $0 == 0 } }
/// }
/// ```
/// It may be read from any thread. It retains the underlying `CurrentValue` and creates no subscription.
public struct Property<Value: Sendable>: Sendable {
  private let read: @Sendable () -> Value

  /// A signal that sends the current value on the subscriber's thread, followed by every later value.
  ///
  /// The signal of a constant property sends its value and completes; any other signal never terminates.
  public let signal: Signal<Value, Never>

  /// Creates a property from a signal and a closure that reads its current value.
  package init(_ signal: Signal<Value, Never>, _ read: @escaping @Sendable () -> Value) {
    self.signal = signal
    self.read = read
  }

  /// Creates a property that never changes.
  ///
  /// - Parameter constant: The value, which never changes.
  public init(_ constant: Value) {
    self.init(.just(constant)) { constant }
  }

  /// The current value.
  public var value: Value { read() }

  /// Returns a property whose value is derived from this property's value.
  ///
  /// Nothing is stored and no subscription is created. The transform runs at each read of ``value``, on the reading
  /// thread, and for each value and subscriber of ``signal``, on the delivering thread. Equal values are sent too;
  /// `signal.distinctUntilChanged()` drops them.
  /// - Parameter transform: Derives the value. It should have no side effects.
  /// - Returns: The derived property.
  public func map<Output: Sendable>(_ transform: @escaping @Sendable (Value) -> Output) -> Property<Output> {
    Property<Output>(signal.map(transform)) { [read] in transform(read()) }
  }
}

extension CurrentValue {
  /// A read-only view of this value; it retains the `CurrentValue`.
  public var property: Property<Value> { Property(signal) { self.value } }
}
