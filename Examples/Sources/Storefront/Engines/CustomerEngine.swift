import Foundation
import Heliograph

/// The engine of one customer: sign-in, account and orders.
///
/// Each session creates an engine of its own, because an engine sends one order at a time.
struct CustomerEngine {
  private let client: NetworkClient
  private let ordering = Lane(.exclusive(), name: "order")

  init(client: NetworkClient) {
    self.client = client
  }

  /// Signs a customer in.
  func signIn(_ credentials: Credentials) -> Signal<Session, NetworkError> {
    let request = Request(.post, "/session", body: .json(credentials))
    return client.enqueue(request: request, resultType: Session.self).map(\.value)
  }

  /// A new session instead of one whose token has expired.
  func renew(_ session: Session) -> Signal<Session, NetworkError> {
    let request = Request(.post, "/session/renewal", body: .json(session))
    return client.enqueue(request: request, resultType: Session.self).map(\.value)
  }

  /// The customer of a session.
  func profile(_ session: Session) -> Signal<Profile, NetworkError> {
    let request = Request(.get, "/profile").authorized(by: session)
    return client.enqueue(request: request, resultType: Profile.self).map(\.value)
  }

  /// The orders of a customer.
  func orders(of customer: Profile.ID, _ session: Session) -> Signal<[Order], NetworkError> {
    let request = Request(.get, "/customers/\(customer)/orders").authorized(by: session)
    return client.enqueue(request: request, resultType: [Order].self).map(\.value)
  }

  /// Sends an order; an order that is sent while another one is in flight is dropped, and completes without a value.
  ///
  /// The shop executes an order that comes twice with the same key once, so it may be sent again.
  func buy(_ line: OrderLine, key: String, _ session: Session) -> Signal<Order, NetworkError> {
    let request = Request(
      .post, "/orders", body: .json(line), options: .with { $0.idempotencyKey = .value(key) }
    ).authorized(by: session)
    return ordering.enqueue(client.enqueue(request: request, resultType: Order.self).map(\.value))
  }

  /// The invoice as received: raw data.
  func invoice(of order: Order.ID, _ session: Session) -> Signal<Data, NetworkError> {
    let request = Request(.get, "/invoices/\(order)").authorized(by: session)
    return client.enqueue(request: request, resultType: Data.self).map(\.value)
  }
}

extension Request {
  /// Returns the request with the token of a session.
  fileprivate func authorized(by session: Session) -> Request {
    var request = self
    request.headers["Authorization"] = "Bearer \(session.token)"
    return request
  }
}
