import Foundation
import Heliograph
import HeliographTesting

/// The shop itself: a real HTTP server on this machine, and a second one for its files.
struct ShopServer: Sendable {
  /// The duration of a search: longer than the time between two key strokes.
  static let searchTime: Duration = .milliseconds(400)
  /// The duration of a page or an order: long enough to see in the log which requests were in flight together.
  static let pageTime: Duration = .milliseconds(150)
  /// The version of the catalogue, quoted as an entity tag is (RFC 9110 section 8.8.3).
  static let etag = #""spring""#

  let front: LoopbackServer
  /// Another port is another origin, to which the token of a customer must not be sent.
  let files: LoopbackServer
  let orders = Orders()

  private let fixture: Fixture
  private let sessions = Sessions()
  private let maintenance = Maintenance()

  /// Starts the servers.
  ///
  /// - Parameter port: The port. Default: any free port.
  /// - Throws: The error of the server or of a fixture.
  init(port: UInt16 = 0) throws {
    front = try LoopbackServer(port: port)
    files = try LoopbackServer()
    fixture = try Fixture()
    serveProducts()
    serveCustomers()
    serveInvoices()
    serveTrouble()
  }

  /// Makes the server never answer later requests of a path.
  func hang(_ path: String, method: HTTPMethod = .get) {
    front.route(method, path) { _ in .never }
  }

  /// Expires all tokens; each may be renewed.
  func expireTokens() { sessions.expireTokens() }

  /// Ends all sessions; none may be renewed.
  func endSessions() { sessions.end() }

  /// Ends the maintenance after a number of requests.
  func endMaintenance(after count: Int) { maintenance.end(after: count) }
}

// Routes do not retain the server, which would prevent its stop.
extension ShopServer {
  private func serveProducts() {
    // Later routes win, so the general one comes first.
    front.route("GET", "/products/**") { [fixture] request in
      guard let product = fixture.product(request.id) else { return .status(404) }
      let isForReviews = request.path.hasSuffix("/reviews")
      let page: LoopbackResponse = isForReviews ? .value(fixture.reviews(of: product.id)) : .value(product)
      return page.delayed(by: ShopServer.pageTime)
    }
    front.route("GET", "/products") { [fixture] request in
      let isCurrent = request.header("If-None-Match") == ShopServer.etag
      let page: LoopbackResponse = isCurrent ? .status(304) : .value(fixture.products)
      return page.header("ETag", ShopServer.etag)
    }
    front.route("GET", "/listing") { [fixture] request in
      guard let number = request.queryValue("page").flatMap({ Int($0) }), number > 0,
        let size = request.queryValue("size").flatMap({ Int($0) }), size > 0
      else { return .status(400) }
      let rest = fixture.products.dropFirst((number - 1) * size)
      let page = LoopbackResponse.value(Array(rest.prefix(size)))
      if rest.count <= size { return page }
      return page.header("Link", "</listing?page=\(number + 1)&size=\(size)>; rel=\"next\"")
    }
    front.route("GET", "/search") { [fixture] request in
      .value(fixture.products(containing: request.queryValue("q") ?? "")).delayed(by: ShopServer.searchTime)
    }
  }

  private func serveCustomers() {
    front.route("POST", "/session") { [fixture, sessions] request in
      guard let credentials: Credentials = request.content(), let customer = fixture.customer(credentials) else {
        return .problem(1003, "The e-mail address and the password do not match.")
      }
      return .value(sessions.begin(for: customer.profile.id))
    }
    front.route("POST", "/session/renewal") { [sessions] request in
      let session = request.content(as: Session.self).flatMap { sessions.renew($0) }
      let answer: LoopbackResponse = session.map { .value($0) } ?? .problem(1004, "Your session is over.")
      // Long enough for all requests with the expired token to wait for it.
      return answer.delayed(by: ShopServer.pageTime)
    }
    front.route("GET", "/profile") { [fixture, sessions] request in
      guard let id = sessions.customer(request.header("Authorization")) else { return .status(401) }
      return .value(fixture.customer(id)?.profile)
    }
    front.route("GET", "/customers/**") { [fixture, sessions] request in
      guard let id = sessions.customer(request.header("Authorization")) else { return .status(401) }
      guard id == request.id else { return .status(403) }
      return .value(fixture.customer(id)?.orders)
    }
    front.route("POST", "/orders") { [fixture, sessions, orders] request in
      guard let customer = sessions.customer(request.header("Authorization")) else { return .status(401) }
      guard let line: OrderLine = request.content(), let product = fixture.product(line.productID) else {
        return .problem(4004, "There is no such product.")
      }
      if product.isSoldOut { return .problem(4001, "The \(product.name) is sold out.") }
      let (order, isLost) = orders.place(line, key: request.header("Idempotency-Key"), of: customer)
      let answer = LoopbackResponse.value(order).delayed(by: ShopServer.pageTime)
      return isLost ? answer.cut(afterByteCount: 0) : answer
    }
  }

  private func serveInvoices() {
    let filesURL = files.baseURL
    front.route("GET", "/invoices/**") { [sessions] request in
      guard sessions.customer(request.header("Authorization")) != nil else { return .status(401) }
      return .redirect(to: filesURL.absoluteString + request.path)
    }
    files.route("GET", "/invoices/**") { request in .text("Invoice for order \(request.id ?? 0). Paid, with thanks.") }
  }

  private func serveTrouble() {
    front.route("GET", "/delivery-slots") { [maintenance] _ in
      guard maintenance.takeRequest() else {
        return .json(#"{"maintenance":"until 06:00"}"#, status: 503).header("Retry-After", "0")
      }
      return .value([DeliverySlot(day: "Friday", hours: "9 to 12")])
    }
    front.route("POST", "/visits") { _ in .status(500) }
    // The answer of a hotel's network instead of the shop's.
    front.route("GET", "/banner") { _ in
      .data(Data("<html>Welcome! Please accept our terms.</html>".utf8), contentType: "text/html")
    }
  }
}
