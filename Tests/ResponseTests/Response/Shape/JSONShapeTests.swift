import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

struct JSONShapeTests {
  private let shape: JSONShape = [
    "id": .number, "name": .string, "isNew": .bool, "tags": [.string], "owner": ["name": .string], "any": .any,
  ]
  private let good: JSON = [
    "id": 1, "name": "A", "isNew": true, "tags": ["a", "b"], "owner": ["name": "B"], "any": [1],
  ]

  private func changed(_ name: String, _ value: JSON?) -> JSON {
    var members = good.object ?? [:]
    members[name] = value
    return .object(members)
  }

  @Test("S1-21") func whatHasTheShapeIsAccepted() {
    expectNil(shape.mismatch(in: good))
  }

  @Test("S1-21", arguments: ["id", "name", "isNew", "tags", "owner", "any"])
  func aMissingNameIsInvalidAndNullIsAccepted(_ name: String) {
    expectEqual(shape.mismatch(in: changed(name, nil))?.description, "\(name) is missing")
    expectNil(shape.mismatch(in: changed(name, .null)))
    expectNil(shape.mismatch(in: changed(name, nil), lacksNulls: true))
  }

  @Test("S1-21") func whatMayBeMissingIsOfItsShapeIfItIsThere() {
    expectNil(shape.mismatch(in: [:], lacksNulls: true))
    expectEqual(
      shape.mismatch(in: ["owner": ["name": 1]], lacksNulls: true)?.description, "owner.name is number, not string")
    let list: JSONShape = [["id": .number], ["name": .string]]
    expectNil(list.mismatch(in: [[:]], lacksNulls: true))
    expectEqual(list.mismatch(in: [["id": "a", "name": 1]], lacksNulls: true)?.path, "[0].id")
  }

  @Test("S1-21") func furtherNamesAreFine() {
    expectNil(shape.mismatch(in: changed("more", [1])))
  }

  @Test(
    "S1-21",
    arguments: [
      ("id", "1", "id is string, not number"), ("id", true, "id is bool, not number"),
      ("name", 1, "name is number, not string"), ("isNew", 1, "isNew is number, not bool"),
      ("isNew", "true", "isNew is string, not bool"), ("tags", "a", "tags is string, not array"),
      ("tags", ["a", 1], "tags[1] is number, not string"), ("tags", [["a"]], "tags[0] is array, not string"),
      ("owner", [], "owner is array, not object"), ("owner", ["name": 1], "owner.name is number, not string"),
      ("owner", [:], "owner.name is missing"),
    ] as [(String, JSON, String)])
  func aValueOfAnotherKindIsInvalid(_ name: String, _ value: JSON, _ line: String) {
    expectEqual(shape.mismatch(in: changed(name, value))?.description, line)
  }

  @Test("S1-21") func everyElementIsLookedAt() {
    let list: JSONShape = ["items": [["price": .number]]]
    let items = (0..<100).map { ["price": $0 == 37 ? "free" : .integer(Int64($0))] as JSON }
    expectEqual(list.mismatch(in: ["items": .array(items)])?.path, "items[37].price")
    expectNil(list.mismatch(in: ["items": []]))
    expectNil(list.mismatch(in: ["items": [nil, ["price": nil]]]))
    expectEqual(list.mismatch(in: ["items": [["price": 1], [:]]])?.description, "items[1].price is missing")
  }

  @Test func elementsMayHaveOneOfSeveralShapes() {
    let list: JSONShape = [.string, .number, ["id": .number]]
    expectNil(list.mismatch(in: ["a", 1, ["id": 1], nil]))
    expectEqual(list.mismatch(in: ["a", true])?.description, "[1] is bool, not string or number or object")
    expectEqual(list.mismatch(in: [["id": "x"]])?.description, "[0].id is string, not number")
  }

  @Test func emptyLiteralsAcceptAllOfTheirKind() {
    expectNil(([] as JSONShape).mismatch(in: [1, "a", [:]]))
    expectNil(([:] as JSONShape).mismatch(in: ["a": 1]))
    expectEqual(([] as JSONShape).mismatch(in: [:])?.description, "the root is object, not array")
    expectEqual(JSONShape.number.mismatch(in: "a")?.path, "the root")
    for number in [1, 1.5, .unsigned(.max)] as [JSON] { expectNil(JSONShape.number.mismatch(in: number)) }
  }

  @Test func theFirstMismatchIsTheSameEachTime() {
    let names = "abcdefghijklmnop".map(String.init)
    let wide = JSONShape.object(Dictionary(uniqueKeysWithValues: names.map { ($0, .number) }))
    expectEqual(wide.mismatch(in: [:])?.path, "a")
    expectEqual(
      wide.mismatch(in: .object(Dictionary(uniqueKeysWithValues: names.map { ($0, $0 < "e" ? 1 : "x") })))?.path, "e")
  }

  @Test(
    "S1-21",
    arguments: [
      (#"{"id":1}"#, nil, ""), (#"{"id":null}"#, nil, ""), ("{}", .invalidShape, "id is missing"),
      (#"{"id":"1"}"#, .invalidShape, "id is string, not number"),
      ("[]", .invalidShape, "the root is array, not object"),
      ("{", .malformedBody, "expected a member name in quotation marks, at byte 1"),
    ] as [(String, NetworkError.Code?, String)])
  func aClientRefusesAnswersOfAnotherShape(_ body: String, _ code: NetworkError.Code?, _ reason: String) async throws {
    let stub = StubTransport()
    stub.on(.get, "/product", .json(body))
    var configuration = NetworkClient.Configuration(baseURL: URL(string: "https://a.example"), transport: stub)
    configuration.stages.validators = [JSONShape.object(["id": .number])]
    let recorder = SignalRecorder(NetworkClient(configuration).enqueue(request: "/product", resultType: JSON.self))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, code)
    guard code != nil else { return }
    expectEqual(recorder.failure?.domain, .processing)
    expectEqual(recorder.failure?.reason, reason)
    expectEqual(recorder.failure?.response?.value, Data(body.utf8))
  }

  @Test func anEmptyBodyIsLeftToTheDecoder() throws {
    let url = try require(URL(string: "https://a.example"))
    let response = Response(value: Data(), head: HTTPResponse(statusCode: 204, url: url))
    #expect(throws: Never.self) { try JSONShape.object(["id": .number]).validate(response) }
  }
}
