import Foundation
import Heliograph
import HeliographTesting

extension Step {
  static let attributions = Step("Four failures on the way, and by whose fault") { tour in
    let network = ManualReachability(.unreachable)
    let elsewhere = try PartnerAddresses(reserved: "partner.example")
    let offline = tour.partners(elsewhere, network)
    var errors = [await tour.expect(.client, from: offline.stock(of: 7), "the device has no network")]

    network.set(.reachable)
    let hosts = try PartnerHosts()
    hosts.warehouse[.develop]?.route("GET", "/stock/*") { _ in .script([.reset]) }
    let api = tour.partners(hosts.addresses, network)
    _ = try await api.pay(4900, for: 2001).value()
    errors.append(await tour.expect(.server, from: api.stock(of: 7), "one host breaks off, the other has answered"))

    hosts.warehouse[.develop]?.stop()
    // A client of its own has heard nothing of the other host yet.
    let second = tour.partners(hosts.addresses, network)
    errors.append(await tour.expect(.undetermined, from: second.stock(of: 7), "one host refuses, no other was asked"))
    hosts.payments[.develop]?.stop()
    errors.append(await tour.expect(.path, from: second.pay(4900, for: 2001), "both hosts refuse"))

    let words = Set(errors.compactMap { $0?.message(in: .simplifiedChinese) })
    tour.report.check(
      words.count == errors.count, "a person reads other words each time", words.sorted().joined(separator: " "))
  }
}

extension PartnerAddresses {
  /// Partners at a name that belongs to nobody (RFC 2606).
  fileprivate init(reserved host: String) throws {
    guard let url = URL(string: "https://\(host)") else { throw URLError(.badURL) }
    self.init(warehouse: [.develop: url], payments: [.develop: url])
  }
}

extension Tour {
  fileprivate func partners(_ addresses: PartnerAddresses, _ network: ManualReachability) -> PartnerAPI {
    let store = EnvironmentStore(choices: [.develop], storage: MemoryStorage())
    return PartnerAPI(addresses, key: PartnerHosts.key, environments: store, reachability: network)
  }

  /// Checks by whose fault a signal fails, and prints what a person reads.
  ///
  /// - Returns: its error.
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
