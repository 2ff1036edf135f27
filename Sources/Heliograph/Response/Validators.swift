public import Foundation

/// A validator that accepts a range of statuses, by default those of success.
public struct StatusValidator: Validator {
  /// The accepted statuses.
  ///
  /// Default: 200 to 299.
  public let accepted: Range<Int>

  /// Creates the validator.
  ///
  /// - Parameter accepted: The accepted statuses. Default: 200 to 299 (RFC 9110 §15.3).
  public init(accepted: Range<Int> = 200..<300) { self.accepted = accepted }

  /// Throws a `server` error with the status as its code for any other status.
  public func validate(_ response: Response<Data>) throws(NetworkError) {
    guard !accepted.contains(response.statusCode) else { return }
    throw NetworkError(.status(response.statusCode), reason: "HTTP status \(response.statusCode)", response: response)
  }
}

/// A validator that accepts the given content types; an empty body may have any type.
///
/// For a streamed body and a download, the head is validated before anything is written. Types such as
/// `application/problem+json` and `application/vnd.api+json` are accepted only if they are listed.
public struct ContentTypeValidator: Validator {
  /// The accepted types in lower case, without parameters.
  public let accepted: Set<String>

  /// Creates the validator.
  ///
  /// - Parameter accepted: The accepted types, without parameters such as `charset`. Default: `application/json`,
  ///   `text/html`, `text/json`, `text/javascript` and `text/plain`.
  public init(
    accepted: Set<String> = ["application/json", "text/html", "text/json", "text/javascript", "text/plain"]
  ) {
    self.accepted = Set(accepted.map { $0.lowercased() })
  }

  /// Throws a `processing` error with the code ``NetworkError/Code/unacceptableType`` for any other or a missing
  /// content type.
  public func validate(_ response: Response<Data>) throws(NetworkError) {
    if response.value.isEmpty, !response.hasBodyToFollow { return }
    let field = response.headers["Content-Type"] ?? ""
    guard !accepted.contains(field.mediaType) else { return }
    throw NetworkError(
      .unacceptableType, reason: "unacceptable Content-Type \(field.loggedMediaType)", response: response)
  }
}

extension Response<Data> {
  /// Whether only the head has been received, and a streamed body follows.
  fileprivate var hasBodyToFollow: Bool {
    guard let request, request.isStreamed, request.method != .head, (200..<300).contains(statusCode) else {
      return false
    }
    return statusCode != 204 && statusCode != 205 && headers["Content-Length"] != "0"
  }
}
