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
      settings.trust.identity = Trust.Identity(certificate: certificate, key: key, passphrase: nil)
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

  @Test(.timeLimit(.minutes(1))) func aTaskThatIsCancelledEndsItsStream() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/export") { _ in
      .script([.text("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\none\n"), .hold])
    }
    let client = NetworkClient(baseURL: server.baseURL)
    let lines = Guarded<[String]>([])
    let store: @Sendable (String) async throws -> Void = { line in lines.withLock { $0.append(line) } }
    // sample: server-work
    let work = Task {
      for try await line in client.lines(request: "/export").values { try await store(line) }
    }
    // end sample
    while lines.withLock({ $0.isEmpty }) { await Task.yield() }
    // sample: server-end
    work.cancel()  // in the handler of SIGTERM
    _ = await work.result  // now nothing is in flight
    // end sample
    expectEqual(lines.withLock { $0 }, ["one"])
    await expect(server.wait { $0.openConnectionCount == 0 })
  }
}
