import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

struct DigestChallengeTests {
  /// RFC 7616 §3.9.1.
  private static func challenge(_ algorithm: String) -> String {
    """
    Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), \
    nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
    """
  }

  private func answer(
    _ fields: [String], user: String = "Mufasa", password: String = "Circle of Life"
  ) throws -> [String: String] {
    let headers = HTTPHeaders(fields.map { HTTPHeaders.Field(name: "WWW-Authenticate", value: $0) })
    let challenge = try require(DigestChallenge(headers))
    let answer = challenge.authorization(
      Secret(try Authorization.checked(user: user, password: password)), method: "GET", target: "/dir/index.html",
      count: 1,
      clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
    expect(answer.hasPrefix("Digest "))
    return AuthenticationChallenge.parameters(in: String(answer.dropFirst(7)))
  }

  @Test(arguments: [
    ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
    ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
  ])
  func theVectorsOfTheStandard(_ algorithm: String, _ response: String) throws {
    let answer = try answer([Self.challenge(algorithm)])
    expectEqual(
      answer,
      [
        "username": "Mufasa", "realm": "http-auth@example.org", "uri": "/dir/index.html", "algorithm": algorithm,
        "nonce": "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "nc": "00000001", "qop": "auth",
        "cnonce": "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", "response": response,
        "opaque": "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS",
      ])
  }

  @Test func aSessionsKeyIsMadeOfBothNonces() throws {
    let hash = { (text: String) in SHA256.hash(Array(text.utf8)).hexadecimal }
    let answer = try answer([Self.challenge("SHA-256-sess")])
    let (nonce, own) = (try require(answer["nonce"]), try require(answer["cnonce"]))
    let secret = hash(hash("Mufasa:http-auth@example.org:Circle of Life") + ":\(nonce):\(own)")
    expectEqual(answer["response"], hash("\(secret):\(nonce):00000001:\(own):auth:" + hash("GET:/dir/index.html")))
  }

  @Test(arguments: [["MD5", "SHA-256"], ["SHA-256", "MD5"], ["SHA-512-256", "MD5", "SHA-256"]])
  func theStrongerIsAnswered(_ algorithms: [String]) throws {
    try expectEqual(answer(algorithms.map(Self.challenge))["algorithm"], "SHA-256")
    // As URLSession has them: in one field.
    try expectEqual(answer([algorithms.map(Self.challenge).joined(separator: ", ")])["algorithm"], "SHA-256")
  }

  @Test(arguments: [
    "Basic realm=\"a\"", "Digest", "Digest realm=\"a\"", "Digest nonce=\"a\", qop=\"auth\"", "Bearer, Negotiate abc==",
    "Digest realm=\"a\", nonce=\"b\"", "Digest realm=\"a\", nonce=\"b\", qop=\"auth-int\"",
    "Digest realm=\"a\", nonce=\"b\", qop=\"auth\", algorithm=SHA-512-256", "", ",,", "=\"", "Digest realm=\"a",
    "Digest realm=\"a, nonce=\"b\", qop=\"auth\"",
  ])
  func whatCannotBeAnsweredIsNone(_ value: String) {
    expectNil(DigestChallenge(["WWW-Authenticate": value]))
  }

  @Test func challengesAreFoundAmongOthers() throws {
    let value = """
      Negotiate YII=, Basic realm="a, Digest realm=\\"b\\"", dIgEsT REALM = "c \\"d\\"" , nonce=e,qop=auth,stale=TRUE, \
      Bearer realm="f"
      """
    let challenge = try require(DigestChallenge(["WWW-Authenticate": value]))
    expectEqual(challenge.realm, "c \"d\"")
    expectEqual(challenge.nonce, "e")
    expectEqual(challenge.algorithm, .md5)
    expectNil(challenge.algorithmName)
    expect(challenge.isStale)
    try expectEqual(answer([value])["realm"], "c \"d\"")
    // A quotation mark with a combining mark is one character.
    let hidden = "a\\\"\u{301}, uri=x, b\\\\\u{301}"
    let answer = try answer(["Digest realm=\"\(hidden)\", nonce=e, qop=auth"])
    expectEqual(answer["realm"].map { Array($0.unicodeScalars) }, Array("a\"\u{301}, uri=x, b\\\u{301}".unicodeScalars))
    expectEqual(answer["uri"], "/dir/index.html")
  }

  /// A quoted string is required (RFC 7616 §3.3), but not sent by all servers.
  @Test(arguments: ["qop=auth,auth-int", "qop=auth-int, AUTH", "qop=auth , auth-int"])
  func aListOfQualitiesMayBeUnquoted(_ qualities: String) throws {
    let value = "Digest realm=\"a\", \(qualities), nonce=\"b\", algorithm=SHA-256, Bearer"
    let challenge = try require(DigestChallenge(["WWW-Authenticate": value]))
    expectEqual(challenge.nonce, "b")
    expectEqual(challenge.algorithm, .sha256)
    expectNil(DigestChallenge(["WWW-Authenticate": "Digest realm=\"a\", nonce=\"b\", auth, qop=auth"]))
  }

  @Test func aNameMayBeHiddenOrOfAnyLetters() throws {
    let open = try answer([Self.challenge("SHA-256")], user: "J\u{E4}s\u{F8}n \"Doe\"")
    expectEqual(open["username*"], "UTF-8''J%C3%A4s%C3%B8n%20%22Doe%22")
    expectNil(open["username"])
    try expectEqual(answer([Self.challenge("MD5")], user: "a\"\\b")["username"], "a\"\\b")
    let hidden = try answer([Self.challenge("MD5") + ", userhash=true"])
    expectEqual(hidden["username"], DigestChallenge.Algorithm.md5.hash("Mufasa", "http-auth@example.org"))
    expectEqual(hidden["userhash"], "true")
  }

  @Test(arguments: [("a:b", "c"), ("a\n", "c"), ("a", "\u{7F}")])
  func whatCannotBeSentIsRefused(_ user: String, _ password: String) {
    let error = #expect(throws: NetworkError.self) { Secret(try Authorization.checked(user: user, password: password)) }
    expectEqual(error?.code, .invalidCredentials)
  }

  @Test(arguments: [
    ("http://a.example", "/"), ("http://a.example?b=c", "/?b=c"), ("http://a.example/b/../c?d=%20#e", "/b/../c?d=%20"),
    ("https://a.example:8443/b#c", "/b"),
  ])
  func theTargetIsWhatStandsInTheRequestLine(_ address: String, _ target: String) throws {
    try expectEqual(require(URL(string: address)).requestTarget, target)
  }
}

/// RFC 1321 §A.5, and messages around the length of a block.
struct MD5Tests {
  @Test(arguments: [
    ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
    ("abc", "900150983cd24fb0d6963f7d28e17f72"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
    (
      "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
      "57edf4a22be3c955ac49da2e2107b67a"
    ),
    (String(repeating: "a", count: 55), "ef1772b6dff9a122358552954ad0df65"),
    (String(repeating: "a", count: 56), "3b0c8ac703f828b04c6c197006d17218"),
    (String(repeating: "a", count: 64), "014842d480b571495a4a0363793f7367"),
  ])
  func theDigestOfAMessage(_ message: String, _ digest: String) {
    expectEqual(MD5.hash(Array(message.utf8)).hexadecimal, digest)
  }

  /// Python's digests of messages of 0 to 300 bytes, as one hash.
  @Test func everyLengthGivesTheDigestOfPython() {
    let digests = (0...300).flatMap { count in MD5.hash((0..<count).map { UInt8(truncatingIfNeeded: count * 3 + $0) }) }
    expectEqual(MD5.hash(digests).hexadecimal, "28b6afd5f9203360d58b12d9449feb10")
  }
}
