import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

/// Which challenge is answered, and with which client nonce.
struct DigestNonceTests {
  private let request: HTTPRequest

  init() throws { request = HTTPRequest(url: try require(URL(string: "https://a.example/secret"))) }

  private func transport(_ next: any Transport) -> DigestTransport {
    DigestTransport(next, origins: [Origin(host: "a.example")]) {
      (user: "ada", password: "sesame")
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
    expectEqual(stub.requests.count, 8)
    clock.advance(by: .seconds(1))
    clock.advance(by: .seconds(1))
    for recorder in recorders {
      await recorder.waitForEnd()
      expectEqual(recorder.values.head?.statusCode, 200)
      expect(recorder.violations.isEmpty)
    }
    expectEqual(stub.requests.count, 16)
    expect(unanswered.withLock { $0.isEmpty })
  }

  /// Two servers behind one name, each with its own nonce: a count that comes again is a replay (RFC 7616 §3.4).
  @Test func theCountsOfANonceThatComesBackContinue() {
    let stub = StubTransport()
    let turn = Guarded(0)
    let seen = Guarded<[String]>([])
    stub.on(.get, "/secret") { request -> StubAnswer in
      let nonce = "N\(turn.withLock { $0 } % 2)"
      guard let answer = Self.answer(of: request), answer["nonce"] == nonce else {
        return .status(401, headers: Self.challenge(nonce))
      }
      seen.withLock { $0.append("\(nonce)/\(answer["nc"] ?? "")") }
      return .status(200)
    }
    let digest = transport(stub)
    for _ in 0..<6 {
      let recorder = SignalRecorder(digest.send(request))
      expectEqual(recorder.values.head?.statusCode, 200)
      turn.withLock { $0 += 1 }
    }
    let all = seen.withLock { $0 }
    expectEqual(all.count, 6)
    expectEqual(Set(all).count, 6, "\(all)")
    expectEqual(all.filter { $0.hasPrefix("N0") }, all.filter { $0.hasPrefix("N0") }.sorted())
  }

  @Test func threeHundredConcurrentRequestsHaveAsManyCounts() async {
    let nonces = DigestNonces { "c" }
    let origin = Origin(host: "a.example")
    guard let challenge = DigestChallenge(Self.challenge("n")) else { return expect(false) }
    expect(nonces.store(challenge, for: origin))
    let counts = await withTaskGroup(of: UInt32?.self) { group in
      for _ in 0..<300 { group.addTask { nonces.next(for: origin, answering: nil)?.count } }
      return await group.reduce(into: Set<UInt32>()) { if let count = $1 { $0.insert(count) } }
    }
    expectEqual(counts, Set(1...300))
  }

  private static func answer(in realm: String, to request: HTTPRequest) -> StubAnswer {
    if Self.answer(of: request)?["realm"] == realm { return .status(200) }
    let challenge = "Digest realm=\"\(realm)\", nonce=\"n\", qop=\"auth\""
    return .status(401, headers: ["WWW-Authenticate": challenge])
  }

  /// Some devices have one nonce for all realms; credentials that were sent to one are not refused by another.
  @Test func aChallengeOfAnotherRealmIsAnswered() throws {
    let stub = StubTransport()
    for realm in ["user", "admin"] { stub.on(.get, "/" + realm) { Self.answer(in: realm, to: $0) } }
    let digest = transport(stub)
    for (realm, count) in [("user", 2), ("user", 3), ("admin", 5), ("admin", 6), ("user", 8)] {
      let url = try require(URL(string: "https://a.example/" + realm))
      let recorder = SignalRecorder(digest.send(HTTPRequest(url: url)))
      expectEqual(recorder.values.head?.statusCode, 200)
      expectEqual(stub.requests.count, count)
    }
  }

  @Test func realmsWithoutEndAreNotAnsweredWithoutEnd() {
    let stub = StubTransport()
    let count = Guarded(0)
    stub.on(.get, "/secret") { request -> StubAnswer in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return Self.answer(in: "r\(number)", to: request)
    }
    let recorder = SignalRecorder(transport(stub).send(request))
    expectEqual(recorder.values.head?.statusCode, 401)
    expectEqual(stub.requests.count, 3)
  }

  /// The password's MD5, on plain http, can be searched for offline.
  @Test func afterSHA256NoChallengeWithMD5IsAnswered() {
    let stub = StubTransport()
    stub.on(.get, "/secret", .status(401, headers: Self.challenge("n1")), .status(200))
    let digest = transport(stub)
    let first = SignalRecorder(digest.send(request))
    expectEqual(first.values.head?.statusCode, 200)
    var weak = Self.challenge("n2", "MD5")
    weak["WWW-Authenticate"]? += ", stale=true"
    stub.on(.get, "/secret", .status(401, headers: weak))
    let second = SignalRecorder(digest.send(request))
    expectEqual(second.values.head?.statusCode, 401)
    expectEqual(stub.requests.compactMap { Self.answer(of: $0)?["algorithm"] }, ["SHA-256", "SHA-256"])
  }

  /// The check and the storing are one step, so that of two concurrent challenges the stronger one remains.
  @Test(arguments: [["MD5", "SHA-256"], ["SHA-256", "MD5"]])
  func aStoredChallengeIsNotReplacedByAWeakerOne(_ algorithms: [String]) throws {
    let nonces = DigestNonces { "c" }
    let origin = Origin(host: "a.example")
    let stored = try algorithms.map {
      nonces.store(try require(DigestChallenge(Self.challenge($0, $0))), for: origin)
    }
    expectEqual(stored, algorithms == ["MD5", "SHA-256"] ? [true, true] : [true, false])
    expectEqual(nonces.next(for: origin, answering: nil)?.challenge.nonce, "SHA-256")
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
      expect(recorder.isCompleted)
      expectEqual(recorder.values.head?.statusCode, 200)
    }
    let answers = stub.requests.compactMap { Self.answer(of: $0) }
    expectEqual(stub.requests.count, 4)
    expectEqual(answers.count, 3)
    let (nonces, counts) = (answers.compactMap { $0["nonce"] }, answers.compactMap { $0["nc"] })
    let clientNonces = Set(answers.compactMap { $0["cnonce"] })
    if algorithm.hasSuffix("-sess") {
      expectEqual(nonces, ["n", "n", "n"])
      expectEqual(counts, ["00000001", "00000002", "00000003"])
      expectEqual(clientNonces.count, 1)
    } else {
      expectEqual(nonces, ["n", "n+", "n++"])
      expectEqual(counts, ["00000001", "00000001", "00000001"])
      expectEqual(clientNonces.count, 3)
    }
  }
}
