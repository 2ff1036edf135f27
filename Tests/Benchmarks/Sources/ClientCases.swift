import Foundation
import Heliograph
import Signals

private let body = Data(#"{"code":0,"msg":"","data":{"id":7,"name":"Floor lamp"}}"#.utf8)

private struct Answer: Decodable, Sendable {
  struct Item: Decodable, Sendable {
    let id: Int
    let name: String
  }

  let code: Int
  let msg: String
  let data: Item
}

private struct Watchman: Monitor {
  func observe(_ event: MonitorEvent) {}
}

extension Case {
  /// Requests from what a caller writes to what it gets, without a network: how much of a request is the client's.
  static func clients() -> [Case] {
    var configuration = NetworkClient.Configuration(
      baseURL: URL(string: "https://api.example.com"), services: [], transport: InstantTransport(body: body))
    configuration.processing = .immediate
    let client = NetworkClient(configuration)
    var full = configuration
    full.account = CurrentValue("ann")
    full.totalTimeout = .seconds(60)
    full.retry = Retry(limit: 2)
    full.recoveries = [Recovery { _ in Signal<Void, NetworkError>.empty }]
    let guarded = NetworkClient(full)
    configuration.retry = .never
    configuration.totalTimeout = nil
    let plain = NetworkClient(configuration)
    configuration.monitors = [Watchman()]
    let watched = NetworkClient(configuration)
    return [
      sending("a raw GET through a client") { client.exchange(request: Request(.get, "/products/7")).map { _ in } },
      sending("a decoded GET through a client") {
        client.enqueue(request: Request(.get, "/products/7"), resultType: Answer.self).map { _ in }
      },
      comparing("a decoded GET through a client with a monitor, x without", plain, watched),
      comparing(
        "a decoded GET with account, timeout, retries and recovery, x without", plain, guarded, target: 3,
        allocations: 95),
    ]
  }

  /// What a setting costs: a monitor that does nothing itself (seven events, the decisions of the run, and where each field
  /// came from), or what may repeat or end a request.
  private static func comparing(
    _ name: String, _ client: NetworkClient, _ other: NetworkClient, target: Double = 1.5,
    allocations: Double = 70
  ) -> Case {
    let count = 100
    func send(_ client: NetworkClient) -> Int {
      let tally = Tally()
      for _ in 0..<count {
        client.enqueue(request: Request(.get, "/products/7"), resultType: Answer.self)
          .subscribe(onValue: { _ in tally.add() }, onFailure: { _ in })
      }
      return tally.take()
    }
    return Case(
      name: name, target: target, allocationTarget: allocations, operations: count,
      baseline: { blackHole(send(client)) },
      prepare: { { send(other) } })
  }

  private static func sending(_ name: String, _ send: @escaping () -> Signal<Void, NetworkError>) -> Case {
    let count = 100
    return Case(
      name: name, target: nil, operations: count,
      prepare: {
        let tally = Tally()
        return {
          for _ in 0..<count { send().subscribe(onValue: { tally.add() }, onFailure: { _ in }) }
          return tally.take()
        }
      })
  }
}
