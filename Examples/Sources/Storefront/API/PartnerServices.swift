import Foundation
import Heliograph

extension ServiceID {
  static let warehouse: ServiceID = "warehouse"
  static let payments: ServiceID = "payments"
}

/// Where each partner is in each environment.
struct PartnerAddresses: Sendable {
  let warehouse: [ServiceEnvironment: URL]
  let payments: [ServiceEnvironment: URL]
}

/// The warehouse: an older server, which wants common parameters in the query and the rest as JSON in one field of a form.
struct WarehouseService: Service {
  let id = ServiceID.warehouse
  let urls: [ServiceEnvironment: URL]
  let common = [CommonParameters("device", ["channelID": "storefront", "device_id": "D-0815"])]
  let placement = ParameterPlacement.legacy(field: "data")

  func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
    urls[environment].map { ServiceAddresses($0) }
  }
}

/// Payments: every request is signed, so that nobody on the way can change a sum.
struct PaymentsService: Service {
  let id = ServiceID.payments
  let urls: [ServiceEnvironment: URL]
  let signer: (any Signer)?
  let placement = ParameterPlacement.json

  func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
    urls[environment].map { ServiceAddresses($0) }
  }
}

/// The warehouse's interfaces.
enum WarehouseEndpoint: Endpoint {
  case reserve(OrderLine)
  case stock(Product.ID)

  var service: ServiceID? { .warehouse }
  var path: RequestPath {
    switch self {
    case .reserve: "/reservations"
    case .stock(let id): "/stock/\(id)"
    }
  }
  var method: HTTPMethod { if case .reserve = self { .post } else { .get } }
  var parameters: Parameters { if case .reserve(let line) = self { Parameters(line) } else { [:] } }
}

/// The interfaces of payments.
enum PaymentsEndpoint: Endpoint {
  case pay(Receipt)

  var service: ServiceID? { .payments }
  var path: RequestPath { "/payments" }
  var method: HTTPMethod { .post }
  var parameters: Parameters {
    switch self {
    case .pay(let receipt): Parameters(receipt)
    }
  }
}
