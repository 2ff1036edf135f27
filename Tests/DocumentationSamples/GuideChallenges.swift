import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// A sample of the article Authentication: a server whose scheme is unknown beforehand.
struct ChallengeSamples {
  private let server: LoopbackServer
  private let apiURL: URL

  init() throws {
    server = try LoopbackServer()
    apiURL = server.baseURL
  }

  @Test(arguments: [
    ("Basic realm=\"a\"", "Basic"), ("Basic realm=\"Digest users\"", "Basic"),
    ("Digest realm=\"a\", nonce=\"n\", qop=\"auth\"", "Digest"),
    ("Basic realm=\"a\", Digest realm=\"a\", nonce=\"n\", qop=\"auth\"", "Digest"),
    ("Negotiate,Digest realm=\"a\",nonce=\"n\",qop=\"auth\"", "Digest"),
  ])
  func aSchemeThatTheServerChooses(_ challenge: String, _ scheme: String) async throws {
    let password = "secret"
    server.route("GET", "/status") {
      $0.header("Authorization") == nil ? .status(401).header("WWW-Authenticate", challenge) : .json("{}")
    }
    // sample: authentication-challenge
    var configuration = NetworkClient.Configuration(baseURL: apiURL)
    let head = try await NetworkClient(configuration).exchange(request: "/status").value().head
    let challenges = head.headers.values(for: "WWW-Authenticate").joined(separator: ",")
    if challenges.contains(/(^|,)\s*Digest\s/.ignoresCase()) {
      let origins = Set([Origin(apiURL)].compactMap { $0 })
      configuration.transport = DigestTransport(configuration.transport, origins: origins) {
        (user: "ada", password: password)
      }
    } else if challenges.contains(/(^|,)\s*Basic\s/.ignoresCase()) {
      configuration.middleware = [.basic(user: "ada", password: password)]
    }
    let client = NetworkClient(configuration)
    // end sample
    _ = try await client.send("/status", as: NoContent.self)
    expectEqual(server.log.requests.last?.header("Authorization")?.hasPrefix(scheme), true)
  }
}
