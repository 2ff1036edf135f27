import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

struct AnswerTests {
  @Test("S2-13, T3, S1-11", arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"])
  func everyMethodTerminates(_ name: String) async throws {
    let shop = try Shop()
    shop.server.route("*", "/thing") { request in .json(#"{"id":7,"name":"\#(request.method)"}"#) }
    let method = HTTPMethod(rawValue: name)
    let body: RequestBody = ["POST", "PUT", "PATCH"].contains(name) ? .json(Product(id: 1, name: "Lamp")) : .empty
    let request = Request(method, "/thing", headers: ["X-Custom": "yes"], body: body)
    let recorder = SignalRecorder(shop.client.exchange(request: request))
    await recorder.waitForEnd()
    expect(recorder.isCompleted)
    expectEqual(recorder.values.map(\.statusCode), [200])
    let arrived = try require(shop.server.log.requests.first)
    expectEqual(arrived.method, method)
    expectEqual(arrived.header("x-custom"), "yes")
    expectEqual(arrived.body, (body.isEmpty ? Data() : Data(#"{"id":1,"name":"Lamp"}"#.utf8)))
    let judged = SignalRecorder(shop.client.enqueue(request: request, resultType: NoContent.self))
    await judged.waitForEnd()
    expect(judged.isCompleted)
    expectEqual(judged.values.map(\.statusCode), [200])
  }

  @Test("S2-5, T5 S1-7 T8") func aNotModifiedCompletesWithoutAValue() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/product") { request in
      request.header("If-None-Match") == "\"v1\""
        ? .status(304).header("ETag", "\"v1\"") : .json(#"{"id":1,"name":"Lamp"}"#).header("ETag", "\"v1\"")
    }
    let first = await shop.products("/product")
    let etag = try require(first.values.first?.etag)
    let again = SignalRecorder(
      shop.client.enqueue(
        request: Request(.get, "/product", headers: ["If-None-Match": etag]), resultType: Product.self))
    await again.waitForEnd()
    expect(again.values.isEmpty)
    expect(again.isCompleted)
  }

  @Test("S2-6, S2-20 S2-25") func statusAndHeadersReachTheCaller() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/product") { _ in
      .json(#"{"id":1,"name":"Lamp"}"#, status: 203).header("X-Rate", "5")
    }
    let response = try require(await shop.products("/product").values.first)
    expectEqual(response.value, Product(id: 1, name: "Lamp"))
    expectEqual(response.statusCode, 203)
    expectEqual(response.headers["x-rATE"], "5")
    expectEqual(response.url, shop.server.url("/product"))
  }

  @Test("S2-14 S1-1 S1-11") func theRawFormInterpretsNothing() async throws {
    let shop = try Shop()
    for status in [200, 201, 304, 404, 503] {
      shop.serve("/raw", "not json", status: status)
      let recorder = SignalRecorder(shop.client.exchange(request: "/raw"))
      await recorder.waitForEnd()
      expectEqual(recorder.values.map(\.statusCode), [status])
      if status != 304 { expectEqual(recorder.values.first?.value, Data("not json".utf8)) }
    }
  }

  @Test("S1-7", arguments: [301, 400, 401, 404, 500, 503])
  func aStatusThatIsNoSuccessIsAServerErrorWithItsBody(_ status: Int) async throws {
    let shop = try Shop()
    shop.server.route("GET", "/product") { _ in
      .json(#"{"why":"because"}"#, status: status).header("WWW-Authenticate", #"Basic realm="shop""#)
    }
    let recorder = await shop.products("/product")
    let error = try require(recorder.failure)
    expectEqual(error.code, .status(status))
    expectEqual(error.statusCode, status)
    expectEqual(error.request?.url, shop.server.url("/product"))
    #if canImport(FoundationNetworking)
    // URLSession on Linux keeps the bodies of redirects to itself.
    if status == 301, TransportKind.default == .urlSession { return }
    #endif
    expectEqual(error.response?.value, Data(#"{"why":"because"}"#.utf8))
  }

  @Test("S2-14 S0-36 S1-9 S1-32") func aTransformOfYourOwnGetsTheValidatedResponse() async throws {
    let shop = try Shop()
    shop.serve("/product", "hello")
    struct Oops: Error {}
    let good = SignalRecorder(
      shop.client.enqueue(request: Request(.get, "/product"), transform: { String(decoding: $0.value, as: UTF8.self) }))
    await good.waitForEnd()
    expectEqual(good.values.map(\.value), ["hello"])
    let bad = SignalRecorder(
      shop.client.enqueue(request: Request(.get, "/product"), transform: { _ -> Int in throw Oops() }))
    await bad.waitForEnd()
    expectEqual(bad.failure?.code, .transformFailed)
    expect(bad.failure?.underlying is Oops)
    expectEqual(bad.failure?.response?.value, Data("hello".utf8))
  }

  @Test func aRefusedConnectionIsANetworkError() async throws {
    let shop = try Shop()
    try shop.server.stopForGood()
    let error = try require(await shop.products("/product").failure)
    expectEqual(error.code, .cannotConnect)
    expectNil(error.response)
  }

  @Test("S1-6") func aServerThatIsSilentForTooLongIsANetworkError() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/stuck") { _ in .never }
    let request = Request(.get, "/stuck", options: .with { $0.idleTimeout = .milliseconds(150) })
    let startedAt = ContinuousClock.now
    let recorder = SignalRecorder(shop.client.exchange(request: request))
    await recorder.waitForEnd()
    expect(ContinuousClock.now - startedAt >= .milliseconds(150))
    expectEqual(recorder.failure?.code, .timedOut)
    expectNil(recorder.failure?.statusCode)
    await expect(shop.server.wait { $0.openConnectionCount == 0 })
  }

  @Test func aBodyThatIsCutIsANetworkErrorWithWhatHadCome() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/cut") { _ in
      .script([.text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789"), .delay(.milliseconds(50)), .close])
    }
    let recorder = SignalRecorder(shop.client.exchange(request: "/cut"))
    await recorder.waitForEnd()
    let error = try require(recorder.failure)
    expectEqual(error.domain, .network)
    expectEqual(error.response?.statusCode, 200)
    expectEqual(error.response?.value, Data("0123456789".utf8))
  }

  @Test("S2-21") func aMonitorWritesALineForEachValue() async throws {
    let lines = Log<String>()
    let shop = try Shop { $0.monitors = [ConsoleMonitor { lines.add($0) }] }
    shop.serve("/list", #"[{"id":1,"name":"A"},{"id":2,"name":"B"},{"id":3,"name":"C"}]"#)
    let pages = shop.client.enqueue(request: "/list", resultType: Product.self)
    let recorder = SignalRecorder(pages.concat(pages))
    await recorder.waitForEnd()
    expectEqual(recorder.values.count, 6)
    expectEqual(lines.entries.count { $0.contains("=> 200") }, 6)
  }

  @Test("S2-21") func aMonitorSeesTheAddressAndTheStatusOnce() async throws {
    let lines = Log<String>()
    let shop = try Shop { $0.monitors = [ConsoleMonitor { lines.add($0) }] }
    shop.serve("/product", #"{"id":1,"name":"Lamp"}"#)
    _ = await shop.products("/product?token=secret")
    let delivered = lines.entries.filter { $0.contains("=> 200") }
    expectEqual(delivered.count, 1)
    expectEqual(delivered.first?.hasPrefix("\(shop.server.url("/product"))?… => 200 (request "), true)
    expect(!lines.entries.joined().contains("secret"))
  }

  @Test("S2-19") func aResponseWithoutContentIsAnEmptyBody() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/nothing") { _ in .status(204) }
    let nothing = await shop.products("/nothing", as: NoContent.self)
    expectEqual(nothing.values.map(\.statusCode), [204])
    expect(nothing.isCompleted)
    let optional = await shop.products("/nothing", as: Product?.self)
    expectEqual(optional.values.map(\.value), [nil])
    expect(optional.isCompleted)
    await expectEqual(shop.products("/nothing").failure?.code, NetworkError.Code.emptyBody)
  }

  @Test("P10") func aRequestWithoutAnAnswerFailsAndIsNoted() async {
    let stub = StubTransport()
    stub.on(.get, "/a", .json("1"))
    let client = NetworkClient(.init(baseURL: URL(string: "https://a.example"), transport: stub))
    let recorder = SignalRecorder(client.exchange(request: "/b"))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .unexpectedRequest)
    expectEqual(recorder.failure?.code, NetworkError.Code(.client, 690))
    expectEqual(stub.unexpectedRequests.map(\.url.path), ["/b"])
  }
}

extension RequestBody {
  fileprivate var isEmpty: Bool { if case .empty = self { true } else { false } }
}
