import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// A service that decrypts in its middleware, before every stage.
struct DecryptingMiddlewareTests {
  private struct Cipher: Middleware {
    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      next(request).map { event in
        if case .body(let data) = event { .body(Data(data.map { $0 ^ 0x5A })) } else { event }
      }
    }
  }

  private struct NotEmpty: Validator {
    func validate(_ response: Response<Data>) throws(NetworkError) {
      if response.value.first != UInt8(ascii: "{") { throw NetworkError(.unexpectedShape) }
    }
  }

  private struct Vault: Service {
    let url: URL
    let middleware: [any Middleware] = [Cipher()]
    let stages = Stages(validators: [NotEmpty()])

    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { ServiceAddresses(url) }
  }

  @Test("S0-18") func everyStageAndTypeGetsTheClearText() async throws {
    let clear = #"{"id":7}"#
    let server = try LoopbackServer()
    server.route("GET", "/x") { _ in .data(Data(clear.utf8.map { $0 ^ 0x5A })) }
    let client = NetworkClient(.init(services: [Vault(url: server.baseURL)]))
    let request = Request(.get, "/x", service: "Vault")
    try await expectEqual(client.value(of: request, as: [String: Int].self), ["id": 7])
    try await expectEqual(client.value(of: request, as: Data.self), Data(clear.utf8))
    try await expectEqual(client.value(of: request, as: String.self), clear)
    let counted = SignalRecorder(client.enqueue(request: request) { String(decoding: $0.value, as: UTF8.self) })
    await counted.waitForEnd()
    expectEqual(counted.values.map(\.value), [clear])
  }
}
