public import Foundation

/// A rule that makes the address of a request from its path and the base address.
public protocol AddressAssembler: Sendable {
  /// Returns the address of a request.
  ///
  /// Called on the subscriber's thread, once for each request that is built.
  /// - Parameters:
  ///   - path: a path below the base, or an absolute address; either may have a query.
  ///   - base: finds the base address: the service's, or else the client's; `nil` if there is none. Ask for it only where it
  ///     is needed, as it throws where a service has no address.
  /// - Returns: the address, absolute and without a fragment.
  /// - Throws: a `client` error with the code ``NetworkError/Code/invalidURL``, or what `base` throws.
  func address(of path: String, below base: () throws(NetworkError) -> URL?) throws(NetworkError) -> URL
}

/// The default rule: a relative path is below the base, as in a folder, and an absolute address is itself.
public struct PathAddressAssembler: AddressAssembler {
  /// Makes the rule.
  public init() {}

  /// Returns the base's path, one slash and the path; the queries of both.
  public func address(of path: String, below base: () throws(NetworkError) -> URL?) throws(NetworkError) -> URL {
    try AddressJoiner.join(path, below: base)
  }
}
