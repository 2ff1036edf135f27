import Foundation
import Heliograph
import HeliographTesting

extension Step {
  static let fourErrors = Step("Four things that go wrong, and where") { tour in
    let api = tour.api
    let purchase = api.signIn(Tour.credentials).flatMap { api.buy(OrderLine(productID: 41, quantity: 1), $0) }
    await tour.expect(.api, 4001, from: purchase, "the shop refuses a purchase")
    await tour.expect(.server, 503, from: api.deliverySlots(), "the server is under maintenance")

    // A port that was free a moment ago and where nobody listens now.
    let closed = try LoopbackServer()
    closed.stop()
    let nobody = ShopAPI(baseURL: closed.baseURL)
    await tour.expect(.network, .cannotConnect, from: nobody.banner(), "nobody listens")
    await tour.expect(.processing, .malformedBody, from: api.banner(), "a page comes in place of JSON")
  }
}

extension Tour {
  /// Checks that a signal fails in this way, and prints all that the error knows.
  fileprivate func expect<Value: Sendable>(
    _ domain: NetworkError.Domain, _ code: NetworkError.Code, from signal: Signal<Value, NetworkError>,
    _ situation: String
  ) async {
    let claim = "\(situation): \(domain == .api ? "an" : "a") \(domain) error"
    do throws(NetworkError) {
      let value = try await signal.first()
      report.check(false, claim, "no error, but \(value.map { "\($0)" } ?? "an end without a value")")
    } catch {
      let body = error.response.map { "body: " + String(decoding: $0.value, as: UTF8.self) } ?? "no body"
      report.check(
        error.domain == domain && error.code == code && !error.message.isEmpty, claim,
        "\(error.domain) \(error.code), “\(error.message)”, \(body)")
    }
  }
}
