import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A part of a download is continued by the same account, in the same environment, for the same service only.
struct DownloadIdentityTests {
  private typealias Recorder = SignalRecorder<Transfer<Response<URL>>, NetworkError>

  private let server: LoopbackServer
  private let content = RangedContent(RangedContent.bytes(1_500_000))
  private let folder: DownloadFolder
  private var starts: [Int?] { server.log.requests.map(\.rangeStart) }

  init() throws {
    server = try LoopbackServer()
    folder = try DownloadFolder()
    let content = content
    server.route("GET", "/film") { content.serve($0) }
  }

  /// Begins a download whose connection is cut, and returns whether it continued a part.
  private func isContinued(_ client: NetworkClient, _ service: ServiceID) async throws -> Bool {
    let request = Request(.get, "/film", service: service, options: .with { $0.common = [] })
    let recorder = Recorder(client.download(request: request, to: folder.file(), options: .with { $0.id = "film-17" }))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.domain, .network)
    expectEqual(folder.names, ["film.part", "film.part.journal"])
    return try require(starts.last) != nil
  }

  @Test("P9") func aPartBelongsToItsEnvironment() async throws {
    content.change { $0.cut = 700_000 }
    let environments = EnvironmentStore(build: .test, choices: [.test, .release], storage: .memory())
    let client = NetworkClient(baseURL: nil) {
      $0.services = ServiceRegistry([Bookshop(addresses: ServiceAddresses(server.baseURL))])
      $0.environments = environments
    }
    try await expect(!isContinued(client, "books"))
    try environments.switch(to: .release)
    try await expect(!isContinued(client, "books"))
    try await expect(isContinued(client, "books"))
    try environments.switch(to: .test)
    try await expect(!isContinued(client, "books"))
  }

  @Test("P9") func anEmptyAccountIsNotTheLackOfOne() async throws {
    content.change { $0.cut = 700_000 }
    let account = CurrentValue<String?>(nil)
    let client = NetworkClient(baseURL: nil) {
      $0.services = ServiceRegistry([Bookshop(addresses: ServiceAddresses(server.baseURL))])
      $0.account = account
    }
    try await expect(!isContinued(client, "books"))
    account.value = ""
    try await expect(!isContinued(client, "books"))
    try await expect(isContinued(client, "books"))
  }

  private struct Stamped: Service {
    let id: ServiceID = "stamped"
    let url: URL
    let signer: (any Signer)? = HMACSigner(key: Data("secret".utf8))
    var ignoredParameters: Set<String> { ["t"] }

    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { ServiceAddresses(url) }
  }

  /// A time that differs each time, and a signature, are no part of the identity.
  @Test("P8") func aPartIsContinuedDespiteParametersThatDiffer() async throws {
    content.change { $0.cut = 700_000 }
    let client = NetworkClient(baseURL: nil) { $0.services = ServiceRegistry([Stamped(url: server.baseURL)]) }
    for (time, film) in [(1, 7), (2, 7), (3, 8)] {
      let request = Request(.get, "/film", service: "stamped", query: ["t": time, "film": film])
      await Recorder(client.download(request: request, to: folder.file())).waitForEnd()
    }
    expectEqual(starts.map { $0 == nil }, [true, false, true])
  }

  private struct Counting: RequestFilter {
    let count: CurrentValue<Int>

    func filter(_ draft: inout RequestDraft) throws(NetworkError) { count.modify { $0 += 1 } }
  }

  /// Without an identifier, the URL that the filters leave is the identity of the content.
  @Test("S1-25", arguments: ["film-17", nil]) func filtersRunOnceMoreForTheIdentityOfAPart(_ id: String?) async throws {
    let count = CurrentValue(0)
    let client = NetworkClient(baseURL: server.baseURL) { $0.filters = [Counting(count: count)] }
    await Recorder(client.download(request: "/film", to: folder.file(), options: .with { $0.id = id })).waitForEnd()
    expectEqual(count.value, id == nil ? 2 : 1)
  }

  @Test("P9") func aPartBelongsToItsService() async throws {
    content.change { $0.cut = 700_000 }
    let addresses = ServiceAddresses(server.baseURL)
    let client = NetworkClient(baseURL: nil) {
      $0.services = ServiceRegistry([Bookshop(addresses: addresses), Bookshop(id: "papers", addresses: addresses)])
    }
    try await expect(!isContinued(client, "books"))
    try await expect(!isContinued(client, "papers"))
    try await expect(isContinued(client, "papers"))
    try await expect(!isContinued(client, "books"))
  }

  @Test("P8 P9") func aPartBelongsToItsAccount() async throws {
    let account = CurrentValue<String?>("ann")
    let body = content.data
    // The connection stays open after the first half.
    content.change { state in
      state.other = { request in
        guard request.rangeStart == nil else { return nil }
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\nETag: \"one\"\r\n\r\n"
        return .script([.text(head), .bytes(body.prefix(700_000)), .hold])
      }
    }
    var configuration = NetworkClient.Configuration(
      baseURL: server.baseURL, transport: try TransportKind.default.transport())
    configuration.account = account
    configuration.idleTimeout = .seconds(3_600)
    let client = NetworkClient(configuration)
    let first = Recorder(client.download(request: "/film", to: folder.file()))
    await until { ((try? Data(contentsOf: folder.file("film.part")))?.count ?? 0) > 300_000 }
    account.value = "ben"
    await first.waitForEnd()
    expectEqual(first.failure?.code, .contextChanged)
    // The other account does not continue it, the same one does.
    content.change { $0.other = { _ in .status(503) } }
    let other = Recorder(client.download(request: "/film", to: folder.file("film")))
    await other.waitForEnd()
    expectEqual(other.failure?.code, .status(503))
    expectEqual(starts.count, 2)
    expectNil(starts[1])
    account.value = "ann"
    content.change { $0.other = nil }
    let again = Recorder(client.download(request: "/film", to: folder.file()))
    await again.waitForEnd()
    expect(again.isCompleted)
    expect((starts.last ?? nil) ?? 0 > 0)
  }
}
