import Foundation
import Heliograph

/// The shop's partners as the app sees them; which of their hosts is asked is the settings' matter.
struct PartnerAPI: Sendable {
  private let client: NetworkClient

  /// - Parameters:
  ///   - addresses: where the partners are.
  ///   - key: what payments are signed with.
  ///   - environments: says which environment is current.
  ///   - reachability: who tells whether there is a network. Default: the platform's own.
  init(
    _ addresses: PartnerAddresses, key: Data, environments: EnvironmentStore, reachability: any Reachability = .system
  ) {
    let services: [any Service] = [
      WarehouseService(urls: addresses.warehouse),
      PaymentsService(urls: addresses.payments, signer: HMACSigner(key: key, place: .header)),
    ]
    var configuration = NetworkClient.Configuration(
      idleTimeout: .seconds(10), services: services, environments: environments)
    configuration.reachability = reachability
    client = NetworkClient(configuration)
  }

  func reserve(_ line: OrderLine) -> Signal<Reservation, NetworkError> {
    client.enqueue(request: WarehouseEndpoint.reserve(line), resultType: Reservation.self).map(\.value)
  }

  func stock(of product: Product.ID) -> Signal<Int, NetworkError> {
    client.enqueue(request: WarehouseEndpoint.stock(product), resultType: Int.self).map(\.value)
  }

  func pay(_ cents: Int, for order: Order.ID) -> Signal<Receipt, NetworkError> {
    let endpoint = PaymentsEndpoint.pay(Receipt(order: order, cents: cents))
    return client.enqueue(request: endpoint, resultType: Receipt.self).map(\.value)
  }
}
