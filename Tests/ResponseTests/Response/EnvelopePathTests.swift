import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Names of an envelope's fields that are paths of nested objects.
struct EnvelopePathTests {
  private static let nested: KeyedEnvelope = {
    var envelope = KeyedEnvelope(code: "error.code", message: "error.message", payload: "data.items")
    envelope.isCodeOptional = true
    return envelope
  }()

  private func read<Value: Decodable & Sendable>(
    _ body: String, _ envelope: KeyedEnvelope = Self.nested, as type: Value.Type
  ) async throws -> SignalRecorder<Response<Value>, NetworkError> {
    try await EchoServer(Stages(envelope: envelope)).read(body, as: type)
  }

  @Test func aNameWithDotsIsAPath() async throws {
    let failure = try require(
      await read(#"{"error":{"code":"sold_out","message":"No lamps left."}}"#, as: [Int].self).failure)
    expectEqual(failure.code, .api("sold_out"))
    expectEqual(failure.serverMessage, "No lamps left.")
    try await expectEqual(read(#"{"data":{"items":[1,2]}}"#, as: [Int].self).values.map(\.value), [[1, 2]])
  }

  @Test(arguments: [
    #"{"data":{"items":[1]}}"#, #"{"error":null,"data":{"items":[1]}}"#, #"{"error":{},"data":{"items":[1]}}"#,
    #"{"error":{"code":null,"message":null},"data":{"items":[1]}}"#,
  ])
  func anObjectThatIsMissingOrNullHasNoFields(_ body: String) async throws {
    try await expectEqual(read(body, as: [Int].self).values.map(\.value), [[1]])
    var strict = Self.nested
    strict.isCodeOptional = false
    let failure = try require(await read(body, strict, as: [Int].self).failure)
    expectEqual(failure.code, .invalidEnvelope)
    expect(failure.reason.hasPrefix("error.code is missing"), "\(failure.reason)")
  }

  @Test(arguments: [
    (#"{"error":"sold_out","data":{"items":[1]}}"#, "error.code cannot be read: error is not an object"),
    (#"{"error":[],"data":{"items":[1]}}"#, "error.code cannot be read: error is not an object"),
    (#"{"error":{"code":{}},"data":{"items":[1]}}"#, "error.code is neither a number nor a string"),
    (#"{"data":7}"#, "data.items cannot be read: data is not an object"),
    (#"{"error":{"code":0,"message":{}}}"#, "error.message is neither a number nor a string"),
    (#"{"other":{"code":7}}"#, "the response has none of the envelope's fields"),
  ])
  func aWrongTypeNamesThePath(_ body: String, _ reason: String) async throws {
    let failure = try require(await read(body, as: [Int].self).failure)
    expectEqual(failure.code, .invalidEnvelope)
    expect(failure.reason.hasPrefix(reason), "\(failure.reason)")
  }

  @Test func aFailureCountsWhateverThePayloadIs() async throws {
    let envelope = KeyedEnvelope(code: "code", payload: "data.items")
    for body in [#"{"code":5,"data":""}"#, #"{"code":5,"data":null}"#, #"{"code":5}"#] {
      try await expectEqual(read(body, envelope, as: [Int].self).failure?.code, .api(5))
    }
    let missing = try require(await read(#"{"code":0,"data":null}"#, envelope, as: [Int].self).failure)
    expectEqual(missing.code, .unexpectedShape)
  }

  @Test func aFieldOfTheWholeNameComesFirst() async throws {
    let envelope = KeyedEnvelope(code: "a.code", payload: "a.data")
    let body = #"{"a.code":0,"a.data":1,"a":{"code":7,"data":2}}"#
    try await expectEqual(read(body, envelope, as: Int.self).values.map(\.value), [1])
    let deep = KeyedEnvelope(code: "a.b.c", payload: "d")
    try await expectEqual(read(#"{"a":{"b":{"c":9}},"d":1}"#, deep, as: Int.self).failure?.code, .api(9))
    for name in [".", "a.", ".a", "a..b"] {
      let odd = KeyedEnvelope(code: name, payload: "d")
      try await expectEqual(read(#"{"a":{"":0,"b":1},"d":1}"#, odd, as: Int.self).values.count, name == "a." ? 1 : 0)
    }
  }

  @Test func aStatusAndAFlagHavePaths() async throws {
    let envelope = KeyedEnvelope(status: "meta.state", flag: "meta.ok", payload: "data")
    try await expectEqual(
      read(#"{"meta":{"state":"OK","ok":1},"data":3}"#, envelope, as: Int.self).values.map(\.value), [3])
    try await expectEqual(
      read(#"{"meta":{"state":"BAD","ok":1}}"#, envelope, as: Int.self).failure?.code, .api("BAD"))
    try await expectEqual(
      read(#"{"meta":{"state":"OK","ok":0}}"#, envelope, as: Int.self).failure?.code, .rejected)
  }

  @Test func theNamesOfAPathAreConverted() async throws {
    let echo = try EchoServer {
      $0.json = JSONCoding(keys: .snakeCase)
      $0.stages.envelope = KeyedEnvelope(code: "the_error.error_code", payload: "d")
    }
    let failure = await echo.read(#"{"the_error":{"error_code":7}}"#, as: Int.self).failure
    expectEqual(failure?.code, .api(7))
  }

  @Test func aFaultInAPayloadNamesItsWholePath() async throws {
    struct Item: Decodable, Sendable { let id: Int }
    let failure = try require(
      await read(#"{"data":{"items":{"id":"x"}}}"#, as: Item.self).failure)
    expect(failure.reason.hasPrefix("data.items.id is a string, not Int"), "\(failure.reason)")
  }

  /// As in an API that wraps its failures alone.
  @Test func withoutAPayloadABodyWithNoneOfTheFieldsIsThePayload() async throws {
    var envelope = KeyedEnvelope(code: "error.code", message: "error.message")
    envelope.isCodeOptional = true
    try await expectEqual(read(#"{"id":1}"#, envelope, as: [String: Int].self).values.map(\.value), [["id": 1]])
    try await expectEqual(read("[1,2]", envelope, as: [Int].self).values.map(\.value), [[1, 2]])
    let failure = try await read(#"{"error":{"code":4,"message":"m"}}"#, envelope, as: [Int].self).failure
    expectEqual(failure?.code, .api(4))
    envelope.isCodeOptional = false
    try await expectEqual(read(#"{"id":1}"#, envelope, as: [String: Int].self).failure?.code, .invalidEnvelope)
  }
}
