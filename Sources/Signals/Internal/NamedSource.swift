/// Finds another signal at subscription, as `deferred` does, and has a name for logs.
@usableFromInline
package protocol NamedSource<Value, Failure>: AnyObject, Sendable {
  associatedtype Value: Sendable
  associatedtype Failure: Error

  /// The name; made when it is asked for.
  var name: String { get }

  /// The signal to run; called once for each subscription, on the subscriber's thread.
  func makeSignal() -> Signal<Value, Failure>
}

extension Signal {
  /// Makes a signal of a source that has a name.
  @inlinable
  package init(_ source: any NamedSource<Value, Failure>) {
    self.init(.named(source))
  }

  /// The name for logs and debuggers, such as the method and path of a request; `nil` if the signal has none.
  ///
  /// Signals that operators make have none.
  public var name: String? {
    if case .named(let source) = kind { source.name } else { nil }
  }
}
