import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// The samples of Docs/Services.md about connections.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct ConnectionSamples {
  @Test func trustIsASettingOfTheTransport() throws {
    let key = Data(count: 32).base64EncodedString()
    let (current, backup) = (key, key)
    // sample: trust
    var settings = TransportSettings()
    settings.trust.additionalAuthorities = [URL(fileURLWithPath: "/etc/company/ca.pem")]
    settings.trust.pinnedKeys = ["api.example.com": [current, backup]]
    settings.trust.minimumTLSVersion = .tls13
    // end sample
    #expect(throws: NetworkError.self) { try CurlTransport(settings) }
    settings.trust.additionalAuthorities = []
    _ = try CurlTransport(settings)
  }

  @Test func connectionsAreKeptForATime() throws {
    let proxyURL = try require(URL(string: "http://proxy.example:3128"))
    // sample: connections
    var settings = TransportSettings(concurrencyLimit: 64, concurrencyLimitPerHost: 8)
    settings.maximumConnectionIdleTime = .seconds(50)
    settings.maximumConnectionLifetime = .seconds(600)
    settings.tcpKeepAlive = .seconds(30)
    settings.proxy = .server(proxyURL, except: ["intern.example", "10.0.0.0/8", "[::1]:8080"])
    let transport = try CurlTransport(settings)
    // end sample
    expect(transport.usesNetwork)
  }

  @Test func aUnixSocketTakesAllRequests() throws {
    // sample: unix-socket
    var settings = TransportSettings()
    settings.unixSocketPath = "/var/run/docker.sock"
    let docker = NetworkClient(
      .init(baseURL: URL(string: "http://localhost/v1.43"), transport: try CurlTransport(settings)))
    // end sample
    withExtendedLifetime(docker) {}
  }

  @Test func aConnectionIsMadeByARequest() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/health") { _ in .status(204) }
    server.route("GET", "/search") { _ in .json("[]") }
    let client = NetworkClient(.init(baseURL: server.baseURL, transport: try CurlTransport()))
    // sample: prewarm
    client.enqueue(request: Request(.head, "/health")).subscribe(onValue: { _ in }, onFailure: { _ in })
    // end sample
    await server.wait { $0.requests.count == 1 }
    expectEqual(server.log.requests.first?.method, "HEAD")
  }

  @Test func digestIsAnswered() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/status") { request in
      let isAnswered = request.header("Authorization")?.hasPrefix("Digest username=\"ada\"") == true
      let challenge = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"
      return isAnswered ? .text("ready") : .status(401).header("WWW-Authenticate", challenge)
    }
    let printerURL = server.baseURL
    let password = "sesame"
    // sample: digest
    let origins = Set([printerURL].compactMap { Origin($0) })
    let transport = DigestTransport(try CurlTransport(), origins: origins) { (user: "ada", password: password) }
    let printer = NetworkClient(.init(baseURL: printerURL, transport: transport))
    let status = try await printer.enqueue(request: "/status").value()
    // end sample
    expectEqual(status.value, Data("ready".utf8))
  }
}
