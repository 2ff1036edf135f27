public import Foundation

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

  /// Returns the URL of a kind; the main one if there is none of that kind.
  func url(_ kind: AddressKind) -> URL {
    switch kind {
    case .main: main
    case .secondary: secondary ?? main
    case .cdn: cdn ?? main
    case .custom(let url): url
    }
  }
}
