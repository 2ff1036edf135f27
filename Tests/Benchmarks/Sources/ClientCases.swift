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
    configuration.monitors = [Watchman()]
    let watched = NetworkClient(configuration)
    return [
      sending("a raw GET through a client") { client.exchange(request: Request(.get, "/products/7")).map { _ in } },
      sending("a decoded GET through a client") {
        client.enqueue(request: Request(.get, "/products/7"), resultType: Answer.self).map { _ in }
      },
      monitoring("a decoded GET through a client with a monitor, x without", client, watched),
    ]
  }

  /// What a monitor costs that does nothing itself: seven events, the decisions of the run, and where each field came from.
  private static func monitoring(_ name: String, _ client: NetworkClient, _ watched: NetworkClient) -> Case {
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
      name: name, target: 1.5, allocationTarget: 70, operations: count, baseline: { blackHole(send(client)) },
      prepare: { { send(watched) } })
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
