import Foundation
import HeliographTesting
import Testing

@testable import Heliograph

/// Which challenge is answered, and with which client nonce.
@Suite struct DigestNonceTests {
  private let request: HTTPRequest

  init() throws { request = HTTPRequest(url: try #require(URL(string: "https://a.example/secret"))) }

  private func transport(_ next: any Transport) -> DigestTransport {
    DigestTransport(next, origins: [Origin(host: "a.example")]) {
      try? DigestCredentials(user: "ada", password: "sesame")
    }
  }

  private static func challenge(_ nonce: String, _ algorithm: String = "SHA-256") -> HTTPHeaders {
    ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"\(nonce)\", qop=\"auth\", algorithm=\(algorithm)"]
  }

  private static func answer(of request: HTTPRequest) -> [String: String]? {
    request.headers["Authorization"].map { AuthenticationChallenge.parameters(in: String($0.dropFirst(7))) }
  }

  /// Each 401 has a nonce of its own, which is valid for one answer with the count 1.
  @Test func concurrentRequestsAnswerTheirOwnChallenges() async {
    let clock = VirtualScheduler()
    let stub = StubTransport(scheduler: clock)
    let unanswered = Guarded<Set<String>>([])
    stub.on(.get, "/secret") { request -> StubAnswer in
      if let answer = Self.answer(of: request) {
        let isValid = unanswered.withLock { $0.remove(answer["nonce"] ?? "") != nil }
        return .status(isValid && answer["nc"] == "00000001" ? 200 : 401)
      }
      let nonce = UUID().uuidString
      unanswered.withLock { _ = $0.insert(nonce) }
      // All are sent before the first challenge, and all are challenged before the first answer.
      return StubAnswer([
        .delay(.seconds(1)), .head(status: 401, headers: Self.challenge(nonce)), .delay(.seconds(1)),
        .body(Data("who is it?".utf8)),
      ])
    }
    let digest = transport(stub)
    let recorders = (0..<8).map { _ in SignalRecorder(digest.send(request)) }
    #expect(stub.requests.count == 8)
    clock.advance(by: .seconds(1))
    clock.advance(by: .seconds(1))
    for recorder in recorders {
      await recorder.waitForEnd()
      #expect(recorder.values.head?.statusCode == 200)
      #expect(recorder.violations.isEmpty)
    }
    #expect(stub.requests.count == 16)
    #expect(unanswered.withLock { $0.isEmpty })
  }

  /// The key of a session is computed from its first nonce and its first client nonce (RFC 7616 §3.4.2).
  @Test(arguments: ["MD5", "SHA-256", "MD5-sess", "SHA-256-sess"])
  func aSessionKeepsBothNonces(_ algorithm: String) {
    let stub = StubTransport()
    stub.on(.get, "/secret") { request -> StubAnswer in
      guard let nonce = Self.answer(of: request)?["nonce"] else {
        return .status(401, headers: Self.challenge("n", algorithm))
      }
      return .status(200, headers: ["Authentication-Info": "nextnonce=\"\(nonce)+\""])
    }
    let digest = transport(stub)
    for _ in 0..<3 {
      let recorder = SignalRecorder(digest.send(request))
      #expect(recorder.isCompleted)
      #expect(recorder.values.head?.statusCode == 200)
    }
    let answers = stub.requests.compactMap { Self.answer(of: $0) }
    #expect(stub.requests.count == 4)
    #expect(answers.count == 3)
    let (nonces, counts) = (answers.compactMap { $0["nonce"] }, answers.compactMap { $0["nc"] })
    let clientNonces = Set(answers.compactMap { $0["cnonce"] })
    if algorithm.hasSuffix("-sess") {
      #expect(nonces == ["n", "n", "n"])
      #expect(counts == ["00000001", "00000002", "00000003"])
      #expect(clientNonces.count == 1)
    } else {
      #expect(nonces == ["n", "n+", "n++"])
      #expect(counts == ["00000001", "00000001", "00000001"])
      #expect(clientNonces.count == 3)
    }
  }
}
