public import Foundation

/// A rule that assembles the URL of a request from its path and the base URL.
public protocol AddressAssembler: Sendable {
  /// Returns the URL of a request.
  ///
  /// Called on the subscriber's thread, once for each request that is built.
  /// - Parameters:
  ///   - path: a path below the base URL, or an absolute URL; either may have a query.
  ///   - base: returns the base URL of the service, or else of the client; `nil` if there is none. Call it only if
  ///     needed, because it throws if a service has no address.
  /// - Returns: the URL, absolute and without a fragment.
  /// - Throws: a `client` error with the code ``NetworkError/Code/invalidURL``, or the error of `base`.
  func address(of path: String, below base: () throws(NetworkError) -> URL?) throws(NetworkError) -> URL
}

/// The default rule: a relative path is appended to the base URL, and an absolute URL is used unchanged.
public struct PathAddressAssembler: AddressAssembler {
  /// Creates the rule.
  public init() {}

  /// Returns the base's path, one slash and the path, with the queries of both.
  public func address(of path: String, below base: () throws(NetworkError) -> URL?) throws(NetworkError) -> URL {
    try AddressJoiner.join(path, below: base)
  }
}
