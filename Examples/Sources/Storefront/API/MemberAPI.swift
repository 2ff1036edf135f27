import Foundation
import Heliograph

/// What is for customers who have signed in: every request is in their name, and a token that has expired is renewed.
struct MemberAPI: Sendable {
  private let client: NetworkClient

  /// - Parameters:
  ///   - baseURL: where the shop is.
  ///   - session: whose token is sent; a renewed one is put there.
  init(baseURL: URL, session: KeptSession) {
    // Renewals go through a client of their own: it does not recover, and its requests wait behind nobody's.
    let door = ShopAPI(baseURL: baseURL)
    var configuration = NetworkClient.Configuration(baseURL: baseURL, idleTimeout: .seconds(10))
    // Asked anew for each try, so that what is sent again has the new token.
    configuration.middleware = [AuthorizationMiddleware { .just(try? .bearer(token: session.value.token)) }]
    configuration.recoveries = [Recovery { door.renew(session.value).on(value: { session.value = $0 }) }]
    client = NetworkClient(configuration)
  }

  func profile() -> Signal<Profile, NetworkError> {
    client.enqueue(request: "/profile", resultType: Profile.self).map(\.value)
  }
}
