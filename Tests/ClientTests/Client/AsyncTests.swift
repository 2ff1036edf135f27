import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// `send` and `value`: one response, or one `NetworkError`.
struct AsyncTests {
  private static let lamp = Product(id: 7, name: "Lamp")

  private enum API {
    static func product(_ id: Int) -> TypedRequest<Product> {
      Request(.get, "/products/\(id)").returning(Product.self)
    }
  }

  private func shop() throws -> Shop {
    let shop = try Shop()
    shop.serve("/products/7", #"{"id":7,"name":"Lamp"}"#, status: 203)
    return shop
  }

  @Test func sendReturnsValueAndStatus() async throws {
    let shop = try shop()
    let response = try await shop.client.send("/products/7", as: Product.self)
    expectEqual(response.value, Self.lamp)
    expectEqual(response.statusCode, 203)
    expectEqual(response.url, shop.server.url("/products/7"))
    try await expectEqual(shop.client.value(of: "/products/7", as: Product.self), Self.lamp)
    // A request, a variable of text and a URL are requests, too.
    let path = "/products/7"
    try await expectEqual(shop.client.value(of: Request(.get, "/products/\(7)"), as: Product.self), Self.lamp)
    try await expectEqual(shop.client.value(of: Request(.get, RequestPath(path)), as: Product.self), Self.lamp)
    try await expectEqual(shop.client.value(of: shop.server.url(path), as: Product.self), Self.lamp)
    expectEqual(shop.server.log.requests(to: path).count, 5)
  }

  @Test func aTypedRequestStatesItsResult() async throws {
    let shop = try shop()
    let response = try await shop.client.send(API.product(7))
    expectEqual(response.value, Self.lamp)
    expectEqual(response.statusCode, 203)
    try await expectEqual(shop.client.value(of: API.product(7)), Self.lamp)
    let recorder = SignalRecorder(shop.client.enqueue(request: API.product(7)))
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.value), [Self.lamp])
    expect(recorder.isCompleted)
    expectEqual(shop.server.log.requests(to: "/products/7").count, 3)
  }

  private struct Broken: RequestConvertible {
    func asRequest() throws(NetworkError) -> Request { throw NetworkError(.unknownService) }
  }

  @Test func aTypedRequestThrowsWhatItsRequestThrows() async throws {
    let stubbed = Stubbed()
    try await expectEqual(stubbed.client.failure(of: Broken().returning(Int.self), as: Int.self).code, .unknownService)
    expect(stubbed.stub.requests.isEmpty)
  }

  /// Response body, whether the service has an envelope, and whether it is that of each element.
  private static let arrays: [(String, Bool)] = [
    (#"[{"id":1,"name":"A"},{"id":2,"name":"B"}]"#, false), (#"[{"id":1,"name":"A"}]"#, false), ("[]", false),
    ("[5]", false), (#"{"code":0,"data":[{"id":1,"name":"A"}]}"#, true), (#"{"code":0,"data":[]}"#, true),
  ]

  @Test(arguments: arrays) func anArrayInThePlaceOfAnObjectIsAnError(_ body: String, _ isWrapped: Bool) async throws {
    let echo = try EchoServer(Stages(envelope: isWrapped ? .codeMessageData : nil))
    let error = try await echo.client.failure(of: EchoServer.request(body), as: Product.self)
    expectEqual(error.code, .unexpectedShape)
    expect(error.reason.hasPrefix("\(isWrapped ? "data" : "the root") is an array, not Product"))
    expectEqual(error.response?.value, Data(body.utf8))
    expectEqual(error.request?.url.path, "/echo")
  }

  @Test func anArrayOfEnvelopesIsAnError() async throws {
    let echo = try EchoServer(Stages(envelope: .codeMessageData))
    let body = #"[{"code":0,"data":{"id":1,"name":"A"}}]"#
    let error = try await echo.client.failure(of: EchoServer.request(body), as: Product.self)
    expectEqual(error.domain, .processing)
    expectEqual(error.response?.value, Data(body.utf8))
    expectEqual(error.code, .invalidEnvelope)
    // The signal delivers each element.
    await expectEqual(echo.read(body, as: Product.self).values.map(\.value.id), [1])
  }

  @Test func anArrayTypeTakesAnArray() async throws {
    let echo = try EchoServer(Stages())
    let body = #"[{"id":1,"name":"A"},{"id":2,"name":"B"}]"#
    try await expectEqual(echo.client.value(of: EchoServer.request(body), as: [Product].self).map(\.id), [1, 2])
    try await expect(echo.client.value(of: EchoServer.request("[]"), as: [Product].self).isEmpty)
  }

  @Test(arguments: [["If-None-Match": #""v1""#], [:]] as [HTTPHeaders])
  func aNotModifiedIsAnErrorWithItsResponse(_ headers: HTTPHeaders) async throws {
    let shop = try Shop()
    shop.server.route("GET", "/product") { _ in .status(304).header("ETag", #""v1""#) }
    let error = try await shop.client.failure(of: Request(.get, "/product", headers: headers), as: Product.self)
    expectEqual(error.code, .status(304))
    expectEqual(error.statusCode, 304)
    expectEqual(error.response?.etag, #""v1""#)
    expectEqual(error.request?.url, shop.server.url("/product"))
  }

  @Test func everyFailureIsANetworkError() async throws {
    let shop = try Shop()
    shop.serve("/bad", "nope")
    shop.serve("/busy", "{}", status: 503)
    var codes: [NetworkError.Code] = []
    for path in ["//", "/busy", "/bad"] {
      do throws(NetworkError) {
        _ = try await shop.client.value(of: Request(.get, RequestPath(path)), as: Product.self)
      } catch {
        codes.append(error.code)
      }
    }
    try shop.server.stopForGood()
    do throws(NetworkError) {
      _ = try await shop.client.send("/busy", as: Product.self)
    } catch {
      codes.append(error.code)
    }
    expectEqual(codes, [.invalidURL, .status(503), .malformedBody, .cannotConnect])
  }

  @Test func aResponseIsReturnedWhateverItsStatus() async throws {
    let kit = TestKit()
    kit.stub.on(.get, "/teapot", .text("short and stout", status: 418))
    let response = try await kit.client.exchange(request: "/teapot").value()
    expectEqual(response.statusCode, 418)
    expectEqual(response.value, Data("short and stout".utf8))
    kit.stub.on(.get, "/stuck", .never)
    let task = Task { try await kit.client.send(Request(.get, "/stuck")) }
    await expect(kit.stub.requested(2))
    task.cancel()
    let error = await #expect(throws: NetworkError.self) { try await task.value }
    expectEqual(error?.isCancelled, true)
    expectEqual(kit.stub.activeCount, 0)
  }
}
