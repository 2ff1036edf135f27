import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// The samples of the article Connections.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct ConnectionSamples {
  @Test func connectionsAreKeptForATime() throws {
    let (proxyURL, password) = (try require(URL(string: "http://proxy.example:3128")), "secret")
    // sample: connections-settings
    var settings = TransportSettings(concurrencyLimitPerHost: 8)
    settings.maximumConnectionIdleTime = .seconds(50)
    settings.maximumConnectionLifetime = .seconds(600)
    settings.tcpKeepAlive = .seconds(30)
    settings.proxy = .server(
      proxyURL, user: "ada", password: password, except: ["intern.example", "10.0.0.0/8", "[::1]:8080"])
    let transport = try CurlTransport(settings)
    // end sample
    expect(transport.usesNetwork)
  }

  @Test func aUnixSocketTakesAllRequests() throws {
    // sample: connections-unix-socket
    var settings = TransportSettings()
    settings.unixSocketPath = "/var/run/docker.sock"
    let docker = NetworkClient(
      .init(baseURL: URL(string: "http://localhost/v1.43"), transport: try CurlTransport(settings)))
    // end sample
    withExtendedLifetime(docker) {}
  }
}
