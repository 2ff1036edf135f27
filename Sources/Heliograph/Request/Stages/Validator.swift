public import Foundation

/// Judges a response before it is decoded.
public protocol Validator: Sendable {
  /// Returns if the response is good.
  ///
  /// - Parameter response: the response with its body; never a 304.
  /// - Throws: the error that it amounts to: `server` for a status, `api` for what the body says.
  func validate(_ response: Response<Data>) throws(NetworkError)
}
