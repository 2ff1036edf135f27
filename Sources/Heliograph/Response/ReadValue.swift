public import Foundation

/// A value decoded from a body, carried through a run by its response; a run handles the response without its value's
/// type, so it is compiled once and not per type.
@usableFromInline
final class ReadValue<Value: Sendable>: Sendable {
  @usableFromInline let value: Value

  init(_ value: Value) { self.value = value }
}

extension Response<Data> {
  /// Returns the response with a value decoded from its body instead of the body.
  func withReadValue<Result: Sendable>(_ value: Result) -> Response {
    Response(Data(), head, details, read: ReadValue(value))
  }

  /// Returns the response with the value decoded from its body, or unchanged for `Data`; `nil` without a value of the type.
  @inlinable
  func typed<Result: Sendable>(as type: Result.Type) -> Response<Result>? {
    if Result.self == Data.self { return (value as? Result).map(replacing) }
    return (read as? ReadValue<Result>).map { replacing($0.value) }
  }
}
