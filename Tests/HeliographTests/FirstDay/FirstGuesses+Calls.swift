import Foundation
import Heliograph
import HeliographTesting
import Testing

extension FirstGuessTests {
  private struct Order: Codable, Sendable, Equatable { var id = 7 }

  /// Returns path and query of a `GET` with parameters.
  private func query(_ parameters: Parameters) throws -> String {
    try Stubbed().target(Request(.get, "/x", parameters: parameters))
  }

  // Guesses about requests, bodies and responses.

  @Test("Parameters(query)") func parametersOfAValue() throws {
    #expect(try query(Parameters(Order())) == "/x?id=7")
  }

  @Test(".json(order, encoder: encoder)") func jsonWithAnEncoder() throws {
    let body = RequestBody.json(Order(), encoder: JSONEncoder())
    #expect(try Stubbed().client.httpRequest(for: Request(.post, "/x", body: body)).text == #"{"id":7}"#)
  }

  @Test(#"multipart.append("Ada", name: "owner")"#) func appendText() {
    var multipart = Multipart()
    multipart.append("Ada", name: "owner")
    #expect(multipart.parts == [.text("owner", "Ada")])
  }

  @Test("multipart.append(file:name:fileName:contentType:)") func appendFile() {
    let file = URL(fileURLWithPath: "/tmp/a.png")
    var multipart = Multipart()
    multipart.append(file: file, name: "photo", fileName: "b.png", contentType: "image/png")
    #expect(multipart.parts == [.file("photo", file, fileName: "b.png", contentType: "image/png")])
  }

  @Test("progress.fractionCompleted") func fractionCompleted() {
    #expect(TransferProgress(.sending, byteCount: 1, totalByteCount: 2).fractionCompleted == 0.5)
  }

  @Test(#"["q": text]"#) func parameterText() throws {
    let text = "a b"
    #expect(try query(["q": text]) == "/x?q=a%20b")
  }

  @Test(#"["q": number]"#) func parameterNumber() throws {
    let number = 3.5
    #expect(try query(["q": number]) == "/x?q=3.5")
  }

  @Test(#"["q": flag]"#) func parameterFlag() throws {
    let flag = true
    #expect(try query(["q": flag]).hasPrefix("/x?q="))
  }

  @Test(#"["q": date]"#) func parameterDate() throws {
    let date = Date(timeIntervalSince1970: 0)
    #expect(try query(["q": date]).hasPrefix("/x?q=1970-01-01T"))
  }

  @Test(#"["q": optional]"#) func parameterOptional() throws {
    let optional: String? = nil
    #expect(try query(["q": optional]) == "/x")
  }

  @Test(#"["q": array]"#) func parameterArray() throws {
    let array = ["a", "b"]
    #expect(try query(["q": array]).contains("b"))
  }

  @Test(#"["q": uuid]"#) func parameterUUID() throws {
    let uuid = UUID()
    #expect(try query(["q": uuid]) == "/x?q=\(uuid)")
  }

  @Test("request.curl") func curl() throws {
    #expect(try Stubbed().client.httpRequest(for: "/x").curl.hasPrefix("curl "))
  }

  @Test("request.cURLDescription()") func cURLDescription() throws {
    #expect(try Stubbed().client.httpRequest(for: "/x").cURLDescription().hasPrefix("curl "))
  }

  @Test("Request(…, timeout:)") func requestTimeout() {
    #expect(Request(.get, "/x", timeout: .seconds(10)).options.idleTimeout == .seconds(10))
  }

  @Test("options: .init(timeout:)") func optionsTimeout() {
    #expect(Request(.get, "/x", options: .init(timeout: .seconds(10))).options.idleTimeout == .seconds(10))
  }

  @Test("texts of one's own for a request") func ownTexts() async throws {
    let request = Request(.get, "/x", options: .with { $0.messages[.server, 401] = "Wrong password." })
    let stubbed = Stubbed()
    stubbed.answer("", status: 401)
    stubbed.stub.on(.get, "/v1/x", .status(401))
    #expect(try await stubbed.client.failure(of: request, as: Order.self).message == "Wrong password.")
  }

  @Test("client.send(_:as:)") func send() async throws {
    #expect(try await answering("{\"id\":7}").send("/x", as: Order.self).value == Order())
  }

  @Test("catch { error.message }") func catchMessage() async {
    #expect(await message(of: answering("nope"))?.isEmpty == false)
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

  @Test("String and Data take any body") func stringAndData() async throws {
    #expect(try await answering("OK").value(of: "/x", as: String.self) == "OK")
    #expect(try await answering("OK").value(of: "/x", as: Data.self) == Data("OK".utf8))
  }

  @Test("client.get") func get() async throws {
    #expect(try await answering("{\"id\":7}").get("/x", as: Order.self) == Order())
  }

  @Test("client.request") func request() async throws {
    #expect(try await answering("{\"id\":7}").request("/x", as: Order.self) == Order())
  }

  @Test("response.data") func responseData() async throws {
    #expect(try await answering("5").response(for: "/x").data == Data("5".utf8))
  }

  @Test("response.body") func responseBody() async throws {
    #expect(try await answering("5").response(for: "/x").body == Data("5".utf8))
  }

  @Test(#"response.header("ETag")"#) func responseHeader() async throws {
    #expect(try await answering("5").send("/x", as: Int.self).header("Content-Type") == "application/json")
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
