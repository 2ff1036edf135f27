import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// The samples of the article SecurityGuide.
struct SecurityGuideSamples {
  private let apiURL = URL(string: "https://api.example.com")

  @Test func pins() throws {
    let current = Data(repeating: 1, count: 32).base64EncodedString()
    let backup = Data(repeating: 2, count: 32).base64EncodedString()
    // sample: security-pins
    var trust = Trust()
    trust.pinnedKeys = ["api.example.com": [current, backup]]  // SHA-256 of the public keys, in base64
    #if !os(Linux)
    let transport = URLSessionTransport(trust: trust)
    #else
    var settings = TransportSettings()
    settings.trust = trust
    let transport = try CurlTransport(settings)
    #endif
    let client = NetworkClient(baseURL: apiURL) { $0.transport = transport }
    // end sample
    expectEqual(trust.pinnedKeys.count, 1)
    expectEqual(client.configuration.baseURL, apiURL)
  }

  @Test func originsAndSecrets() throws {
    // sample: security-origins
    let client = NetworkClient(baseURL: apiURL) {
      $0.headers["X-App-Key"] = "k"
      $0.trustedOrigins = [Origin(host: "images.example.com")]
    }
    let own = try client.httpRequest(for: "https://api.example.com/orders")  // with X-App-Key
    let trusted = try client.httpRequest(for: "https://images.example.com/1.png")  // with X-App-Key
    let other = try client.httpRequest(for: "https://elsewhere.example/1.png")  // without
    // end sample
    expectEqual([own, trusted, other].map { $0.headers["X-App-Key"] }, ["k", "k", nil])
    HTTPHeaders.addSecretNames("X-App-Key")
    let headers: HTTPHeaders = ["X-App-Key": "k"]
    print(headers)  // X-App-Key: <redacted>
    expectEqual("\(headers)", "X-App-Key: <redacted>")
  }
}
