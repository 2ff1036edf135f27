public import Foundation

/// A rule that assembles the URL of a request from its path and the base URL.
///
/// ```swift
/// configuration.addressAssembler = AddressAssembler { path, base throws(NetworkError) in
///   try AddressAssembler.path.address(of: "/v2\(path)", below: base)
/// }
/// ```
public struct AddressAssembler: Sendable {
  private typealias Base = () throws(NetworkError) -> URL?

  private let assemble: @Sendable (_ path: String, _ base: Base) throws(NetworkError) -> URL
  /// Whether this is the default rule.
  let isDefault: Bool

  /// The default rule: a relative path is appended to the base URL, and an absolute URL is used unchanged.
  ///
  /// The URL has the base's path, one slash and the path, with the queries of both.
  public static let path = AddressAssembler(isDefault: true) { path, base throws(NetworkError) in
    try AddressJoiner.join(path, below: base)
  }

  /// Creates a rule.
  ///
  /// - Parameter assemble: Returns the URL for a path, absolute and without a fragment, or throws a `client` error with the code
  ///   ``NetworkError/Code/invalidURL``. Called on the subscriber's thread, once for each request that is built.
  public init(
    _ assemble:
      @escaping @Sendable (
        _ path: String, _ base: () throws(NetworkError) -> URL?
      ) throws(NetworkError) -> URL
  ) {
    self.init(isDefault: false, assemble)
  }

  private init(
    isDefault: Bool, _ assemble: @escaping @Sendable (_ path: String, _ base: Base) throws(NetworkError) -> URL
  ) {
    self.isDefault = isDefault
    self.assemble = assemble
  }

  /// Returns the URL of a request.
  ///
  /// - Parameters:
  ///   - path: A path below the base URL, or an absolute URL; either may have a query.
  ///   - base: Returns the base URL of the service, or else of the client; `nil` if there is none. A rule calls it only if
  ///     needed, because it throws if a service has no address.
  /// - Returns: The URL, absolute and without a fragment.
  /// - Throws: A `client` error with the code ``NetworkError/Code/invalidURL``, or the error of `base`.
  public func address(of path: String, below base: () throws(NetworkError) -> URL?) throws(NetworkError) -> URL {
    try assemble(path, base)
  }
}
