import Foundation
import Heliograph
import HeliographTesting

/// An app with a cache in a temporary folder, which can be restarted, and the host of its catalogue.
struct CatalogueScene {
  let host: CatalogueHost
  private let folder = FileManager.default.temporaryDirectory.appending(path: "storefront-\(UUID().uuidString)")

  init() throws {
    host = try CatalogueHost()
  }

  /// Starts the app: a new client and a new cache, which have only the folder in common with earlier ones.
  ///
  /// - Parameters:
  ///   - delay: The difference of the app's clock to the real one. Default: none.
  ///   - reachability: The source of the network status. Default: always reachable.
  /// - Returns: The engine of the catalogue.
  /// - Throws: The error of the cache, or of a URL.
  func launch(
    after delay: Duration = .zero, reachability: any Reachability = ManualReachability()
  ) throws -> CatalogueEngine {
    guard let url = HostsTransport.publicURL else { throw URLError(.badURL) }
    let offset = delay / .seconds(1)
    let cache = try ResponseCache(folder: folder, now: { Date() + offset })
    return CatalogueEngine(baseURL: url, cache: cache) {
      $0.transport = HostsTransport(next: $0.transport, baseURL: host.server.baseURL)
      $0.reachability = reachability
    }
  }

  /// Removes the folder of the cache.
  func end() {
    try? FileManager.default.removeItem(at: folder)
  }
}

extension ResponseCache.Statistics {
  /// The counts in one line.
  var summary: String {
    let reasons = misses.map { "\($0.value) × \($0.key)" }.sorted().joined(separator: ", ")
    return "\(hitCount) hits, \(missCount) misses (\(reasons)), \(revalidationCount) revalidated, "
      + "\(storedCount) stored with \(storedByteCount) bytes, \(evictionCount) evicted"
  }
}
