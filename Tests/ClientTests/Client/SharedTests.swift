import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

extension NetworkClient {
  /// As an app declares it, configured once.
  fileprivate static let shared = NetworkClient(.init(idleTimeout: .seconds(20)))
}

/// A shared client, which an app declares, and the shared registry, and that nobody needs them.
struct SharedTests {
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

  @Test("S0-25 S0-10") func theSharedClientKnowsTheSharedServices() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/a") { _ in .json("7") }
    let id = ServiceID(rawValue: "shared-\(UUID().uuidString)")
    let request = Request(.get, "/a", service: id)
    await expectEqual(outcome(.shared, request).failure?.code, .unknownService)
    ServiceRegistry.shared.register(Site(id: id, url: server.baseURL))
    try expectEqual(ServiceRegistry.shared.service(id).id, id)
    await expectEqual(outcome(.shared, request).values.map(\.value), [7])
    // Any client that is not given services of its own knows them, too.
    await expectEqual(outcome(NetworkClient(.init()), request).values.map(\.value), [7])
  }

  @Test("S0-25 S4-16") func whatIsInjectedStaysApart() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/a") { _ in .json("7") }
    let own = ServiceID(rawValue: "own-\(UUID().uuidString)")
    let shared = ServiceID(rawValue: "shared-\(UUID().uuidString)")
    ServiceRegistry.shared.register(Site(id: shared, url: server.baseURL))
    let client = NetworkClient(.init(services: [Site(id: own, url: server.baseURL)]))
    await expectEqual(outcome(client, Request(.get, "/a", service: own)).values.map(\.value), [7])
    await expectEqual(outcome(client, Request(.get, "/a", service: shared)).failure?.code, .unknownService)
    await expectEqual(outcome(.shared, Request(.get, "/a", service: own)).failure?.code, .unknownService)
    let error = #expect(throws: NetworkError.self) { try ServiceRegistry.shared.service(own) }
    expectEqual(error?.code, .unknownService)
  }

  @Test("S0-25") func theBuilderNeedsNoClient() throws {
    let builder = RequestBuilder(baseURL: URL(string: "https://a.example/v1"), headers: ["X-App": "1"])
    let built = try builder.build(Request(.get, "/lamps", parameters: ["page": 2]))
    expectEqual(built.url.absoluteString, "https://a.example/v1/lamps?page=2")
    expectEqual(built.headers["X-App"], "1")
  }

  /// What a request must say is its method and its path; a new member with no default would not compile here.
  @Test("S0-24") func allElseOfARequestHasADefault() throws {
    let request = Request(.get, "https://a.example/")
    expectNil(request.service)
    expect(request.query.isEmpty)
    expect(request.parameters.isEmpty)
    expect(request.headers.isEmpty)
    let options = RequestOptions()
    expectNil(options.idleTimeout)
    expectNil(options.totalTimeout)
    expectNil(options.common)
    expectNil(options.placement)
    expectNil(options.stages.envelope)
    expectNil(options.retry)
    expectNil(options.parameterRules)
    expectNil(options.filters)
    expect(options.isSigned)
    expectNil(options.signer)
    expect(options.middleware.isEmpty)
    expectNil(options.presentation)
    let built = try RequestBuilder().build(request)
    expectEqual(built, HTTPRequest(url: try require(URL(string: "https://a.example/"))))
  }

  /// As the guides name them; those of a cache are in `CacheDiskTests`, that of dialogs in `ErrorPresenterTests`.
  @Test func theDefaultsAreThoseOfTheGuides() {
    expectEqual(
      ResponseLimits(),
      ResponseLimits(
        headerByteCount: 262_144, bodyByteCount: 268_435_456, streamedByteCount: nil, lineByteCount: 16_777_216))
    let (configuration, settings) = (NetworkClient.Configuration(), TransportSettings())
    expectEqual(configuration.limits, ResponseLimits())
    expectEqual(configuration.idleTimeout, .seconds(60))
    expectNil(configuration.totalTimeout)
    expectEqual(configuration.redirectLimit, 10)
    expectEqual([Retry().limit, configuration.retry.limit], [2, 0])
    expectEqual([settings.concurrencyLimit, settings.concurrencyLimitPerHost], [64, 64])
    expectEqual(settings.connectTimeout, .seconds(30))
    expectEqual(settings.maximumConnectionIdleTime, .seconds(118))
    expectNil(settings.maximumConnectionLifetime)
  }
}
