import Foundation
import Heliograph
import HeliographTesting

extension Step {
  static let fourErrors = Step("Four failures and their domains") { tour in
    let products = tour.products
    let session = try await tour.customers.signIn(Tour.credentials).value()
    let model = OrderModel(engine: tour.customers, session: session)
    model.submit(OrderLine(productID: 41, quantity: 1))
    await tour.wait { !model.order.isLoading }
    tour.expect(.api(4001), model.order.error, "the shop refuses a purchase")
    let maintenance = await tour.failure(of: products.deliverySlots())
    tour.expect(.status(503), maintenance, "the server is under maintenance")

    // A port that was free a moment ago.
    let closed = try LoopbackServer()
    closed.stop()
    let closedProducts = ProductEngine(client: .shop(baseURL: closed.baseURL))
    let refused = await tour.failure(of: closedProducts.banner())
    tour.expect(.cannotConnect, refused, "no server listens")
    let malformed = await tour.failure(of: products.banner())
    tour.expect(.malformedBody, malformed, "the body is a web page instead of JSON")
  }
}

extension Tour {
  /// Returns the failure of a signal; `nil` if it completes.
  fileprivate func failure<Value: Sendable>(of signal: Signal<Value, NetworkError>) async -> NetworkError? {
    do throws(NetworkError) {
      _ = try await signal.first()
      return nil
    } catch {
      return error
    }
  }

  /// Checks and prints an error.
  fileprivate func expect(_ code: NetworkError.Code, _ error: NetworkError?, _ situation: String) {
    let claim = "\(situation): \(code.domain == .api ? "an" : "a") \(code.domain) error"
    guard let error else { return report.check(false, claim, "no error") }
    let body = error.response.map { "body: " + String(decoding: $0.value, as: UTF8.self) } ?? "no body"
    report.check(
      error.code == code && !error.message.isEmpty, claim,
      "\(error.domain) \(error.code), “\(error.message)”, \(body)")
  }
}
