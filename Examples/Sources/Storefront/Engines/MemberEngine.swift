import Foundation
import Heliograph

/// The engine of the signed-in customer: its client adds the token to each request, and renews an expired one.
struct MemberEngine {
  private let client: NetworkClient

  /// - Parameters:
  ///   - baseURL: The base URL of the shop.
  ///   - session: The session whose token is sent; a renewed session is stored there.
  init(baseURL: URL, session: KeptSession) {
    // Renewals have a client without recoveries, so that they do not wait for themselves.
    let customers = CustomerEngine(client: .shop(baseURL: baseURL))
    var configuration = NetworkClient.Configuration(
      baseURL: baseURL, idleTimeout: .seconds(10), monitors: Traffic.monitors)
    // Read for each attempt, so that a retry has the new token.
    configuration.middleware = [.authorization { .just(try? .bearer(token: session.value.token)) }]
    configuration.recoveries = [Recovery { customers.renew(session.value).on(value: { session.value = $0 }) }]
    client = NetworkClient(configuration)
  }

  /// The profile of the customer.
  func profile() -> Signal<Profile, NetworkError> {
    client.enqueue(request: "/profile", resultType: Profile.self).map(\.value)
  }
}
