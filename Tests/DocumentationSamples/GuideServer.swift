import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// The samples of the article OnAServer.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct ServerGuideSamples {
  @Test func aClientOfAnotherService() throws {
    let (baseURL, missing) = (URL(string: "https://api.example.com"), URL(fileURLWithPath: "/missing.pem"))
    let (authorities, certificate, key) = (missing, missing, missing)
    #expect(throws: NetworkError.self) {
      // sample: server-client
      var settings = TransportSettings(concurrencyLimitPerHost: 8)
      settings.trust.authorities = authorities  // a company's own, instead of the system's
      settings.trust.identities = ["stock.example": Trust.Identity(certificate: certificate, key: key)]
      let breaker = CircuitBreaker(try CurlTransport(settings), failureLimit: 5, cooldown: .seconds(30))
      let client = NetworkClient(baseURL: baseURL) {
        $0.transport = breaker
        $0.retry = Retry(limit: 3)
        $0.totalTimeout = .seconds(30)
      }
      // end sample
      _ = client
    }
  }

  @Test func theProgramChecksItsImage() async throws {
    let server = try LoopbackServer()
    server.route("HEAD", "/health") { _ in .status(204) }
    let baseURL = server.baseURL
    // sample: server-check
    guard CurlTransport.isAvailable else { throw NetworkError(.invalidTransport, reason: "libcurl 7.81 is needed") }
    print("HTTP/2: \(CurlTransport.supportsHTTP2), codings: \(ContentCoding.allCases.filter(\.isSupported))")
    let client = NetworkClient(baseURL: baseURL)
    _ = try await client.value(of: Request(.head, "/health"), as: NoContent.self)  // no certificates: invalidTransport
    // end sample
    expectEqual(server.log.requests.map(\.path), ["/health"])
  }

  private func exporting(from client: NetworkClient, to lines: CurrentValue<[String]>) -> Task<Void, any Error> {
    let store: @Sendable (String) async throws -> Void = { line in lines.modify { $0.append(line) } }
    // sample: server-work
    let export = Request(.get, "/export", totalTimeout: .seconds(Int64.max))  // longer than the client's 30 seconds
    let work = Task {
      for try await line in client.lines(request: export).values { try await store(line) }
    }
    // end sample
    return work
  }

  @Test func theTimeoutOfTheClientDoesNotEndTheExport() async throws {
    let kit = TestKit { $0.totalTimeout = .seconds(30) }
    let (one, two) = (Data("one\n".utf8), Data("two\n".utf8))
    kit.stub.on(.get, "/export", StubAnswer([.head(status: 200), .body(one), .delay(.seconds(31)), .body(two)]))
    let lines = CurrentValue<[String]>([])
    let work = exporting(from: kit.client, to: lines)
    await kit.stub.requested(1)
    await kit.clock.advance(by: .seconds(31))
    try await work.value
    expectEqual(lines.value, ["one", "two"])
  }

  @Test(.timeLimit(.minutes(1))) func aTaskThatIsCancelledEndsItsStream() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/export") { _ in
      .script([.text("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\none\n"), .hold])
    }
    let client = NetworkClient(baseURL: server.baseURL)
    let lines = CurrentValue<[String]>([])
    let work = exporting(from: client, to: lines)
    while lines.value.isEmpty { await Task.yield() }
    // sample: server-end
    work.cancel()  // after SIGTERM
    _ = await work.result  // now nothing is in flight
    // end sample
    expectEqual(lines.value, ["one"])
    await expect(server.wait { $0.openConnectionCount == 0 })
  }
}
