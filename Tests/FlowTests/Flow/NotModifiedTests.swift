import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A 304 says that nothing has changed, to a request that has asked whether.
struct NotModifiedTests {
  private struct Conditional: Middleware {
    let field: String?

    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      var request = request
      if let field { request.headers[field] = "x" } else { request.headers["If-None-Match"] = nil }
      return next(request)
    }
  }

  private func shop(_ kind: TransportKind, _ middleware: [any Middleware] = []) throws -> Shop {
    let shop = try Shop(transport: try kind.transport()) { $0.middleware = middleware }
    shop.server.route("GET", "/product") { _ in .status(304).header("ETag", "\"v1\"") }
    return shop
  }

  @Test("S2-5", arguments: TransportKind.present) func oneThatNobodyAskedForIsTheServersError(
    _ kind: TransportKind
  ) async throws {
    let shop = try shop(kind)
    let forms: [Signal<Void, NetworkError>] = [
      shop.client.enqueue(request: "/product", resultType: Product.self).map { _ in },
      shop.client.enqueue(request: Request(.get, "/product"), transform: { $0.value }).map { _ in },
      shop.client.upload(request: Request(.get, "/product"), resultType: Product.self).map { _ in },
      shop.client.download(request: "/product").map { _ in },
    ]
    for form in forms {
      let recorder = SignalRecorder(form)
      await recorder.waitForEnd()
      let error = try require(recorder.failure)
      expectEqual(error.code, .status(304))
      expectEqual(error.attribution.party, .server)
      expectEqual(error.statusCode, 304)
      expectEqual(error.request?.url, shop.server.url("/product"))
    }
    // Uninterpreted it is a response like any other.
    let raw = SignalRecorder(shop.client.exchange(request: "/product"))
    await raw.waitForEnd()
    expectEqual(raw.values.map(\.statusCode), [304])
  }

  @Test("S2-5 T5", arguments: TransportKind.present, ["If-None-Match", "if-modified-since"])
  func oneThatWasAskedForIsACompletion(_ kind: TransportKind, _ field: String) async throws {
    let shop = try shop(kind)
    let recorder = SignalRecorder(
      shop.client.enqueue(request: Request(.get, "/product", headers: [field: "x"]), resultType: Product.self))
    await recorder.waitForEnd()
    expect(recorder.values.isEmpty)
    expect(recorder.isCompleted)
  }

  /// What counts is the request as it is sent.
  @Test("S2-5") func middlewareMayAskOrNot() async throws {
    let asking = try shop(.urlSession, [Conditional(field: "If-None-Match")])
    let first = SignalRecorder(asking.client.enqueue(request: "/product", resultType: Product.self))
    await first.waitForEnd()
    expect(first.values.isEmpty)
    expect(first.isCompleted)
    let silent = try shop(.urlSession, [Conditional(field: nil)])
    let request = Request(.get, "/product", headers: ["If-None-Match": "x"])
    let second = SignalRecorder(silent.client.enqueue(request: request, resultType: Product.self))
    await second.waitForEnd()
    expectEqual(second.failure?.code, .status(304))
  }
}
