import Foundation
import Heliograph

/// The engine of the signed-in customer: its client adds the token to each request, and renews an expired one.
///
/// Each customer gets an engine with a session of its own, so no request is sent with the token of the next customer. A
/// client that several users share needs `account`: see `FirstDay`.
struct MemberEngine {
  private let client: NetworkClient

  /// - Parameters:
  ///   - baseURL: The base URL of the shop.
  ///   - session: The session whose token is sent; a renewed session is stored there.
  init(baseURL: URL, session: CurrentValue<Session>) {
    client = .shop(baseURL: baseURL) {
      $0.middleware = [.bearer { session.value.token }]  // read for each attempt: a retry has the new token
      $0.recoveries = [
        Recovery { client in  // without recoveries: a renewal does not wait for itself
          let old = session.value
          let fresh = try await CustomerEngine(client: client).renew(old).value()
          session.modify { if $0 == old { $0 = fresh } }
        }
      ]
    }
  }

  /// The profile of the customer.
  func profile() -> Signal<Profile, NetworkError> {
    client.enqueue(request: "/profile", resultType: Profile.self).map(\.value)
  }
}
