import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// What may be asked for, over a real socket.
struct ResultTypesTests {
  struct Price: Decodable, Sendable { let price: Double }
  struct Items: Decodable, Sendable { @Lossy var items: [Price] }

  @Test("S2-14") func withoutATypeOfYourOwnTheEnvelopeStillCounts() async throws {
    let echo = try EchoServer(Stages(envelope: .codeMessageData))
    let good = await echo.read(#"{"code":0,"data":{"id":7,"tags":[null,"a"]}}"#, as: JSON.self)
    expectEqual(good.values.map(\.value), [["id": 7, "tags": [nil, "a"]]])
    let bad = await echo.read(#"{"code":4,"data":{"id":7}}"#, as: JSON.self)
    expectEqual(bad.failure?.domain, .api)
    let none = await echo.read(#"{"code":0}"#, as: JSON.self)
    expectEqual(none.values.map(\.value), [.null])
  }

  /// The whole object, for whoever has no type for it: with the envelope, once that has been judged.
  @Test("S2-14") func withoutATypeTheWholeObjectCanBeHad() async throws {
    let echo = try EchoServer(Stages(envelope: .codeMessageData))
    func whole(_ body: String) async -> SignalRecorder<Response<JSON>, NetworkError> {
      let recorder = SignalRecorder(
        echo.client.enqueue(request: EchoServer.request(body), transform: { try JSON(data: $0.value) }))
      await recorder.waitForEnd()
      return recorder
    }
    let good = await whole(#"{"code":0,"msg":"done","data":{"id":7}}"#)
    expectEqual(good.values.map(\.value), [["code": 0, "msg": "done", "data": ["id": 7]]])
    let bad = await whole(#"{"code":4,"data":{"id":7}}"#)
    expectEqual(bad.failure?.code, .api(4))
  }

  @Test("S2-14") func anyJSONIsReadAsItIs() async throws {
    let echo = try EchoServer(Stages())
    let array = await echo.read(#"[1,{"a":[18446744073709551615,-9223372036854775808,1.5e300]}]"#, as: JSON.self)
    expectEqual(array.values.map(\.value), [[1, ["a": [.unsigned(.max), .integer(.min), .number(1.5e300)]]]])
    let scalar = await echo.read("true", as: JSON.self)
    expectEqual(scalar.values.map(\.value), [true])
    let broken = await echo.read(#"{"a":[1,}"#, as: JSON.self)
    expectEqual(broken.failure?.code, .malformedBody)
    expectEqual(broken.failure?.reason.contains("a[1]"), true)
  }

  @Test("S0-8", arguments: [1_000, 100_000]) func aThousandLevelsAreAValueOrAnError(_ depth: Int) async throws {
    let body = String(repeating: "[", count: depth) + "null" + String(repeating: "]", count: depth)
    let any = try await EchoServer(Stages()).read(body, as: JSON.self)
    expectEqual(any.values.count, (depth == 1_000 ? 1 : 0))
    expect(depth == 1_000 || any.failure?.domain == .processing)
    let wrapped = try await EchoServer(Stages(envelope: .codeMessageData)).read(
      #"{"code":0,"data":\#(body)}"#, as: JSON.self)
    expectEqual(wrapped.failure?.domain, .processing)
    let typed = try await EchoServer(Stages()).read(body, as: Price.self)
    expectEqual(typed.failure?.domain, .processing)
  }

  @Test("P11") func whatIsLeftOutIsOnTheResponse() async throws {
    let items = (0..<100).map { $0 == 37 ? #"{"price":"free"}"# : #"{"price":\#($0)}"# }.joined(separator: ",")
    let echo = try EchoServer(Stages(envelope: .codeMessageData))
    let recorder = await echo.read(#"{"code":0,"data":{"items":[\#(items)]}}"#, as: Items.self)
    let response = try require(recorder.values.first)
    expectEqual(response.value.items.count, 99)
    expectEqual(response.decodeReport?.entries.map(\.path), ["data.items[37].price"])
    expectEqual(response.decodeReport?.entries.first?.action, .dropped)
    let elements = await echo.read(#"[{"code":0,"data":{"items":[{"price":1},5]}}]"#, as: Items.self)
    expectEqual(elements.values.map(\.value.items.count), [1])
    expectEqual(elements.values.first?.decodeReport?.entries.map(\.path), ["[0].data.items[1]"])
    let bare = try await EchoServer(Stages()).read(#"{"items":[{"price":1},5]}"#, as: Items.self)
    expectEqual(bare.values.first?.decodeReport?.entries.map(\.path), ["items[1]"])
    let clean = try await EchoServer(Stages()).read(#"{"items":[{"price":1}]}"#, as: Items.self)
    expectEqual(clean.values.count, 1)
    expectNil(clean.values.first?.decodeReport)
  }

  @Test("S0-9") func aNumberThatDoesNotFitNamesItsPath() async throws {
    struct Order: Decodable, Sendable {
      struct Line: Decodable, Sendable { let count: Int8 }
      let lines: [Line]
    }
    let body = #"{"lines":[{"count":1},{"count":1000}]}"#
    let bare = try require(await EchoServer(Stages()).read(body, as: Order.self).failure)
    expectEqual(bare.code, .unexpectedShape)
    expect(bare.reason.hasPrefix("lines[1].count"))
    let echo = try EchoServer(Stages(envelope: .codeMessageData))
    let wrapped = try require(await echo.read(#"{"code":0,"data":\#(body)}"#, as: Order.self).failure)
    expectEqual(wrapped.code, .unexpectedShape)
    expect(wrapped.reason.hasPrefix("data.lines[1].count"))
  }

  private struct Lamp: Decodable, Sendable, JSONShaped {
    static let jsonShape: JSONShape = ["id": .number, "tags": [.string]]
    let id: Int
    let tags: JSON
  }

  @Test("S2-15") func aTypeMayDeclareItsOwnShape() async throws {
    let plain = try EchoServer(Stages())
    let wrapped = try EchoServer(Stages(envelope: .codeMessageData))
    let (good, bad) = (#"{"id":1,"tags":["a"],"more":1}"#, #"{"id":1,"tags":["a",2]}"#)
    for echo in [plain, wrapped] {
      func body(_ payload: String) -> String {
        echo.client === plain.client ? payload : #"{"code":0,"data":\#(payload)}"#
      }
      let place = echo.client === plain.client ? "" : "data"
      await expectEqual(echo.read(body(good), as: Lamp.self).values.map(\.value.id), [1])
      let failure = try require(await echo.read(body(bad), as: Lamp.self).failure)
      expectEqual(failure.code, .invalidShape)
      expectEqual(failure.reason, (place.isEmpty ? "" : "data.") + "tags[1] is number, not string")
      expectEqual(failure.response?.value, Data(body(bad).utf8))
      let missing = try require(await echo.read(body(#"{"tags":[]}"#), as: Lamp.self).failure)
      expectEqual(missing.reason, (place.isEmpty ? "" : "data.") + "id is missing")
      // Each element of an array has the shape.
      let list = await echo.read(body("[\(good),\(bad)]"), as: Lamp.self)
      expectEqual(list.values.count, 1)
      expectEqual(list.failure?.code, .invalidShape)
      await expectEqual(echo.read(body("7"), as: Lamp.self).failure?.reason.contains("wasn't an array"), true)
    }
  }

  @Test("S2-15") func arraysAndOptionalsOfATypeWithAShapeHaveItToo() async throws {
    let plain = try EchoServer(Stages())
    let wrapped = try EchoServer(Stages(envelope: .codeMessageData))
    let (good, bad) = (#"{"id":1,"tags":["a"],"more":1}"#, #"{"id":1,"tags":["a",2]}"#)
    for (echo, place) in [(plain, ""), (wrapped, "data")] {
      func body(_ payload: String) -> String { place.isEmpty ? payload : #"{"code":0,"data":\#(payload)}"# }
      let list = await echo.read(body("[\(good),\(good)]"), as: [Lamp].self)
      expectEqual(list.values.first?.value.map(\.id), [1, 1])
      expectEqual(list.values.count, 1)
      let element = try require(await echo.read(body("[\(good),\(bad)]"), as: [Lamp].self).failure)
      expectEqual(element.code, .invalidShape)
      expectEqual(element.reason, place + "[1].tags[1] is number, not string")
      let one = await echo.read(body(good), as: Lamp?.self)
      expectEqual(one.values.map(\.value?.id), [1])
      let none = await echo.read(body("null"), as: Lamp?.self)
      expectEqual(none.values.count, 1)
      expectNil(none.values.first?.value?.id)
      expect(none.isCompleted)
      let optional = try require(await echo.read(body(bad), as: Lamp?.self).failure)
      expectEqual(optional.code, .invalidShape)
      expectEqual(optional.reason, (place.isEmpty ? "" : "data.") + "tags[1] is number, not string")
      // Both at once.
      let some = await echo.read(body("[null,\(good)]"), as: [Lamp?].self)
      let ids = some.values.first?.value.map { $0?.id }
      expectEqual(ids, [nil, 1])
      let wrong = try require(await echo.read(body("[null,\(bad)]"), as: [Lamp?].self).failure)
      expectEqual(wrong.reason, place + "[1].tags[1] is number, not string")
    }
  }

  @Test("S1-21 S2-15") func aDeclaredShapeIsAValidator() async throws {
    let shape: JSONShape = ["id": .number, "tags": [.string]]
    let echo = try EchoServer(Stages(validators: [shape]))
    let good = await echo.read(#"{"id":1,"tags":["a"],"more":1}"#, as: JSON.self)
    expectEqual(good.values.count, 1)
    let bad = await echo.read(#"{"id":1,"tags":["a",2]}"#, as: JSON.self)
    expectEqual(bad.failure?.code, .invalidShape)
    expectEqual(bad.failure?.reason.contains("tags[1]"), true)
  }
}
