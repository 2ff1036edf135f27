public import Foundation

/// A stage that validates a response before it is decoded.
public protocol Validator: Sendable {
  /// Returns normally if the response is valid.
  ///
  /// - Parameter response: the response with its body; never a 304.
  /// - Throws: the error to fail with: `server` for a status, `api` for a failure reported in the body.
  func validate(_ response: Response<Data>) throws(NetworkError)
}
