public import Foundation

/// A deployment environment, such as development or release; a service has addresses for each.
///
/// An app can define its own environments.
///
/// ```swift
/// extension ServiceEnvironment {
///   static let demo = ServiceEnvironment(rawValue: "demo")
/// }
/// ```
public struct ServiceEnvironment: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
  /// The name, which an ``EnvironmentStore`` saves.
  public let rawValue: String

  /// Creates an environment from its name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The environment for development; the default of a build without a setting.
  public static let develop = ServiceEnvironment(rawValue: "develop")
  /// The environment for tests.
  public static let test = ServiceEnvironment(rawValue: "test")
  /// The environment for the review before a release.
  public static let preRelease = ServiceEnvironment(rawValue: "preRelease")
  /// The environment of the released app.
  ///
  /// A release build cannot be switched: see ``EnvironmentStore``.
  public static let release = ServiceEnvironment(rawValue: "release")
  /// The environment for testing an urgent fix.
  public static let hotfix = ServiceEnvironment(rawValue: "hotfix")
  /// A single URL for all services, given at run time: ``EnvironmentStore/customAddress``.
  public static let custom = ServiceEnvironment(rawValue: "custom")

  /// The six predefined environments, from ``develop`` to ``custom``.
  public static let predefined: [ServiceEnvironment] = [.develop, .test, .preRelease, .release, .hotfix, .custom]

  /// The name of the environment.
  public var description: String { rawValue }
}

/// The base URLs of a service in one environment: main, secondary and CDN.
public struct ServiceAddresses: Sendable, Hashable {
  /// The URL for most requests.
  public var main: URL
  /// A second URL; `nil` if there is none.
  public var secondary: URL?
  /// The URL of the content delivery network; `nil` if there is none.
  public var cdn: URL?

  /// Creates addresses; the path of a URL precedes the path of each request.
  ///
  /// - Parameters:
  ///   - main: The URL for most requests.
  ///   - secondary: A second URL. Default: none.
  ///   - cdn: The URL of the content delivery network. Default: none.
  public init(_ main: URL, secondary: URL? = nil, cdn: URL? = nil) {
    self.main = main
    self.secondary = secondary
    self.cdn = cdn
  }
}

extension ServiceAddresses: _Summarized {
  /// The redacted URLs on one line.
  public var description: String {
    let texts = [("main", main), ("secondary", secondary), ("cdn", cdn)].compactMap { name, url in
      url.map { "\(name): \($0.redacted)" }
    }
    return "ServiceAddresses(\(texts.joined(separator: ", ")))"
  }
}
