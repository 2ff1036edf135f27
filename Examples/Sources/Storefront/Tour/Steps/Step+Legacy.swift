import Heliograph
import HeliographTesting

extension Step {
  static let legacy = Step("An older service with its own form of parameters") { tour in
    let hosts = try PartnerHosts()
    let store = EnvironmentStore(choices: PartnerHosts.environments, storage: .memory())
    let engine = PartnerEngine(hosts.addresses, key: PartnerHosts.key, environments: store)
    let line = OrderLine(productID: 7, quantity: 2)
    let reservation = try await engine.reserve(line).value()

    let request = hosts.warehouse[store.current]?.log.requests.last
    tour.report.check(
      request?.target == "/reservations?channelID=storefront&device_id=D-0815",
      "the common parameters are in the query", request?.target ?? "no request")
    tour.report.check(
      request?.formValue("data") == #"{"productID":7,"quantity":2}"#, "its own parameters are JSON in one field",
      "data = \(request?.formValue("data") ?? "nothing"), on the wire \(request?.bodyText ?? "nothing")")
    tour.report.check(
      reservation == Reservation(line: line, channel: "storefront"), "the server understood both",
      "\(reservation.line.quantity) of product \(reservation.line.productID), for \(reservation.channel)")
  }
}
