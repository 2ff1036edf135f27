public import Foundation

/// Judges a response before it is decoded.
///
/// A client's validators run in their order, each after the one before has accepted the response.
public protocol Validator: Sendable {
  /// Returns if the response is good.
  ///
  /// - Parameter response: the response with its body; never a 304.
  /// - Throws: the error that it amounts to: `server` for a status, `api` for what the body says.
  func validate(_ response: Response<Data>) throws(NetworkError)
}

/// Accepts the statuses of success.
public struct StatusValidator: Validator {
  /// The statuses that are accepted.
  ///
  /// Default: 200 to 299.
  public let accepted: Range<Int>

  /// Makes the validator.
  ///
  /// - Parameter accepted: the statuses that are accepted. Default: 200 to 299 (RFC 9110 §15.3).
  public init(accepted: Range<Int> = 200..<300) {
    self.accepted = accepted
  }

  /// Throws a `server` error, whose code is the status, for any other status.
  public func validate(_ response: Response<Data>) throws(NetworkError) {
    guard !accepted.contains(response.statusCode) else { return }
    throw NetworkError(
      .server, NetworkError.Code(rawValue: response.statusCode), reason: "HTTP status \(response.statusCode)",
      response: response)
  }
}
