import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// sample: endpoint
enum Orders: Endpoint {
  case list(page: Int)
  case place(item: String, count: Int)

  var request: Request {
    switch self {
    case .list(let page): Request(.get, "/orders", parameters: ["page": page])
    case .place(let item, let count):
      Request(.post, "/orders", parameters: ["item": .init(item), "count": .init(count)])
    }
  }
}
// end sample

// sample: filter
struct Language: RequestFilter {
  let code: String

  func filter(_ draft: inout RequestDraft) throws(NetworkError) {
    draft.query.append(ParameterPair("lang", code))
    draft.headers["Accept-Language"] = code
  }
}
// end sample

// sample: middleware
struct Stamp: Middleware {
  let name: String

  func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
    var request = request
    request.headers.add(name, for: "X-Way")
    return next(request).map { event in
      guard case .head(var head) = event else { return event }
      head.headers.add(name, for: "X-Way")
      return .head(head)
    }
  }
}
// end sample

/// The samples of Docs/Services.md that send something, to a real server.
struct SentServiceSamples {
  private let server: LoopbackServer
  private let shopURL: URL

  init() throws {
    server = try LoopbackServer()
    server.route("*", "*") { _ in .json(#"["small lamp","large lamp"]"#) }
    shopURL = server.baseURL
  }

  @Test func oneServerNeedsNoService() async throws {
    // sample: one-server
    let client = NetworkClient(.init(baseURL: shopURL))
    let search = Request(.get, "/search", parameters: ["q": "lamp"])
    let found = try await client.enqueue(request: search, resultType: [String].self).value()
    print(found.value)
    // end sample
    expectEqual(found.value, ["small lamp", "large lamp"])
    expectEqual(server.log.requests.map(\.target), ["/search?q=lamp"])
  }

  @Test func requestsNameTheirService() async throws {
    let store = EnvironmentStore(storage: .memory())
    try store.setCustomAddress(server.baseURL)
    try store.switch(to: .custom)
    // sample: client
    let client = NetworkClient(.init(services: [Shop(), Payments(signer: nil)], environments: store))
    let lamps = Request(.get, "/lamps", service: .shop)
    let names = try await client.enqueue(request: lamps, resultType: [String].self).value()
    print(names.value)
    // end sample
    expectEqual(names.value.count, 2)
    expectEqual(server.log.requests.map(\.target), ["/lamps"])
  }

  @Test func anOlderServerGetsItsForm() async throws {
    let address = server.baseURL
    // sample: legacy
    struct Warehouse: Service {
      let url: URL
      let common = [CommonParameters("device", ["channelID": "store", "device_id": "D-1"])]
      let placement = ParameterPlacement.legacy(field: "data")
      func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { ServiceAddresses(url) }
    }
    let client = NetworkClient(.init(services: [Warehouse(url: address)]))
    let reserve = Request(.post, "/reserve", service: "Warehouse", parameters: ["item": 7, "count": 2])
    _ = try await client.enqueue(request: reserve).value()
    // POST /reserve?channelID=store&device_id=D-1
    // data=%7B%22count%22%3A2%2C%22item%22%3A7%7D, which is {"count":2,"item":7}
    // end sample
    let request = try require(server.log.requests.first)
    expectEqual(request.target, "/reserve?channelID=store&device_id=D-1")
    expectEqual(request.bodyText, "data=%7B%22count%22%3A2%2C%22item%22%3A7%7D")
  }

  @Test func threeWaysToSayTheSame() async throws {
    // sample: three-ways
    let client = NetworkClient(.init(baseURL: shopURL))
    let endpoint = Orders.place(item: "a lamp", count: 2)
    let request = Request(.post, "/orders", parameters: ["item": "a lamp", "count": 2])
    var old = URLRequest(url: shopURL.appendingPathComponent("orders"))
    old.httpMethod = "POST"
    old.httpBody = Data("item=a+lamp&count=2".utf8)
    old.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    let ways: [any RequestConvertible] = [endpoint, request, old]
    for way in ways { _ = try await client.send(way, as: Data.self) }
    // end sample
    let sent = server.log.requests
    expectEqual(sent.count, 3)
    expect(sent.allSatisfy { $0.bodyText == "item=a+lamp&count=2" && $0.target == "/orders" && $0.method == "POST" })
    expect(sent.allSatisfy { $0.headers == sent[0].headers })
    try expectEqual(client.httpRequest(for: endpoint), client.httpRequest(for: request))
    try expectEqual(client.httpRequest(for: request), client.httpRequest(for: old))
    _ = try await client.enqueue(request: Orders.list(page: 3)).value()
    expectEqual(server.log.requests.last?.target, "/orders?page=3")
  }

  @Test func filtersChangeEveryRequest() async throws {
    // sample: filtered
    var configuration = NetworkClient.Configuration(baseURL: shopURL)
    configuration.filters = [Language(code: "de")]
    let client = NetworkClient(configuration)
    _ = try await client.enqueue(request: "/lamps").value()  // GET /lamps?lang=de
    // end sample
    expectEqual(server.log.requests.first?.target, "/lamps?lang=de")
    expectEqual(server.log.requests.first?.header("Accept-Language"), "de")
  }

  @Test func middlewareStandsAround() async throws {
    let address = server.baseURL
    // sample: middleware-order
    struct Stamped: Service {
      let url: URL
      var middleware: [any Middleware] { [Stamp(name: "service")] }
      func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { ServiceAddresses(url) }
    }
    var configuration = NetworkClient.Configuration(services: [Stamped(url: address)])
    configuration.middleware = [Stamp(name: "client")]
    let client = NetworkClient(configuration)
    var request = Request(.get, "/lamps", service: "Stamped")
    request.options.middleware = [Stamp(name: "request")]
    let response = try await client.enqueue(request: request).value()
    // the server sees    X-Way: client, service, request
    // the response says  X-Way: request, service, client
    // end sample
    expectEqual(server.log.requests.first?.header("X-Way"), "client, service, request")
    expectEqual(response.headers["X-Way"], "request, service, client")
  }

  @Test func aTokenIsSetByMiddleware() async throws {
    // sample: authorization
    var configuration = NetworkClient.Configuration(baseURL: shopURL)
    configuration.middleware = [.authorization { .just(try? .bearer(token: "dGhlIHRva2Vu")) }]
    let client = NetworkClient(configuration)
    _ = try await client.enqueue(request: "/orders").value()  // Authorization: Bearer dGhlIHRva2Vu
    // end sample
    expectEqual(server.log.requests.first?.header("Authorization"), "Bearer dGhlIHRva2Vu")
  }
}
