import Foundation
import Heliograph

extension ServiceID {
  static let regions: ServiceID = "regions"
  static let catalogue: ServiceID = "catalogue"
}

/// Reference data that hardly ever changes: a stored response is read for 30 days without the network.
struct RegionsService: Service {
  let id = ServiceID.regions
  let url: URL
  let cache = CachePolicy.timeToLive(.days(30))

  func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { ServiceAddresses(url) }
}

/// Lists that are shown at once and then refreshed: the stored response, followed by that of the server.
struct CatalogueService: Service {
  let id = ServiceID.catalogue
  let url: URL
  let cache = CachePolicy.cacheThenNetwork

  func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { ServiceAddresses(url) }
}

extension Duration {
  /// Days of 24 hours.
  static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }
}
