import Foundation
import Heliograph
import HeliographTesting
import Testing

/// The shared client and registry, and that nobody needs them.
@Suite struct SharedTests {
  private struct Site: Service {
    let id: ServiceID
    let url: URL

    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { ServiceAddresses(url) }
  }

  private func outcome(_ client: NetworkClient, _ request: Request) async -> SignalRecorder<Response<Int>, NetworkError>
  {
    let recorder = SignalRecorder(client.enqueue(request: request, resultType: Int.self))
    await recorder.waitForEnd()
    return recorder
  }

  @Test("S0-25") func theSharedClientKnowsTheSharedServices() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/a") { _ in .json("7") }
    let id = ServiceID(rawValue: "shared-\(UUID().uuidString)")
    let request = Request(.get, "/a", service: id)
    #expect(await outcome(.shared, request).failure?.code == .unknownService)
    ServiceRegistry.shared.register(Site(id: id, url: server.baseURL))
    #expect(try ServiceRegistry.shared.service(id).id == id)
    #expect(await outcome(.shared, request).values.map(\.value) == [7])
    // Any client that is not given services of its own knows them, too.
    #expect(await outcome(NetworkClient(.init()), request).values.map(\.value) == [7])
  }

  @Test("S0-25") func whatIsInjectedStaysApart() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/a") { _ in .json("7") }
    let own = ServiceID(rawValue: "own-\(UUID().uuidString)")
    let shared = ServiceID(rawValue: "shared-\(UUID().uuidString)")
    ServiceRegistry.shared.register(Site(id: shared, url: server.baseURL))
    let client = NetworkClient(.init(services: [Site(id: own, url: server.baseURL)]))
    #expect(await outcome(client, Request(.get, "/a", service: own)).values.map(\.value) == [7])
    #expect(await outcome(client, Request(.get, "/a", service: shared)).failure?.code == .unknownService)
    #expect(await outcome(.shared, Request(.get, "/a", service: own)).failure?.code == .unknownService)
    #expect(throws: NetworkError.self) { try ServiceRegistry.shared.service(own) }
  }

  @Test("S0-25") func theBuilderNeedsNoClient() throws {
    let builder = RequestBuilder(baseURL: URL(string: "https://a.example/v1"), headers: ["X-App": "1"])
    let built = try builder.build(Request(.get, "/lamps", parameters: ["page": 2]))
    #expect(built.url.absoluteString == "https://a.example/v1/lamps?page=2")
    #expect(built.headers["X-App"] == "1")
  }

  /// What a request must say is its method and its path; a new member with no default would not compile here.
  @Test("S0-24") func allElseOfARequestHasADefault() throws {
    let request = Request(.get, "https://a.example/")
    #expect(request.service == nil && request.query.isEmpty && request.parameters.isEmpty && request.headers.isEmpty)
    let options = RequestOptions()
    #expect(
      options.idleTimeout == nil && options.totalTimeout == nil && options.common == nil && options.placement == nil)
    #expect(options.stages == nil && options.retry == nil && options.parameterRules == nil && options.filters == nil)
    #expect(options.isSigned && options.signer == nil && options.middleware.isEmpty && options.presentation == nil)
    let built = try RequestBuilder().build(request)
    #expect(built == HTTPRequest(url: try #require(URL(string: "https://a.example/"))))
  }
}
