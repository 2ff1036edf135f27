import Heliograph
import HeliographTesting

extension Step {
  static let environments = Step("Two services in three environments, switched in the settings") { tour in
    let hosts = try PartnerHosts()
    let storage = EnvironmentStorage.memory()
    let store = EnvironmentStore(build: .test, choices: PartnerHosts.environments, storage: storage)
    let engine = PartnerEngine(hosts.addresses, key: PartnerHosts.key, environments: store)
    let settings = SettingsModel(store: store)
    for choice in settings.choices { try await tour.use(engine, hosts, settings, in: choice) }
    try await tour.leave(.develop, for: .test, engine, hosts, settings)

    let next = EnvironmentStore(build: .develop, choices: PartnerHosts.environments, storage: storage)
    tour.report.check(
      next.current == .test, "the choice survives a restart",
      "built for \(ServiceEnvironment.develop), starts in \(next.current)")
    let release = SettingsModel(store: EnvironmentStore(build: .release, storage: storage))
    release.choose(.test)
    tour.report.check(
      release.current == .release && !release.canSwitch && release.message != nil,
      "a build for release ignores what was chosen before",
      "\(release.current), “\(release.message ?? "no message")”")
  }
}

extension Tour {
  /// Switches to an environment and sends a request to both services.
  fileprivate func use(
    _ engine: PartnerEngine, _ hosts: PartnerHosts, _ settings: SettingsModel, in environment: ServiceEnvironment
  ) async throws {
    let before = hosts.requestCounts
    settings.choose(environment)
    await wait { settings.current == environment }
    let line = OrderLine(productID: 7, quantity: 2)
    let (reservation, receipt) = try await engine.reserve(line).zip(engine.pay(4900, for: 2001)).value()

    let after = hosts.requestCounts
    let changed = after.filter { $0.value != before[$0.key] }
    let ports = [hosts.warehouse, hosts.payments].map { $0[environment].map { "\($0.port)" } ?? "nowhere" }
    report.check(
      reservation.line == line && receipt.cents == 4900
        && changed == [environment: (before[environment] ?? []).map { $0 + 1 }],
      "in \(environment), only the hosts of that environment received requests",
      "warehouse at port \(ports[0]), payments at port \(ports[1])")
  }

  /// Leaves an environment while one of its requests is in flight.
  fileprivate func leave(
    _ old: ServiceEnvironment, for new: ServiceEnvironment, _ engine: PartnerEngine, _ hosts: PartnerHosts,
    _ settings: SettingsModel
  ) async throws {
    guard let host = hosts.warehouse[old] else { return }
    settings.choose(old)
    host.forgetRequests()
    let stock = SignalRecorder(engine.stock(of: 7).signal)
    let requests = await host.log { $0.requests.count == 1 }.requests
    settings.choose(new)
    await stock.waitForEnd()
    report.check(
      stock.failure?.code == .contextChanged, "a request in flight fails when its environment is left",
      stock.failure.map { "\($0.domain) \($0.code), \($0.reason)" } ?? "it has not failed")
    let log = await host.log { $0.hasClientClosed(requests) }
    let isClosed = log.hasClientClosed(requests)
    report.check(
      requests.count == 1 && isClosed, "its server saw the connection closed",
      "\(requests.first?.target ?? "no request"), \(isClosed ? "closed by the client" : "still open")")
  }
}
