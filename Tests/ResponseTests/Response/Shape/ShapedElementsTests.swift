import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Shapes of payloads and their elements, which are compared with the body as it was parsed once.
struct ShapedElementsTests {
  struct Lamp: Decodable, Sendable, JSONShaped, Equatable {
    static let jsonShape: JSONShape = ["id": .number, "the_name": .string]
    let id: Int
  }

  private static let good = #"{"id":1,"the_name":"a"}"#
  private static let wrong = #"{"id":2,"the_name":3}"#

  @Test(arguments: [JSONCoding(), JSONCoding(keys: .snakeCase), JSONCoding(removesNulls: true)].indices)
  func theShapeIsThatOfThePlaceInTheBody(_ index: Int) async throws {
    let coding = [JSONCoding(), JSONCoding(keys: .snakeCase), JSONCoding(removesNulls: true)][index]
    for (envelope, before, after, base) in [
      (.plain, "", "", ""), (KeyedEnvelope(payload: "pay_load"), #"{"pay_load":"#, "}", "data"),
    ] as [(KeyedEnvelope, String, String, String)] {
      let echo = try EchoServer {
        $0.json = coding
        $0.stages.envelope = envelope
      }
      let one = await echo.read(before + Self.good + after, as: Lamp.self)
      expectEqual(one.values.map(\.value), [Lamp(id: 1)], "\(one.events)")
      let body = "\(before)[\(Self.good),\(Self.wrong),\(Self.good)]\(after)"
      let each = await echo.read(body, as: Lamp.self)
      expectEqual(each.values.map(\.value), [Lamp(id: 1)])
      expectEqual(each.failure?.code, .invalidShape)
      expect(each.failure?.reason.contains("[1].the_name is number, not string") == true, "\(each.events)")
      let all = await echo.read(body, as: [Lamp].self)
      expectEqual(all.failure?.code, .invalidShape)
      expect(all.failure?.reason.contains("[1].the_name is number, not string") == true, "\(all.events)")
      let good = await echo.read("\(before)[\(Self.good),\(Self.good)]\(after)", as: Lamp.self)
      expectEqual(good.values.count, 2)
      expect(base.isEmpty || index == 1 || "\(each.events)".contains("pay_load[1]"))
    }
  }

  struct Bulb: Decodable, Sendable, JSONShaped, Equatable {
    static let jsonShape: JSONShape = ["id": .number, "the_name": .string]
    let id: Int
    let theName: String?

    enum CodingKeys: String, CodingKey { case id, theName }
  }

  /// A null that was removed is none that is missing; a name that was not sent counts as null then.
  @Test("S0-8 S1-21 S2-15", arguments: [JSONCoding.Keys.asDeclared, .snakeCase, nil])
  func aNullIsAcceptedWhetherItIsRemovedOrNot(_ keys: JSONCoding.Keys?) async throws {
    for removesNulls in [false, true] {
      // The third one converts names by a closure, so that values cannot be found in the body by their paths.
      let coding = JSONCoding(
        keys: keys ?? .asDeclared, removesNulls: removesNulls,
        configureDecoder: { if keys == nil { $0.keyDecodingStrategy = .custom { $0[$0.count - 1] } } })
      for (envelope, before, after) in [
        (.plain, "", ""), (KeyedEnvelope(payload: "data"), #"{"data":"#, "}"),
      ] as [(KeyedEnvelope, String, String)] {
        let echo = try EchoServer {
          $0.json = coding
          $0.stages.envelope = envelope
        }
        let lamp = #"{"id":1,"the_name":null}"#
        let bulb = Bulb(id: 1, theName: nil)
        let one = await echo.read(before + lamp + after, as: Bulb.self)
        expectEqual(one.values.map(\.value), [bulb], "\(one.events)")
        let each = await echo.read("\(before)[\(lamp),\(lamp)]\(after)", as: Bulb.self)
        expectEqual(each.values.map(\.value), [bulb, bulb], "\(each.events)")
        let all = await echo.read("\(before)[\(lamp),\(lamp)]\(after)", as: [Bulb].self)
        expectEqual(all.values.map(\.value), [[bulb, bulb]], "\(all.events)")
        let missing = await echo.read(before + #"{"id":1}"# + after, as: Bulb.self)
        expectEqual(missing.failure?.code, removesNulls ? nil : .invalidShape, "\(missing.events)")
        let wrong = await echo.read(before + #"{"id":1,"the_name":3}"# + after, as: Bulb.self)
        expectEqual(wrong.failure?.code, .invalidShape, "\(wrong.events)")
      }
      // As a validator, the shape is compared with the body as received.
      let validating = try EchoServer {
        $0.json = coding
        $0.stages.validators = [Bulb.jsonShape]
      }
      let valid = await validating.read(#"{"id":1,"the_name":null}"#, as: JSON.self)
      expectEqual(valid.values.count, 1, "\(valid.events)")
    }
  }

  /// Two names that are one for the decoder, and a payload that is a text inside of the body: the shape is that of what is decoded.
  @Test func aPayloadFromElsewhereIsComparedItself() async throws {
    struct Quoted: Envelope {
      struct Body: Decodable { let text: String }
      struct Opened: Decodable {
        let decoder: any Decoder
        init(from decoder: any Decoder) { self.decoder = decoder }
      }
      func open(_ answer: any Decoder) throws -> (payload: (any Decoder)?, code: String?, message: String?) {
        let text = try Body(from: answer).text
        let inner = JSONDecoder()
        return (try inner.decode(Opened.self, from: Data(text.utf8)).decoder, nil, nil)
      }
    }
    let body = #"{"text":"{\"id\":1,\"the_name\":\"a\"}"}"#
    let quoted = try await EchoServer(Stages(envelope: Quoted())).read(body, as: Lamp.self)
    expectEqual(quoted.values.map(\.value), [Lamp(id: 1)], "\(quoted.events)")
    let echo = try EchoServer {
      $0.json = JSONCoding(keys: .snakeCase)
      $0.stages.envelope = KeyedEnvelope(payload: "pay_load")
    }
    let twice = #"{"payLoad":1,"pay_load":\#(Self.good)}"#
    let recorder = await echo.read(twice, as: Lamp.self)
    expect(recorder.values.count == 1 || recorder.failure?.domain == .processing, "\(recorder.events)")
  }
}
