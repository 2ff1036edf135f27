import Foundation

extension RequestBuilder {
  /// The address that a path means; without fragment, and with a path of at least `/`.
  func address(of path: RequestPath, for resolved: ResolvedRequest) throws(NetworkError) -> URL {
    if let fault = path.fault { throw NetworkError(.client, .invalidURL, reason: "\(fault): \(path)") }
    return try addresses.address(of: path.text) { () throws(NetworkError) -> URL? in try resolved.base(or: baseURL) }
  }
}
