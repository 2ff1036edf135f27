/// A world of servers that an app can talk to; services have an address for each.
///
/// Open: an app may have others of its own.
///
/// ```swift
/// extension ServiceEnvironment {
///   static let demo = ServiceEnvironment(rawValue: "demo")
/// }
/// ```
public struct ServiceEnvironment: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
  /// The name, under which it is saved.
  public let rawValue: String

  /// Makes an environment from its name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Where the app is developed: what a build without a setting starts with.
  public static let develop = ServiceEnvironment(rawValue: "develop")
  /// Where it is tested.
  public static let test = ServiceEnvironment(rawValue: "test")
  /// Where it is looked at before it is released.
  public static let preRelease = ServiceEnvironment(rawValue: "preRelease")
  /// Where its users are.
  ///
  /// A build for it cannot be switched: see ``EnvironmentStore``.
  public static let release = ServiceEnvironment(rawValue: "release")
  /// Where an urgent repair is tried out.
  public static let hotfix = ServiceEnvironment(rawValue: "hotfix")
  /// One address for all services, given at run time: ``EnvironmentStore/customAddress``.
  public static let custom = ServiceEnvironment(rawValue: "custom")

  /// The six above, in this order.
  public static let predefined: [ServiceEnvironment] = [.develop, .test, .preRelease, .release, .hotfix, .custom]

  /// The name.
  public var description: String { rawValue }
}
