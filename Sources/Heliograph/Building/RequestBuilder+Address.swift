import Foundation

extension RequestBuilder {
  /// The address that a path means; without fragment, and with a path of at least `/`.
  func address(of path: String, for resolved: ResolvedRequest) throws(NetworkError) -> URL {
    try addresses.address(of: path) { () throws(NetworkError) -> URL? in try resolved.base(or: baseURL) }
  }
}
