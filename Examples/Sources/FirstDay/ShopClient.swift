import Foundation
import Heliograph

/// The API of the shop: one function for each request.
struct ShopClient: Sendable {
  let client: NetworkClient
  let account: CurrentValue<String?>
  let session: CurrentValue<Session?>

  /// Creates a client with sign-in and token refresh.
  init(baseURL: URL, _ adjust: (inout NetworkClient.Configuration) -> Void = { _ in }) {
    let account = CurrentValue<String?>(nil)
    let session = CurrentValue<Session?>(nil)
    (self.account, self.session) = (account, session)
    client = NetworkClient(baseURL: baseURL) {
      $0.idleTimeout = .seconds(10)
      $0.retry = Retry(limit: 2)
      $0.account = account  // at a change, requests and refreshes of the former user end
      $0.middleware = [.bearer { session.value?.token }]
      $0.recoveries = [
        Recovery { client in
          guard let old = session.value?.refreshToken else { throw NetworkError(.status(401)) }  // not signed in
          let renew = Request(.post, "/token/refresh", body: .json(["refreshToken": old]))
          let fresh = try await client.value(of: renew, as: Session.self)
          session.modify { if $0?.refreshToken == old { $0 = fresh } }  // not after a sign-out meanwhile
        }
      ]
      adjust(&$0)
    }
  }

  /// Signs a user in; a second tap must wait, because a change of the account ends requests in flight.
  @MainActor
  func signIn(user: String, password: String) async throws(NetworkError) {
    var request = Request(.post, "/token", body: .json(Credentials(user: user, password: password)))
    request.options.allowsRecovery = false
    request.options.messages[.status(401)] = "The password is wrong."
    let fresh = try await client.value(of: request, as: Session.self)
    account.value = user  // first the account, then its token
    session.value = fresh
  }

  @MainActor
  func signOut() {
    account.value = nil
    session.value = nil
  }

  func user(_ id: Int) async throws(NetworkError) -> User {
    try await client.value(of: "/users/\(id)", as: User.self)
  }

  func products(
    matching text: String, page: Int = 1, sortedBy sorting: Sorting? = nil
  ) async throws(NetworkError) -> [Product] {
    let request = Request(.get, "/products", query: ["q": text, "page": page, "sort": sorting])
    return try await client.value(of: request, as: [Product].self)
  }

  func order(_ product: Product, on date: Date) async throws(NetworkError) -> Order {
    let order = NewOrder(product: product.id, wantedAt: date)
    return try await client.value(of: Request(.post, "/orders", body: .json(order)), as: Order.self)
  }

  /// Uploads a photo and reports the fraction that was sent.
  func upload(
    _ photo: Data, of product: Product, progress: @Sendable (Double) -> Void
  ) async throws(NetworkError) {
    let parts: Multipart = [
      .text("title", product.name), .data("photo", photo, fileName: "photo.jpg", contentType: "image/jpeg"),
    ]
    let request = Request(.post, "/products/\(product.id)/photos", body: .multipart(parts))
    _ = try await client.upload(request, as: NoContent.self) { step in
      if step.direction == .sending, let fraction = step.fractionCompleted { progress(fraction) }
    }
  }
}
