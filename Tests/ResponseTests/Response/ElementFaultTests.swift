import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Where a fault is: with its index and path, and without names that may be secret.
struct ElementFaultTests {
  struct Item: Decodable, Sendable { let n: Int }
  struct Own: Decodable, Sendable {
    struct Oops: Error {}
    init(from decoder: any Decoder) throws { throw Oops() }
  }

  private func check(_ failure: NetworkError?, _ logged: String) throws {
    let failure = try require(failure)
    expectEqual(failure.domain, .processing)
    expect("\(failure)".contains(logged), "\(failure)")
  }

  @Test func aNumberThatDoesNotFitIsNamedByItsPath() async throws {
    let echo = try EchoServer()
    let bare = await echo.read(#"[{"n":1},{"n":2},{"n":1.5}]"#, as: Item.self)
    expectEqual(bare.values.map(\.value.n), [1, 2])
    try check(bare.failure, "Invalid JSON array element: [2].n: the number does not fit")
    let wrapped = try EchoServer(Stages(envelope: .codeMessageData))
    let inside = await wrapped.read(#"{"code":0,"data":[{"n":1},{"n":2.5}]}"#, as: Item.self)
    expectEqual(inside.values.count, 1)
    try check(inside.failure, "Invalid JSON array element: data[1].n: the number does not fit")
    let each = await wrapped.read(#"[{"code":0,"data":{"n":1}},{"code":0,"data":{"n":1.5}}]"#, as: Item.self)
    expectEqual(each.values.count, 1)
    try check(each.failure, "Invalid JSON array element: [1].data.n: the number does not fit")
  }

  @Test func anErrorOfTheTypesOwnIsNamedByItsIndex() async throws {
    let failure = try await EchoServer().read("[1,2]", as: Own.self).failure
    // The type refuses the whole body, too, and that is no array of another type.
    try check(failure, "the decoder threw Oops")
    struct Second: Decodable, Sendable {
      init(from decoder: any Decoder) throws {
        guard try decoder.container(keyedBy: Name.self).decode(Int.self, forKey: .n) < 2 else { throw Own.Oops() }
      }
      enum Name: CodingKey { case n }
    }
    let second = try await EchoServer().read(#"[{"n":1},{"n":2}]"#, as: Second.self).failure
    try check(second, "Invalid JSON array element: [1]: the decoder threw Oops")
  }

  struct Sessions: Decodable, Sendable {
    let sessions: [String: Int]
    var owners: [String: Item]?
  }

  @Test(
    arguments: [
      (#"{"sessions":{"tok_live_abc123":"x"}}"#, "sessions[…] is a string, not Int", "sessions.tok_live_abc123"),
      (#"{"sessions":{"tok_live_abc123":1.5}}"#, "sessions[…]: the number does not fit", "sessions.tok_live_abc123"),
      (#"{"sessions":{"tok_live_abc123":null}}"#, "sessions[…] is null, not Int", "sessions.tok_live_abc123"),
      (#"{"sessions":{},"owners":{"tok_live_abc123":{}}}"#, "owners[…].n is missing", "owners.tok_live_abc123.n"),
      (
        #"{"sessions":{"tok_live_abc123":[1"#, "unterminated array or object, at byte 33",
        "sessions.tok_live_abc123"
      ),
      (#"{"sessions":{"4111111111111111":"x"}}"#, "sessions[…] is a string, not Int", "sessions.4111111111111111"),
      (#"{"tok_live_abc123":tru}"#, "unexpected character: expected a value, at byte 19", "tok_live_abc123"),
    ])
  func namesThatTheBodyChoosesAreInNoLog(_ body: String, _ logged: String, _ path: String) async throws {
    for (envelope, keys) in [
      (.plain, .asDeclared), (KeyedEnvelope(payload: "data"), .asDeclared), (.plain, .snakeCase),
    ] as [(KeyedEnvelope, JSONCoding.Keys)] {
      let isPlain = envelope.payload == nil
      let text = isPlain ? body : #"{"data":\#(body)}"#
      let echo = try EchoServer {
        $0.stages.envelope = envelope
        $0.json = JSONCoding(keys: keys)
      }
      let failure = try require(await echo.read(text, as: Sessions.self).failure)
      let isMalformed = failure.code == .malformedBody
      if isPlain || !isMalformed { expect("\(failure)".contains((isPlain ? "" : "data.") + logged), "\(failure)") }
      for secret in ["tok_live", "tokLive", "41111111"] {
        expectHidden(secret, in: failure)
        expectHidden(secret, in: (failure as NSError).userInfo)
      }
      expect(keys == .snakeCase || failure.reason.contains("at \(isPlain ? "" : "data.")\(path)"), "\(failure.reason)")
    }
  }

  @Test func theKindsOfJSONAreNamedAsSuch() async throws {
    let echo = try EchoServer()
    try check(await echo.read("[null]", as: Item.self).failure, "[0] is null, not object")
    try check(await echo.read("[null]", as: [[Int]].self).failure, "[0] is null, not array")
  }
}
