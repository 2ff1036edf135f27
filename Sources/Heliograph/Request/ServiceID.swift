/// The identifier of a service.
///
/// Define each identifier once and use it everywhere:
///
/// ```swift
/// extension ServiceID {
///   static let shop: ServiceID = "shop"
/// }
/// ```
public struct ServiceID: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name of the service.
  public let rawValue: String

  /// Creates an identifier from a name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Creates an identifier from a name.
  public init(stringLiteral value: String) { rawValue = value }

  /// The name of the service.
  public var description: String { rawValue }
}
