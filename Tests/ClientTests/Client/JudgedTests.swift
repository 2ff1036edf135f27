import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A form without a type is judged like every other; only the exchange is raw.
struct JudgedTests {
  private struct Item: Codable, Sendable, Equatable { var id: Int }

  private let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
    server.route("GET", "/busy") { _ in .text("later", status: 503) }
    server.route("GET", "/item") { _ in .json(#"{"id": 7}"#) }
    server.route("GET", "/refused") { _ in .json(#"{"code": 1004, "msg": "no"}"#) }
    server.route("GET", "/mine") { request in
      request.header("Authorization") == "Bearer second" ? .text("mine") : .status(401)
    }
    server.route("POST", "/token") { _ in .text("second") }
  }

  private func failure(_ work: () async throws -> Void) async -> NetworkError? {
    do {
      try await work()
      return nil
    } catch {
      return error as? NetworkError
    }
  }

  @Test("S4-1") func aStatusIsJudgedWithoutAType() async throws {
    let client = NetworkClient(baseURL: server.baseURL)
    let codes = await [
      failure { _ = try await client.send("/busy") },
      failure { _ = try await client.value(of: Request(.get, "/busy")) },
      failure { _ = try await client.enqueue(request: "/busy").value() },
      failure { _ = try await client.enqueue(request: Request(.get, "/busy")).value() },
    ]
    expectEqual(codes.map { $0?.code }, Array(repeating: .status(503), count: 4))
    expect(codes.allSatisfy { $0?.response?.value == Data("later".utf8) })
    let raw = try await client.exchange(request: "/busy").value()
    expectEqual(raw.statusCode, 503)
    expectEqual(raw.value, Data("later".utf8))
  }

  @Test("S2-14") func anEnvelopeIsJudgedWithoutAType() async throws {
    let client = NetworkClient(baseURL: server.baseURL) { $0.stages.envelope = .codeMessageData }
    await expectEqual(failure { _ = try await client.send("/refused") }?.code, .api(1004))
    await expectEqual(failure { _ = try await client.enqueue(request: "/refused").value() }?.code, .api(1004))
    try await expectEqual(client.exchange(request: "/refused").value().statusCode, 200)
  }

  @Test func aRecoveryRunsWithoutATypeAndNotForAnExchange() async throws {
    let token = CurrentValue("first")
    let client = NetworkClient(baseURL: server.baseURL) {
      $0.middleware = [.bearer { token.value }]
      $0.recoveries = [
        Recovery { client in token.value = try await client.value(of: Request(.post, "/token"), as: String.self) }
      ]
    }
    try await expectEqual(client.exchange(request: "/mine").value().statusCode, 401)
    expectEqual(server.log.requests.map(\.path), ["/mine"])
    try await expectEqual(client.send("/mine").value, Data("mine".utf8))
    expectEqual(server.log.requests.map(\.path), ["/mine", "/mine", "/token", "/mine"])
  }

  @Test func theTypeOfARequestServesEveryForm() async throws {
    let client = NetworkClient(baseURL: server.baseURL)
    let item = Request(.get, "/item").returning(Item.self)
    try await expectEqual(client.value(of: item), Item(id: 7))
    try await expectEqual(client.send(item).value, Item(id: 7))
    try await expectEqual(client.enqueue(request: item).value().value, Item(id: 7))
    try await expectEqual(client.upload(item, as: Item.self).value, Item(id: 7))
    for try await page in client.pages(request: item) { expectEqual(page.value, Item(id: 7)) }
    let batch = Batch((0..<2).map { _ in client.enqueue(request: item).map(\.value) })
    try await expectEqual(batch.signal.value().values, [Item(id: 7), Item(id: 7)])
    let bytes = try await client.value(of: Request(.get, "/item"))
    expectEqual(bytes, Data(#"{"id": 7}"#.utf8))
  }
}
