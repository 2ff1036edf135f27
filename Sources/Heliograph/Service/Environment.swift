/// A world of servers that an app can talk to; services have an address for each.
///
/// Open: an app may have others of its own.
///
/// ```swift
/// extension Environment {
///   static let demo = Environment(rawValue: "demo")
/// }
/// ```
///
/// SwiftUI has a type of this name: a file that imports both writes `@SwiftUI.Environment` for the property wrapper.
public struct Environment: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
  /// The name, under which it is saved.
  public let rawValue: String

  /// Makes an environment from its name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Where the app is developed: what a build without a setting starts with.
  public static let develop = Environment(rawValue: "develop")
  /// Where it is tested.
  public static let test = Environment(rawValue: "test")
  /// Where it is looked at before it is released.
  public static let preRelease = Environment(rawValue: "preRelease")
  /// Where its users are.
  ///
  /// A build for it cannot be switched: see ``EnvironmentStore``.
  public static let release = Environment(rawValue: "release")
  /// Where an urgent repair is tried out.
  public static let hotfix = Environment(rawValue: "hotfix")
  /// One address for all services, given at run time: ``EnvironmentStore/customAddress``.
  public static let custom = Environment(rawValue: "custom")

  /// The six above, in this order.
  public static let predefined: [Environment] = [.develop, .test, .preRelease, .release, .hotfix, .custom]

  /// The name.
  public var description: String { rawValue }
}
