import Foundation
import Heliograph

/// The engine of the shop's partners; the current environment decides which hosts receive its requests.
struct PartnerEngine {
  private let client: NetworkClient

  /// - Parameters:
  ///   - addresses: The base URLs of the partners.
  ///   - key: The key that signs payments.
  ///   - environments: The store of the current environment.
  ///   - reachability: The source of the network status. Default: the platform's.
  init(
    _ addresses: PartnerAddresses, key: Data, environments: EnvironmentStore, reachability: any Reachability = .system
  ) {
    let services: [any Service] = [
      WarehouseService(urls: addresses.warehouse),
      PaymentsService(urls: addresses.payments, signer: HMACSigner(key: key, location: .header)),
    ]
    var configuration = NetworkClient.Configuration(
      idleTimeout: .seconds(10), monitors: Traffic.monitors, services: services, environments: environments)
    configuration.reachability = reachability
    client = NetworkClient(configuration)
  }

  /// Reserves a product in the warehouse.
  func reserve(_ line: OrderLine) -> Signal<Reservation, NetworkError> {
    client.enqueue(request: PartnerEndpoint.reserve(line), resultType: Reservation.self).map(\.value)
  }

  /// Pays for an order.
  ///
  /// - Parameters:
  ///   - cents: The sum in cents.
  ///   - order: The order.
  /// - Returns: The signal of the receipt.
  func pay(_ cents: Int, for order: Order.ID) -> Signal<Receipt, NetworkError> {
    let endpoint = PartnerEndpoint.pay(Receipt(order: order, cents: cents))
    return client.enqueue(request: endpoint, resultType: Receipt.self).map(\.value)
  }

  /// The number of pieces of a product in the warehouse, as a call that is not started.
  func stock(of product: Product.ID) -> Call<Int> {
    StockCall(product: product, client: client)
  }

  /// The identifiers of the calls in flight.
  var callIDs: [RequestID] { client.callIDs }

  /// Cancels calls by their identifiers.
  func cancel(_ ids: [RequestID]) { client.cancelCalls(ids) }
}

/// The APIs of the partners that are cases of one type: the centralized style.
private enum PartnerEndpoint: Endpoint {
  case reserve(OrderLine)
  case pay(Receipt)

  var request: Request {
    switch self {
    case .reserve(let line): Request(.post, "/reservations", service: .warehouse, parameters: Parameters(line))
    case .pay(let receipt): Request(.post, "/payments", service: .payments, parameters: Parameters(receipt))
    }
  }
}

/// The API of the stock as a class of its own: the discrete style.
private nonisolated final class StockCall: Call<Int> {
  private let product: Product.ID

  init(product: Product.ID, client: NetworkClient) {
    self.product = product
    super.init(client: client)
  }

  override var service: ServiceID? { .warehouse }
  override var path: RequestPath { "/stock/\(product)" }
}
