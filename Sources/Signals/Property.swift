/// A read-only view of a value that changes, such as a ``CurrentValue`` that only its owner may set.
///
/// ```swift
/// final class Cart: Sendable {
///   private let current = CurrentValue(0)
///   var count: Property<Int> { current.property }
///   var isEmpty: Property<Bool> { count.map { $0 == 0 } }
/// }
/// ```
/// It may be read from any thread. It keeps the current value alive and subscribes to nothing by itself.
public struct Property<Value: Sendable>: Sendable {
  private let read: @Sendable () -> Value

  /// The latest value, at once on the subscriber's thread, and then every change.
  ///
  /// The signal of a constant sends it and completes; any other does not end.
  public let signal: Signal<Value, Never>

  fileprivate init(_ signal: Signal<Value, Never>, _ read: @escaping @Sendable () -> Value) {
    self.signal = signal
    self.read = read
  }

  /// Makes a property that never changes.
  ///
  /// - Parameter constant: its value.
  public init(_ constant: Value) {
    self.init(.just(constant)) { constant }
  }

  /// The latest value.
  public var value: Value { read() }

  /// A property whose value is derived from this one's.
  ///
  /// Nothing is stored or subscribed to: the transform runs at each read of ``value``, on the reading thread, and for each
  /// value and subscriber of ``signal``, on the delivering thread. Equal values are sent too; `signal.distinctUntilChanged()`
  /// drops them.
  /// - Parameter transform: derives the value; it should have no effects.
  /// - Returns: the derived property.
  public func map<Output: Sendable>(_ transform: @escaping @Sendable (Value) -> Output) -> Property<Output> {
    Property<Output>(signal.map(transform)) { [read] in transform(read()) }
  }
}

extension CurrentValue {
  /// A read-only view of this value, which keeps it alive.
  public var property: Property<Value> { Property(signal) { self.value } }
}
