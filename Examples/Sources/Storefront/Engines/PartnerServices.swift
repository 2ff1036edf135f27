import Foundation
import Heliograph

extension ServiceID {
  static let warehouse: ServiceID = "warehouse"
  static let payments: ServiceID = "payments"
}

/// The base URLs of the partners in each environment.
struct PartnerAddresses: Sendable {
  let warehouse: [ServiceEnvironment: URL]
  let payments: [ServiceEnvironment: URL]
}

/// The warehouse: an older server, with common parameters in the query and the others as JSON in one field of a form.
struct WarehouseService: Service {
  let id = ServiceID.warehouse
  let urls: [ServiceEnvironment: URL]
  let common = [CommonParameters("device", ["channelID": "storefront", "device_id": "D-0815"])]
  let placement = ParameterPlacement.legacy(field: "data")

  func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
    urls[environment].map { ServiceAddresses($0) }
  }
}

/// Payments: every request is signed, so that a changed sum is detected.
struct PaymentsService: Service {
  let id = ServiceID.payments
  let urls: [ServiceEnvironment: URL]
  let signer: (any Signer)?
  let placement = ParameterPlacement.json

  func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
    urls[environment].map { ServiceAddresses($0) }
  }
}
