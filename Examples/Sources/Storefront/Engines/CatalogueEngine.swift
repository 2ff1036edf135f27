import Foundation
import Heliograph

/// The engine of the catalogue, with a cache: each service states the cache policy of its requests.
struct CatalogueEngine {
  /// The store of responses.
  let cache: ResponseCache
  private let client: NetworkClient

  /// - Parameters:
  ///   - baseURL: The base URL of both services.
  ///   - cache: The store of responses.
  ///   - adjust: Changes the configuration of the client. Default: nothing.
  init(baseURL: URL, cache: ResponseCache, adjust: (inout NetworkClient.Configuration) -> Void = { _ in }) {
    self.cache = cache
    let services: [any Service] = [RegionsService(url: baseURL), CatalogueService(url: baseURL)]
    var configuration = NetworkClient.Configuration(
      idleTimeout: .seconds(10), monitors: Traffic.monitors, services: services)
    configuration.cache = cache
    adjust(&configuration)
    client = NetworkClient(configuration)
  }

  /// The provinces that the shop delivers to.
  func provinces() -> Signal<Response<[Province]>, NetworkError> {
    client.enqueue(request: Request(.get, "/provinces", service: .regions), resultType: [Province].self)
  }

  /// Returns the product list: by default once from the cache and once from the server.
  ///
  /// - Parameter policy: The cache policy. Default: that of the service.
  /// - Returns: The signal of the responses.
  func products(_ policy: CachePolicy = .default) -> Signal<Response<[Product]>, NetworkError> {
    let request = Request(.get, "/products", service: .catalogue, cache: policy)
    return client.enqueue(request: request, resultType: [Product].self)
  }
}

extension ResponseSource {
  /// Whether the response was read from the cache without the network.
  var isCache: Bool { if case .cache = self { true } else { false } }
}
