import Foundation
import Heliograph
import HeliographTesting

extension Step {
  static let attributions = Step("Four failures and their attribution") { tour in
    let network = ManualReachability(.unreachable)
    let reserved = try PartnerAddresses(reserved: "partner.example")
    let offline = tour.partners(reserved, network)
    var errors = [await tour.expect(.client, from: offline.stock(of: 7).signal, "the device has no network")]

    network.set(.reachable)
    let hosts = try PartnerHosts()
    hosts.warehouse[.develop]?.route("GET", "/stock/**") { _ in .script([.reset]) }
    let engine = tour.partners(hosts.addresses, network)
    _ = try await engine.pay(4900, for: 2001).value()
    errors.append(
      await tour.expect(.server, from: engine.stock(of: 7).signal, "one host resets, the other has answered"))

    hosts.warehouse[.develop]?.stop()
    // A new client has no evidence of the other host.
    let second = tour.partners(hosts.addresses.withPayments(at: "localhost"), network)
    let refused = second.stock(of: 7).signal
    errors.append(await tour.expect(.undetermined, from: refused, "one host refuses, no other has a request"))
    hosts.payments[.develop]?.stop()
    errors.append(await tour.expect(.path, from: second.pay(4900, for: 2001), "both hosts refuse"))

    let texts = Set(errors.compactMap { $0?.message(in: .simplifiedChinese) })
    tour.report.check(
      texts.count == errors.count, "each has its own user-facing message", texts.sorted().joined(separator: " "))
  }
}

extension PartnerAddresses {
  /// Partners at a reserved name that is never registered (RFC 2606).
  fileprivate init(reserved host: String) throws {
    guard let url = URL(string: "https://\(host)") else { throw URLError(.badURL) }
    self.init(warehouse: [.develop: url], payments: [.develop: url])
  }
}

extension Tour {
  fileprivate func partners(_ addresses: PartnerAddresses, _ network: ManualReachability) -> PartnerEngine {
    let store = EnvironmentStore(choices: [.develop], storage: .memory())
    return PartnerEngine(addresses, key: PartnerHosts.key, environments: store, reachability: network)
  }

  /// Checks the attribution of a failure, and prints its user-facing message.
  ///
  /// - Returns: The failure.
  fileprivate func expect<Value: Sendable>(
    _ party: Attribution.Party, from signal: Signal<Value, NetworkError>, _ situation: String
  ) async -> NetworkError? {
    let recorder = SignalRecorder(signal)
    await recorder.waitForEnd()
    let error = recorder.failure
    report.check(
      error?.attribution.party == party, "\(situation): \(party)",
      error.map { "\($0.domain) \($0.code), “\($0.message)”" } ?? "it has not failed")
    return error
  }
}

extension PartnerAddresses {
  /// Returns the addresses with another name for the host of the payments: two ports of one host may fail together.
  fileprivate func withPayments(at host: String) -> PartnerAddresses {
    let renamed = payments.compactMapValues { url in
      var components = URLComponents(url: url, resolvingAgainstBaseURL: false)
      components?.host = host
      return components?.url
    }
    return PartnerAddresses(warehouse: warehouse, payments: renamed)
  }
}
