import Foundation
import Heliograph

/// The shop as the app sees it: the one place that knows its paths.
///
/// Every function returns a cold signal. Nothing is sent before a view model subscribes, and disposing the subscription
/// closes the connection.
struct ShopAPI: Sendable {
  private let client: NetworkClient

  /// - Parameters:
  ///   - baseURL: where the shop is.
  ///   - adjust: changes how the client works. Default: nothing.
  init(baseURL: URL, adjust: (inout NetworkClient.Configuration) -> Void = { _ in }) {
    var configuration = NetworkClient.Configuration(baseURL: baseURL, idleTimeout: .seconds(10))
    // After the status: a body is asked what it says only when HTTP itself has nothing to complain of.
    configuration.stages.validators.append(ShopValidator())
    adjust(&configuration)
    client = NetworkClient(configuration)
  }
}

// MARK: Products

extension ShopAPI {
  /// The products whose name contains the text.
  func search(_ text: String) -> Signal<[Product], NetworkError> {
    let request = Request(.get, "/search", query: ["q": text])
    return client.enqueue(request: request, resultType: [Product].self).map(\.value)
  }

  func product(_ id: Product.ID) -> Signal<Product, NetworkError> {
    client.enqueue(request: "/products/\(id)", resultType: Product.self).map(\.value)
  }

  func reviews(of id: Product.ID) -> Signal<[Review], NetworkError> {
    client.enqueue(request: "/products/\(id)/reviews", resultType: [Review].self).map(\.value)
  }

  /// Every product as a response of its own: the body is an array, and the type asked for is its element's.
  ///
  /// - Parameter etag: the version that is at hand. Default: none.
  /// - Returns: the signal; if the version at hand is the latest, it completes without a value.
  func catalogue(newerThan etag: String? = nil) -> Signal<Response<Product>, NetworkError> {
    var request = Request(.get, "/products")
    request.headers["If-None-Match"] = etag
    return client.enqueue(request: request, resultType: Product.self)
  }
}

// MARK: The customer

extension ShopAPI {
  func signIn(_ credentials: Credentials) -> Signal<Session, NetworkError> {
    let request = Request(.post, "/session", body: .json(credentials))
    return client.enqueue(request: request, resultType: Session.self).map(\.value)
  }

  /// Another session in the place of one whose token has expired.
  func renew(_ session: Session) -> Signal<Session, NetworkError> {
    let request = Request(.post, "/session/renewal", body: .json(session))
    return client.enqueue(request: request, resultType: Session.self).map(\.value)
  }

  func profile(_ session: Session) -> Signal<Profile, NetworkError> {
    let request = Request(.get, "/profile").signed(by: session)
    return client.enqueue(request: request, resultType: Profile.self).map(\.value)
  }

  func orders(of customer: Profile.ID, _ session: Session) -> Signal<[Order], NetworkError> {
    let request = Request(.get, "/customers/\(customer)/orders").signed(by: session)
    return client.enqueue(request: request, resultType: [Order].self).map(\.value)
  }

  func buy(_ line: OrderLine, _ session: Session) -> Signal<Order, NetworkError> {
    let request = Request(.post, "/orders", body: .json(line)).signed(by: session)
    return client.enqueue(request: request, resultType: Order.self).map(\.value)
  }

  /// The invoice as text, which is no JSON: so the closure says what becomes of the body.
  func invoice(of order: Order.ID, _ session: Session) -> Signal<String, NetworkError> {
    let request = Request(.get, "/invoices/\(order)").signed(by: session)
    return client.enqueue(request: request) { String(decoding: $0.value, as: UTF8.self) }.map(\.value)
  }
}

// MARK: Notices

extension ShopAPI {
  /// The whole response: its metrics tell how many tries it took.
  func deliverySlots() -> Signal<Response<[DeliverySlot]>, NetworkError> {
    client.enqueue(request: "/delivery-slots", resultType: [DeliverySlot].self)
  }

  /// Tells the shop which product was looked at; when that fails, it is no matter for the customer.
  func noteVisit(of product: Product.ID) -> Signal<NoContent, NetworkError> {
    let request = Request(
      .post, "/visits", body: .json(["product": product]), options: .with { $0.presentation = .silent })
    return client.enqueue(request: request, resultType: NoContent.self).map(\.value)
  }

  func banner() -> Signal<Banner, NetworkError> {
    client.enqueue(request: "/banner", resultType: Banner.self).map(\.value)
  }
}

extension Request {
  /// The same request in the customer's name.
  fileprivate func signed(by session: Session) -> Request {
    var request = self
    request.headers["Authorization"] = "Bearer \(session.token)"
    return request
  }
}
