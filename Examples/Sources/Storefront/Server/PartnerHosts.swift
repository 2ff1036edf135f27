import Foundation
import Heliograph
import HeliographTesting

/// The hosts of two partners in three environments: six servers, each on a port of its own.
struct PartnerHosts: Sendable {
  static let environments: [ServiceEnvironment] = [.develop, .test, .release]
  /// The key of the payments servers and of the app.
  static let key = Data("a secret between the shop and its bank".utf8)

  let warehouse: [ServiceEnvironment: LoopbackServer]
  let payments: [ServiceEnvironment: LoopbackServer]

  /// Starts all of them.
  init() throws {
    var hosts: [(warehouse: LoopbackServer, payments: LoopbackServer)] = []
    for _ in PartnerHosts.environments { hosts.append((try LoopbackServer(), try LoopbackServer())) }
    let pairs = Dictionary(uniqueKeysWithValues: zip(PartnerHosts.environments, hosts))
    warehouse = pairs.mapValues(\.warehouse)
    payments = pairs.mapValues(\.payments)
    for server in warehouse.values { PartnerHosts.serveWarehouse(server) }
    for server in payments.values { PartnerHosts.servePayments(server) }
  }

  /// The base URLs for the app's services.
  var addresses: PartnerAddresses {
    PartnerAddresses(warehouse: warehouse.mapValues(\.baseURL), payments: payments.mapValues(\.baseURL))
  }

  /// The number of requests to the two hosts of each environment.
  var requestCounts: [ServiceEnvironment: [Int]] {
    warehouse.merging(payments) { first, _ in first }.keys.reduce(into: [:]) { counts, environment in
      counts[environment] = [warehouse, payments].map { $0[environment]?.log.requests.count ?? 0 }
    }
  }

  private static func serveWarehouse(_ server: LoopbackServer) {
    server.route("POST", "/reservations") { request in
      guard let channel = request.queryValue("channelID"), request.queryValue("device_id") != nil,
        let line = request.formValue("data").flatMap({ try? JSONDecoder().decode(OrderLine.self, from: Data($0.utf8)) })
      else { return .status(400) }
      return .value(Reservation(line: line, channel: channel))
    }
    // Counting never ends.
    server.route("GET", "/stock/**") { _ in .never }
  }

  private static func servePayments(_ server: LoopbackServer) {
    let gate = SignatureGate(key: key)
    server.route("POST", "/payments") { request in
      let verdict = gate.judge(request)
      guard verdict == .genuine else { return .json(#"{"refused":"\#(verdict.rawValue)"}"#, status: 403) }
      guard let receipt: Receipt = request.content() else { return .status(400) }
      return .value(receipt)
    }
  }
}

extension LoopbackRequest {
  /// The value of a field of the form in the body.
  func formValue(_ name: String) -> String? {
    for field in bodyText.split(separator: "&") {
      let parts = field.split(separator: "=", maxSplits: 1)
      if parts.count == 2, parts[0] == name { return parts[1].replacing("+", with: " ").removingPercentEncoding }
    }
    return nil
  }
}
