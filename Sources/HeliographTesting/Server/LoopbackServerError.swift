/// An error of a system call that prevented a `LoopbackServer` from starting.
package struct LoopbackServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the failed call, such as `"bind"`.
  package let operation: String

  /// The value of `errno` after the call, such as `EADDRINUSE` if the port is in use.
  package let code: Int32

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - operation: The name of the failed call.
  ///   - code: The value of `errno` after the call.
  package init(operation: String, code: Int32) {
    self.operation = operation
    self.code = code
  }

  /// The call and its error number, such as `bind failed with errno 98`.
  package var description: String { "\(operation) failed with errno \(code)" }
}
