import Heliograph
import HeliographTesting

extension Step {
  static let cancelByID = Step("Three calls, one cancelled by its identifier") { tour in
    let hosts = try PartnerHosts()
    let store = EnvironmentStore(choices: [.develop], storage: .memory())
    let engine = PartnerEngine(hosts.addresses, key: PartnerHosts.key, environments: store)
    guard let host = hosts.warehouse[store.current] else { return }
    let calls = [1, 2, 3].map { engine.stock(of: $0) }
    let callbacks = CurrentValue(0)
    for call in calls {
      call.start { _ in
        callbacks.modify { $0 += 1 }
      } onFailure: { _ in
        callbacks.modify { $0 += 1 }
      }
    }
    let requests = await host.log { $0.requests.count == 3 }.requests
    if let id = calls[1].id { engine.cancel([id]) }
    let second = requests.filter { $0.path == "/stock/2" }
    let log = await host.log { $0.hasClientClosed(second) }
    let openPaths = requests.filter { log.connection(of: $0).closedAt == nil }.map(\.path).sorted()
    tour.report.check(
      second.count == 1 && log.hasClientClosed(second) && openPaths == ["/stock/1", "/stock/3"],
      "the server saw one connection closed", "open: \(openPaths.joined(separator: ", "))")
    tour.report.check(
      calls.map(\.isCancelled) == [false, true, false] && engine.callIDs.count == 2 && callbacks.value == 0,
      "the others are in flight, and no callback has run", "\(engine.callIDs.count) calls in flight")
    engine.cancel(engine.callIDs)
    tour.report.check(engine.callIDs.count == 0, "all are cancelled at once", "\(engine.callIDs.count) calls in flight")
  }
}
