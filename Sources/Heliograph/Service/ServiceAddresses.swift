public import Foundation

/// Where a service is found in one environment.
public struct ServiceAddresses: Sendable, Hashable {
  /// What most requests go to.
  public var main: URL
  /// A second address; `nil` if there is none.
  public var vice: URL?
  /// That of its content delivery network; `nil` if there is none.
  public var cdn: URL?

  /// Makes addresses; a path in one of them stands in front of each request's path.
  ///
  /// - Parameters:
  ///   - main: what most requests go to.
  ///   - vice: a second address. Default: none.
  ///   - cdn: that of its content delivery network. Default: none.
  public init(_ main: URL, vice: URL? = nil, cdn: URL? = nil) {
    self.main = main
    self.vice = vice
    self.cdn = cdn
  }

  /// The address of a kind.
  func url(_ kind: AddressKind) -> URL {
    switch kind {
    case .main: main
    case .vice: vice ?? main
    case .cdn: cdn ?? main
    case .own(let url): url
    }
  }
}
