import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

extension FirstGuessTests {
  private struct Order: Codable, Sendable, Equatable { var id = 7 }

  /// Returns path and query of a `GET` with parameters.
  private func query(_ parameters: Parameters) throws -> String {
    try Stubbed().target(Request(.get, "/x", parameters: parameters))
  }

  // Guesses about requests, bodies and responses.

  @Test("Parameters(query)") func parametersOfAValue() throws {
    try expectEqual(query(Parameters(Order())), "/x?id=7")
  }

  @Test(".json(order, encoder: encoder)") func jsonWithAnEncoder() throws {
    let body = RequestBody.json(Order(), encoder: JSONEncoder())
    try expectEqual(Stubbed().client.httpRequest(for: Request(.post, "/x", body: body)).text, #"{"id":7}"#)
  }

  @Test("progress.fractionCompleted") func fractionCompleted() {
    expectEqual(TransferProgress(.sending, byteCount: 1, totalByteCount: 2).fractionCompleted, 0.5)
  }

  @Test(#"["q": text]"#) func parameterText() throws {
    let text = "a b"
    try expectEqual(query(["q": text]), "/x?q=a%20b")
  }

  @Test(#"["q": number]"#) func parameterNumber() throws {
    let number = 3.5
    try expectEqual(query(["q": number]), "/x?q=3.5")
  }

  @Test(#"["q": flag]"#) func parameterFlag() throws {
    let flag = true
    try expect(query(["q": flag]).hasPrefix("/x?q="))
  }

  @Test(#"["q": date]"#) func parameterDate() throws {
    let date = Date(timeIntervalSince1970: 0)
    try expect(query(["q": date]).hasPrefix("/x?q=1970-01-01T"))
  }

  @Test(#"["q": optional]"#) func parameterOptional() throws {
    let optional: String? = nil
    try expectEqual(query(["q": optional]), "/x")
  }

  @Test(#"["q": array]"#) func parameterArray() throws {
    let array = ["a", "b"]
    try expect(query(["q": array]).contains("b"))
  }

  @Test(#"["q": uuid]"#) func parameterUUID() throws {
    let uuid = UUID()
    try expectEqual(query(["q": uuid]), "/x?q=\(uuid)")
  }

  @Test("texts of one's own for a request") func ownTexts() async throws {
    let request = Request(.get, "/x", options: .with { $0.messages[.status(401)] = "Wrong password." })
    let stubbed = Stubbed()
    stubbed.answer("", status: 401)
    stubbed.stub.on(.get, "/v1/x", .status(401))
    try await expectEqual(stubbed.client.failure(of: request, as: Order.self).message, "Wrong password.")
  }

  @Test("client.send(_:as:)") func send() async throws {
    try await expectEqual(answering("{\"id\":7}").send("/x", as: Order.self).value, Order())
  }

  @Test("catch { error.message }") func catchMessage() async {
    await expectEqual(message(of: answering("nope"))?.isEmpty, false)
  }

  @Test("a cancelled loop throws") func cancelledLoop() async throws {
    let client = answering("5")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for try await _ in client.download(request: "/x").values {}
    }
    await #expect(throws: NetworkError.self) { try await task.value }
  }

  @Test("an array for an object is an error") func arrayForObject() async throws {
    await #expect(throws: NetworkError.self) { try await answering("[{\"id\":7}]").value(of: "/x", as: Order.self) }
  }

  @Test("NoContent takes any body") func noContent() async throws {
    _ = try await answering("OK").value(of: "/x", as: NoContent.self)
  }

  @Test(#"enqueue(request: "/x", transform:)"#) func transformOfText() async throws {
    let length = answering("OK").enqueue(request: "/x", transform: { $0.value.count })
    try await expectEqual(length.value().value, 2)
  }

  @Test("String and Data take any body") func stringAndData() async throws {
    try await expectEqual(answering("OK").value(of: "/x", as: String.self), "OK")
    try await expectEqual(answering("OK").value(of: "/x", as: Data.self), Data("OK".utf8))
  }

  /// A client whose server answers `GET /x`.
  private func answering(_ body: String) -> NetworkClient {
    let stubbed = Stubbed()
    stubbed.answer(body)
    return stubbed.client
  }

  /// Returns the message of a failure, which `catch` infers in a function.
  private func message(of client: NetworkClient) async -> String? {
    do {
      _ = try await client.value(of: "/x", as: Order.self)
      return nil
    } catch {
      return error.message
    }
  }
}
