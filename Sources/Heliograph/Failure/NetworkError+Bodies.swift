package import Foundation

extension NetworkError {
  /// Returns the error of a body in a file that cannot be read.
  static func unreadable(_ url: URL, _ underlying: (any Error)? = nil) -> NetworkError {
    let reason = "cannot read \(url.path.singleLine), or it is not a regular file"
    return NetworkError(.invalidBody, reason: reason, underlying: underlying)
  }

  /// Returns the error of a body whose size differs from the declared one; `read` is `nil` if there are more bytes.
  package static func sizeMismatch(declared: Int, read: Int?) -> NetworkError {
    let found = read.map(String.init) ?? "more"
    return NetworkError(.invalidBody, reason: "body size mismatch: declared \(declared) bytes, read \(found)")
  }
}

extension HTTPRequest {
  /// Returns the error of a body in a file that cannot be read.
  package func failure(ofFile url: URL, _ underlying: (any Error)? = nil) -> NetworkError {
    NetworkError.unreadable(url, underlying).attaching(self)
  }
}
