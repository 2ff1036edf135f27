import Foundation
import Heliograph

extension NetworkClient {
  /// Returns the client of the shop, which its engines share.
  ///
  /// - Parameters:
  ///   - baseURL: The base URL of the shop.
  ///   - adjust: Changes the configuration. Default: nothing.
  /// - Returns: The client.
  static func shop(
    baseURL: URL, adjust: (inout NetworkClient.Configuration) -> Void = { _ in }
  ) -> NetworkClient {
    var configuration = NetworkClient.Configuration(
      baseURL: baseURL, idleTimeout: .seconds(10), monitors: Traffic.monitors)
    // After the validator of the status: the body is inspected only if the status is a success.
    configuration.stages.validators.append(ShopValidator())
    adjust(&configuration)
    return NetworkClient(configuration)
  }
}
