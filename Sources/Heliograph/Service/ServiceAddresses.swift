public import Foundation

/// Where a service is found in one environment.
public struct ServiceAddresses: Sendable, Hashable {
  /// What most requests go to.
  public var main: URL
  /// A second address; `nil` if there is none.
  public var secondary: URL?
  /// That of its content delivery network; `nil` if there is none.
  public var cdn: URL?

  /// Makes addresses; a path in one of them stands in front of each request's path.
  ///
  /// - Parameters:
  ///   - main: what most requests go to.
  ///   - secondary: a second address. Default: none.
  ///   - cdn: that of its content delivery network. Default: none.
  public init(_ main: URL, secondary: URL? = nil, cdn: URL? = nil) {
    self.main = main
    self.secondary = secondary
    self.cdn = cdn
  }

  /// The address of a kind.
  func url(_ kind: AddressKind) -> URL {
    switch kind {
    case .main: main
    case .secondary: secondary ?? main
    case .cdn: cdn ?? main
    case .custom(let url): url
    }
  }
}
