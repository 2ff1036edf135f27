import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The explanations of scripted runs over a real socket, compared with files that were read and found right.
///
/// `HELIOGRAPH_GOLDEN=write` writes the files anew; read what has changed before you keep it.
@Suite(.enabled(if: CurlTransport.isAvailable))
struct ExplanationFlowTests {
  private static let isWriting = ProcessInfo.processInfo.environment["HELIOGRAPH_GOLDEN"] == "write"
  private static let folder = Repository.fixture("explanations")

  /// The last report of a request.
  private final class Reports: Monitor {
    let last = CurrentValue<RequestReport?>(nil)

    func observe(_ event: MonitorEvent) { if case .ended(let report) = event { last.value = report } }
  }

  private struct Books: Service {
    let address: URL
    let id: ServiceID = "books"
    let headers: HTTPHeaders = ["X-Shop": "books"]
    let common = [CommonParameters("app", ["channel": "store"], headers: ["X-Version": "7"])]

    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { ServiceAddresses(address) }
  }

  private let server: LoopbackServer
  private let other: LoopbackServer
  /// Not the default of the platform: the phases in the files are those of libcurl.
  private let transport: any Transport
  private let reports = Reports()
  private let count = CurrentValue(0)

  init() throws {
    server = try LoopbackServer()
    other = try LoopbackServer()
    transport = try TransportKind.curl.transport()
  }

  private func client(
    monitored: Bool = true, _ adjust: (inout NetworkClient.Configuration) -> Void = { _ in }
  ) -> NetworkClient {
    var configuration = NetworkClient.Configuration(
      baseURL: server.baseURL, services: [Books(address: server.baseURL)], transport: transport)
    configuration.headers = ["Accept": "application/json", "X-Client": "tests"]
    configuration.retry = Retry(limit: 2, backoff: .constant(.milliseconds(1)))
    if monitored { configuration.monitors = [reports] }
    adjust(&configuration)
    return NetworkClient(configuration)
  }

  /// Returns the explanation of a request's response or failure.
  private func explain(_ client: NetworkClient, _ request: Request) async -> String {
    do throws(NetworkError) {
      return try await client.send(request, as: JSON.self).explanation
    } catch {
      return error.explanation
    }
  }

  /// Compares a text with its file, without what differs in each run.
  private func expectGolden(_ name: String, _ texts: String...) throws {
    var text = texts.joined(separator: "\n\n-----\n\n") + "\n"
    text = text.replacing(":\(server.port)", with: ":1").replacing(":\(other.port)", with: ":2")
    text = text.replacing(#/ *[0-9]+\.[0-9] ms/#, with: " T ms").replacing(#/request [0-9]+/#, with: "request N")
    // The reason is libcurl's, and differs between its versions.
    text = text.replacing(#/error -1005: .*/#, with: "error -1005").replacing(#/[0-9]+ bytes/#, with: "N bytes")
    let file = Self.folder.appendingPathComponent(name + ".txt")
    if Self.isWriting {
      try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let expected = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    expect(text == expected, "\(name):\n\(text)\n--- and not\n\(expected)")
    expect(!text.contains("s3cret"), "\(name)")
  }

  private struct Renewing: ResponseMapper {
    func map<Value>(_ response: Response<Value>) throws(NetworkError) -> Response<Value> {
      Response(value: response.value, head: response.head, metrics: response.metrics)
    }
  }

  @Test("P12") func aResponseThatAMapperCreatesHasTheDecisionsOfItsRun() async {
    server.route("GET", "/plain") { _ in .json("1") }
    let text = await explain(client { $0.stages.mapper = Renewing() }, Request(.get, "/plain"))
    expect(text.contains("status 200") && text.contains("value delivered"), "\(text)")
  }

  private struct SlowDecoder: BodyDecoder {
    let clock: VirtualScheduler

    func decode<Value: Decodable>(
      _ type: Value.Type, from body: Data, userInfo: [CodingUserInfoKey: any Sendable]
    ) throws -> Value {
      clock.advance(by: .milliseconds(250))
      return try JSONCoding().decode(type, from: body, userInfo: userInfo)
    }
  }

  @Test("P12", arguments: [("[1]", "value delivered"), ("[0]", "attempt failed after 250.0 ms")])
  func readingIsAStepWithItsDuration(_ body: String, _ next: String) throws {
    struct Positive: Decodable {
      init(from decoder: any Decoder) throws {
        guard try decoder.singleValueContainer().decode([Int].self) == [1] else { throw CocoaError(.coderInvalidValue) }
      }
    }
    let clock = VirtualScheduler()
    let stub = StubTransport(scheduler: clock)
    stub.on(.get, "/books", .json(body))
    let client = client {
      $0.transport = stub
      $0.scheduler = clock
      $0.processing = .immediate
      $0.stages.decoder = SlowDecoder(clock: clock)
    }
    let recorder = SignalRecorder(client.enqueue(request: "/books", resultType: Positive.self))
    let text = try require(recorder.values.first?.explanation ?? recorder.failure?.explanation)
    let lines = text.split(separator: "\n").drop { !$0.contains("reading 3 bytes took 250.0 ms") }
    expect(lines.dropFirst().first?.contains(next) == true, "\(text)")
  }

  @Test("P12") func aRetryAfterAnUnavailableService() async throws {
    server.route("GET", "/books") { [count] _ in
      count.modify { $0 += 1 }
      return count.value == 1 ? .status(503) : .json("[1]")
    }
    let client = client { $0.middleware = [.authorization { .just(try? .bearer(token: "s3cret")) }] }
    let request = Request(
      .get, "/books", service: "books", query: ["page": 2, "token": "s3cret"], headers: ["X-Request": "1"])
    try await expectGolden("retry", explain(client, request))
  }

  @Test("P12") func aRedirectToAnotherOriginLosesCredentials() async throws {
    let target = other.url("/target").absoluteString
    server.route("POST", "/moved") { _ in .redirect(to: target, status: 303) }
    other.route("GET", "/target") { _ in .json("1") }
    let request = Request(
      .post, "/moved", headers: ["Authorization": "Bearer s3cret", "X-Note": "a"],
      body: .data(Data("{}".utf8), contentType: "application/json"))
    try await expectGolden("redirect", explain(client(), request))
  }

  @Test("P12") func aCacheMissAHitAndAValidation() async throws {
    server.route("GET", "/fresh") { _ in LoopbackResponse.json("1").header("Cache-Control", "max-age=60") }
    server.route("GET", "/checked") { request in
      let response = request.header("If-None-Match") == nil ? LoopbackResponse.json("1") : .status(304)
      return response.header("ETag", #""a""#).header("Cache-Control", "no-cache")
    }
    let start = Date()
    let client = client {
      $0.cachePolicy = .http
      $0.cache = ResponseCache { start }
    }
    let missed = await explain(client, "/fresh")
    let hit = await explain(client, "/fresh")
    _ = await explain(client, "/checked")
    try await expectGolden("cache", missed, hit, explain(client, "/checked"))
  }

  @Test("P12") func aMissSaysWhichVersionsDiffer() async {
    server.route("GET", "/versioned") { _ in .json("1") }
    let client = client { $0.cache = ResponseCache() }
    let policy = CachePolicy.timeToLive(.seconds(60))
    _ = await explain(client, Request(.get, "/versioned", cache: policy.version(1)))
    let text = await explain(client, Request(.get, "/versioned", cache: policy.version(2)))
    expect(text.contains("cache miss: version 1 ≠ 2\n"), "\(text)")
  }

  @Test("P12") func aTokenRefreshAndCookies() async throws {
    let token = CurrentValue("s3cret-old")
    server.route("POST", "/token") { _ in LoopbackResponse.json("{}").header("Set-Cookie", "session=s3cret; Path=/") }
    server.route("GET", "/account") { request in
      request.header("Authorization") == "Bearer s3cret-new" ? .json("1") : .status(401)
    }
    let cookies = try HTTPCookieStorage.inMemory
    let client = client {
      $0.cookies = cookies
      $0.middleware = [.authorization { .just(try? .bearer(token: token.value)) }]
      $0.recoveries = [
        Recovery { client in
          client.enqueue(request: Request(.post, "/token"), resultType: JSON.self)
            .on(value: { _ in token.value = "s3cret-new" })
        }
      ]
    }
    let account = Request(.get, "/account")
    try await expectGolden("refresh", explain(client, account))
  }

  @Test("P12") func nothingIsSentWithoutANetwork() async throws {
    let client = client {
      $0.baseURL = URL(string: "https://shop.example")
      $0.reachability = ManualReachability(.unreachable)
    }
    try await expectGolden("offline", explain(client, "/books"))
  }

  @Test("P12") func aRequestWaitsForANetwork() async throws {
    let reachability = ManualReachability(.unreachable)
    let stub = StubTransport()
    stub.on(.get, "/books", .json("1"))
    let client = client {
      $0.baseURL = URL(string: "https://shop.example")
      $0.transport = stub
      $0.reachability = reachability
      $0.waitsForConnectivity = true
    }
    let recorder = SignalRecorder(client.enqueue(request: "/books", resultType: JSON.self))
    reachability.set(.reachable)
    await recorder.waitForEnd()
    try expectGolden("waiting", try require(recorder.values.first).explanation)
  }

  @Test func aSharedExchangeIsNamed() async throws {
    let (opened, gate) = AsyncStream.makeStream(of: Void.self)
    server.route("GET", "/books") { _ in
      for await _ in opened { break }
      return .json("1")
    }
    let client = client()
    let request = Request(.get, "/books", options: .with { $0.isCoalesced = true })
    let first = SignalRecorder(client.enqueue(request: request, resultType: JSON.self))
    let second = SignalRecorder(client.enqueue(request: request, resultType: JSON.self))
    gate.yield()
    await first.waitForEnd()
    await second.waitForEnd()
    let text = try require(second.values.first).explanation
    expect(text.contains("status 200, from the exchange of an identical request"), "\(text)")
  }

  @Test func aStoredResponseAndThatOfTheNetworkAreTwoSteps() async throws {
    server.route("GET", "/books") { _ in .json("1") }
    let client = client {
      $0.cachePolicy = .cacheThenNetwork
      $0.cache = ResponseCache()
    }
    _ = await explain(client, "/books")
    let recorder = SignalRecorder(client.enqueue(request: "/books", resultType: JSON.self))
    await recorder.waitForEnd()
    let (stored, network) = (recorder.values.first?.explanation ?? "", recorder.values.last?.explanation ?? "")
    expect(stored.contains("cache policy onlyIfCached") && !stored.contains("cache policy refresh"), "\(stored)")
    expect(network.contains("cache policy onlyIfCached") && network.contains("cache policy refresh"), "\(network)")
  }

  @Test("P12") func anErrorOfTheServiceIsNoFaultOfTheServer() async throws {
    server.route("GET", "/order") { _ in .json(#"{"code":1004,"msg":"sold out","data":null}"#) }
    let client = client { $0.stages.envelope = KeyedEnvelope(code: "code", message: "msg", payload: "data") }
    try await expectGolden("business", explain(client, "/order"))
  }

  @Test("P12") func anUnsafeRequestIsNotRepeated() async throws {
    server.route("POST", "/orders") { _ in .status(503) }
    try await expectGolden("unsafe", explain(client(), Request(.post, "/orders")))
  }

  @Test("P12") func aLostConnectionHasItsEvidence() async throws {
    server.route("GET", "/cut") { _ in LoopbackResponse.json("[1,2,3]").cut(afterBodyByteCount: 2) }
    try await expectGolden("lost", explain(client { $0.retry = .never }, "/cut"))
  }

  @Test("P12") func anAbsoluteURLOfAnotherOriginGetsNoAdditions() async throws {
    other.route("GET", "/news") { _ in .json("1") }
    let path = RequestPath(other.url("/news?token=s3cret").absoluteString)
    try await expectGolden("cross-origin", explain(client(), Request(.get, path)))
  }

  @Test("P12") func aCancelledRequestIsExplainedByItsReport() async throws {
    server.route("GET", "/held") { _ in .never }
    let request = Request(.get, "/held", idleTimeout: .seconds(3_600))
    let recorder = SignalRecorder(client().enqueue(request: request, resultType: JSON.self))
    await server.wait { $0.requests.count == 1 }
    recorder.dispose()
    try expectGolden("cancelled", try require(reports.last.value).explanation)
  }

  @Test("P12") func withoutMonitorsTheResultAloneIsExplained() async throws {
    server.route("GET", "/books") { [count] _ in
      count.modify { $0 += 1 }
      return count.value == 1 ? .status(503) : .json("[1]")
    }
    let response = try await client(monitored: false).send("/books", as: JSON.self)
    expectNil(response.history)
    expectNil(response.request?.context.provenance)
    let failure = await explain(client(monitored: false) { $0.retry = .never }, "/absent")
    try expectGolden("unmonitored", response.explanation, failure)
  }

  @Test func theReportHasTheExplanationOfTheResult() async throws {
    server.route("GET", "/books") { _ in .json("[1]") }
    let response = try await client().send("/books", as: JSON.self)
    let report = try require(reports.last.value)
    expect(report.explanation.contains("attempt succeeded"))
    expect(response.explanation.contains("value delivered"))
    let hurried = client { $0.retry = .never }
    let error = await explain(hurried, "/absent")
    expect(error.contains("not retried: the limit of retries is 0"))
    expect(reports.last.value?.explanation.contains("Attribution: client") == true)
  }
}
