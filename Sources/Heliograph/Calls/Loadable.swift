public import Signals

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
  ///
  /// With the cache policy `.cacheThenNetwork`, it is `false` from the stored value on, while the network is asked.
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
    case .loading(let previous): .loading(previous: try previous.map(transform))
    case .loaded(let value): .loaded(try transform(value))
    case .failed(let error, let previous): .failed(error, previous: try previous.map(transform))
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

extension Signal where Failure == NetworkError {
  /// Sends the loading states: ``Loadable/loading(previous:)``, then each value and any failure; never fails.
  ///
  /// - The first state is sent at the subscription, before the work starts. Each value is ``Loadable/loaded(_:)``. A
  ///   failure carries the last value as the previous one.
  /// - The failure ``NetworkError/Code/cancelled``, or a completion without a value, as after a 304, sends
  ///   ``Loadable/idle``; after a value, neither sends anything.
  /// - Each state is sent on the thread of its event. Disposal sends nothing.
  /// - Returns: A signal of the states, which completes with the source.
  public func loadable() -> Signal<Loadable<Value>, Never> {
    materialize()
      .scan((state: Loadable<Value>.loading(previous: nil), isNew: true)) { last, event in
        let next = last.state.after(event)
        return (next ?? last.state, next != nil)
      }
      .compactMap { $0.isNew ? $0.state : nil }
      .prepend(.loading(previous: nil))
  }

  /// Loads the values into a property of an owner, such as a view model, on the main actor.
  ///
  /// ```swift
  /// @MainActor @Observable final class ProductModel {
  ///   var product = Loadable<Product>.idle
  ///   private var id: Int?
  ///   func load(_ id: Int) {
  ///     if id != self.id { (self.id, product) = (id, .idle) }  // another product: not with the former value
  ///     Signal.task { try await client.value(of: "/products/\(id)", as: Product.self) }.load(into: \.product, on: self)
  ///   }
  /// }
  /// ```
  /// - The property becomes ``Loadable/loading(previous:)`` with the value that it shows, before this method returns. A
  ///   signal that sends its first event synchronously skips this state, so that a ready value does not flicker.
  /// - The value that is shown stays during the load and after a failure, as a reload needs it. **Before you load
  ///   another subject, such as another id, set the property to ``Loadable/idle``**: otherwise the former value stays.
  /// - Each value is ``Loadable/loaded(_:)``, also a stored one that the network's follows. A failure is
  ///   ``Loadable/failed(_:previous:)`` with the value that was shown.
  ///   Events sent on the main queue are applied synchronously, others in order on the main queue.
  /// - After a cancellation, a disposal or a completion without a value, such as that of a 304, the property returns to
  ///   the loaded value that it showed, or to ``Loadable/idle``.
  /// - **A new load replaces the one in progress** for the same property of the same object: its request is cancelled
  ///   and its further results are ignored. The owner needs no stored subscription. Where a second load must not
  ///   replace the first, such as an order, return while the property is loading. Properties are distinguished by their
  ///   key paths, and `\Base.product` differs from `\Derived.product` and from that of a protocol: always use the same
  ///   key path for a property.
  /// - A result already scheduled on the main queue is applied even if the account changes first: see
  ///   ``NetworkClient/Configuration/account``.
  /// - The owner is not retained. When it is deallocated, the subscription is disposed, as with
  ///   ``/Signals/Signal/bound(to:)-(AnyObject)``.
  /// - Parameters:
  ///   - keyPath: The key path of the property. The property must not be set from outside the main actor.
  ///   - owner: The object with the property.
  /// - Returns: A handle that cancels the load. Discarding it does not cancel.
  @MainActor
  @discardableResult
  public func load<Owner: AnyObject>(
    into keyPath: ReferenceWritableKeyPath<Owner, Loadable<Value>>, on owner: Owner
  ) -> Disposable {
    Load(keyPath, owner).start(self, owner)
  }
}
