package import Foundation

extension NetworkError {
  /// Returns the error of a body in a file that cannot be read.
  static func unreadable(_ url: URL, _ underlying: (any Error)? = nil) -> NetworkError {
    let reason = "cannot read \(url.path.singleLine), or it is not a regular file"
    return NetworkError(.invalidBody, reason: reason, underlying: underlying)
  }

  /// Returns the error of a body whose stream has failed: that of the stream if it concerns the body, or one that
  /// contains it.
  ///
  /// Any other error may be that of another exchange from which the stream reads, whose request, status and code must
  /// not be taken for those of the upload.
  package static func failedStream(_ error: any Error) -> NetworkError {
    if let error = error as? NetworkError, error.code == .invalidBody, error.request == nil { return error }
    return NetworkError(.invalidBody, reason: "the body stream failed", underlying: error)
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
