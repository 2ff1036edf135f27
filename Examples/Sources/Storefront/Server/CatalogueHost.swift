import Foundation
import Heliograph
import HeliographTesting

/// The host of the catalogue: the provinces, and a product list whose content can change.
struct CatalogueHost: Sendable {
  let server: LoopbackServer
  /// The product list that is served at first.
  let products: [Product]
  let provinces: [Province]

  /// Starts the host.
  ///
  /// - Throws: The error of the server or of a fixture.
  init() throws {
    server = try LoopbackServer()
    let fixture = try Fixture()
    (products, provinces) = (fixture.products, fixture.provinces)
    server.route("GET", "/provinces") { _ in .value(fixture.provinces) }
    serve(products, etag: ShopServer.etag)
  }

  /// Replaces the product list.
  ///
  /// - Parameters:
  ///   - products: The new list.
  ///   - etag: The entity tag of the new list.
  func serve(_ products: [Product], etag: String) {
    server.route("GET", "/products") { request in
      let isCurrent = request.header("If-None-Match") == etag
      let response: LoopbackResponse = isCurrent ? .status(304) : .value(products)
      return response.header("ETag", etag)
    }
  }

  /// The number of connections accepted since the start, and that of requests.
  var counts: (connections: Int, requests: Int) {
    let log = server.log
    return (log.acceptedCount, log.requests.count)
  }
}
