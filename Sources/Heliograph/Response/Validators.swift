public import Foundation

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

/// Accepts some content types; an empty body may be of any.
///
/// Requirement S4-5.
public struct ContentTypeValidator: Validator {
  /// The types that are accepted, in lower case, without parameters.
  public let accepted: Set<String>

  /// Makes the validator.
  ///
  /// - Parameter accepted: the types that are accepted, without parameters such as `charset`. Default:
  ///   `application/json`, `text/html`, `text/json`, `text/javascript` and `text/plain`.
  public init(
    accepted: Set<String> = ["application/json", "text/html", "text/json", "text/javascript", "text/plain"]
  ) {
    self.accepted = Set(accepted.map { $0.lowercased() })
  }

  /// Throws a `processing` error with the code ``NetworkError/Code/unacceptableType`` for any other type, and for none.
  public func validate(_ response: Response<Data>) throws(NetworkError) {
    if response.value.isEmpty { return }
    let field = response.headers["Content-Type"] ?? ""
    let type = field.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    guard !accepted.contains(type) else { return }
    throw NetworkError(
      .processing, .unacceptableType, reason: "the content type is \(field.debugDescription)", response: response)
  }
}
