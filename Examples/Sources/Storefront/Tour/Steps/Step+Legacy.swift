import Heliograph
import HeliographTesting

extension Step {
  static let legacy = Step("An older service, with its own idea of a form") { tour in
    let hosts = try PartnerHosts()
    let store = EnvironmentStore(choices: PartnerHosts.environments, storage: MemoryStorage())
    let api = PartnerAPI(hosts.addresses, key: PartnerHosts.key, environments: store)
    let line = OrderLine(productID: 7, quantity: 2)
    let reservation = try await api.reserve(line).value()

    let request = hosts.warehouse[store.current]?.log.requests.last
    tour.report.check(
      request?.target == "/reservations?channelID=storefront&device_id=D-0815",
      "what all requests have in common went into the query", request?.target ?? "no request came")
    tour.report.check(
      request?.formValue("data") == #"{"productID":7,"quantity":2}"#, "its own parameters went as JSON into one field",
      "data = \(request?.formValue("data") ?? "nothing"), on the wire \(request?.bodyText ?? "nothing")")
    tour.report.check(
      reservation == Reservation(line: line, channel: "storefront"), "the server understood both",
      "\(reservation.line.quantity) of product \(reservation.line.productID), for \(reservation.channel)")
  }
}
