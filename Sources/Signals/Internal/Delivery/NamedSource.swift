/// A source that creates its signal at subscription, as `deferred` does, and has a name for logs.
@usableFromInline
package protocol NamedSource<Value, Failure>: AnyObject, Sendable {
  associatedtype Value: Sendable
  associatedtype Failure: Error

  /// The name; computed on access.
  var name: String { get }

  /// Creates the signal to run; called once for each subscription, on the subscriber's thread.
  func makeSignal() -> Signal<Value, Failure>
}

extension Signal {
  /// Creates a signal from a named source.
  @inlinable
  package init(_ source: any NamedSource<Value, Failure>) {
    self.init(.named(source))
  }

  /// The name for logs and debuggers, such as the method and path of a request, or `nil` if the signal has none.
  ///
  /// Signals that operators return have no name.
  public var name: String? {
    if case .named(let source) = kind { source.name } else { nil }
  }
}
