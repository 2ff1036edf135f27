import Heliograph

/// The engine of the products: search, list, details and notices.
///
/// Every signal is cold: a subscription sends the request, and disposing it closes the connection. Each screen creates an
/// engine of its own, because a search replaces an earlier one of the same engine.
struct ProductEngine {
  private let client: NetworkClient
  private let searching: Lane

  /// - Parameters:
  ///   - client: The client of the shop.
  ///   - pause: The time without another search before a search is sent. Default: 250 milliseconds, a little more than
  ///     between two key strokes.
  ///   - scheduler: The clock of the pause. Default: `.global`.
  init(client: NetworkClient, pause: Duration = .milliseconds(250), scheduler: any SignalScheduler = .global) {
    self.client = client
    searching = Lane(.latestWins(debounce: pause), name: "search", scheduler: scheduler)
  }
}

extension ProductEngine {
  /// The products whose name contains a text; none for an empty text, without a request.
  ///
  /// A later search replaces it, and cancels its request.
  func search(_ text: String) -> Signal<[Product], NetworkError> {
    if text.isEmpty { return .just([]) }
    let request = Request(.get, "/search", query: ["q": text])
    return searching.enqueue(client.enqueue(request: request, resultType: [Product].self).map(\.value))
  }

  /// The pages of all products, 50 on each.
  func list() -> Pages<[Product]> {
    client.pages(request: Request(.get, "/listing", query: ["page": 1, "size": 50]), of: Product.self)
  }

  /// A product; requests for the same one that are in flight at the same time are sent once.
  func product(_ id: Product.ID) -> Signal<Product, NetworkError> {
    let request = Request(.get, "/products/\(id)", options: .with { $0.isCoalesced = true })
    return client.enqueue(request: request, resultType: Product.self).map(\.value)
  }

  /// The reviews of a product.
  func reviews(of id: Product.ID) -> Signal<[Review], NetworkError> {
    client.enqueue(request: "/products/\(id)/reviews", resultType: [Review].self).map(\.value)
  }

  /// All products, each as a response: the body is an array, and the requested type is that of its elements.
  ///
  /// - Parameter etag: The version that the app has. Default: none.
  /// - Returns: The signal; if the app has the latest version, it completes without a value.
  func catalogue(newerThan etag: String? = nil) -> Signal<Response<Product>, NetworkError> {
    var request = Request(.get, "/products")
    request.headers["If-None-Match"] = etag
    return client.enqueue(request: request, resultType: Product.self)
  }
}

// MARK: Notices

extension ProductEngine {
  /// The delivery slots as a whole response, whose metrics contain the earlier attempts.
  func deliverySlots() -> Signal<Response<[DeliverySlot]>, NetworkError> {
    client.enqueue(request: "/delivery-slots", resultType: [DeliverySlot].self)
  }

  /// Reports to the shop that a product was viewed; a failure is not presented to the customer.
  ///
  /// - Parameter product: The product.
  /// - Returns: The call, which is not started.
  func visit(_ product: Product.ID) -> Call<NoContent> {
    let request = Request(
      .post, "/visits", body: .json(["product": product]), options: .with { $0.presentation = .silent })
    return client.call(request, as: NoContent.self)
  }

  /// The announcement above the front page.
  func banner() -> Signal<Banner, NetworkError> {
    client.enqueue(request: "/banner", resultType: Banner.self).map(\.value)
  }
}
