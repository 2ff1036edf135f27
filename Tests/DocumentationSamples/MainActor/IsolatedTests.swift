import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// A type whose conformance belongs to the main actor is decoded there, by the rules of every other.
struct IsolatedTests {
  struct Item: Decodable, Sendable, Equatable {
    let id: Int

    enum CodingKeys: String, CodingKey { case id }

    init(id: Int) { self.id = id }

    init(from decoder: any Decoder) throws {
      MainActor.assertIsolated()
      id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
    }
  }

  nonisolated struct Other: Decodable, Sendable { let id: Int }

  /// A `nonisolated struct` cannot have wrappers; one in a `nonisolated enum` can.
  nonisolated enum Models {
    struct Tagged: Decodable, Sendable, Equatable {
      @Defaulted<ZeroValue> var stock: Int
      @Lossy var tags: [String]
    }
  }

  @Test func aTypeWithWrappersIsDecodedBySignals() async throws {
    let client = kit(#"{"tags": ["a", 1, "b"]}"#).client
    let tagged = try await client.enqueue(request: "/item", resultType: Models.Tagged.self).value().value
    expectEqual(tagged.stock, 0)
    expectEqual(tagged.tags, ["a", "b"])
  }

  private func kit(_ body: String, status: Int = 200, envelope: (any Envelope)? = nil) -> TestKit {
    let kit = TestKit { $0.stages.envelope = envelope }
    kit.stub.on(.get, "/item", .text(body, status: status, headers: ["Content-Type": "application/json"]))
    return kit
  }

  @Test func itIsDecodedOnItsActor() async throws {
    let client = kit(#"{"id": 7}"#).client
    try await expectEqual(client.value(of: "/item", as: Item.self), Item(id: 7))
    try await expectEqual(client.send("/item", as: Item.self).statusCode, 200)
    let typed = Request(.get, "/item").returning(Item.self)
    try await expectEqual(client.value(of: typed), Item(id: 7))
    try await expectEqual(client.send(typed).value, Item(id: 7))
    try await expectEqual(client.value(of: typed, as: Item.self), Item(id: 7))
    try await expectEqual(client.upload(typed, as: Item.self).value, Item(id: 7))
  }

  @Test func itsEnvelopeIsJudged() async throws {
    let kept = try await kit(#"{"code": 0, "msg": "fine", "data": {"id": 7}}"#, envelope: .codeMessageData).client
      .send("/item", as: Item.self)
    expectEqual(kept.value, Item(id: 7))
    expectEqual(kept.resultMessage, "fine")
    let client = kit(#"{"code": 1004, "msg": "no"}"#, envelope: .codeMessageData).client
    do {
      _ = try await client.value(of: "/item", as: Item.self)
      expect(false)
    } catch {
      expectEqual(error.code, .api(1004))
      expectEqual(error.message, "no")
    }
  }

  @Test(arguments: [#"{"id": "x"}"#, "{}", #"[{"id": 1}]"#, #""text""#, "7", "null", "", "{", #"{"data": [1]}"#])
  func itsFailuresAreThoseOfEveryOtherType(_ body: String) async throws {
    for envelope in [nil, KeyedEnvelope.codeMessageData] as [(any Envelope)?] {
      let client = kit(body, envelope: envelope).client
      var reasons: [String] = []
      do { _ = try await client.value(of: "/item", as: Item.self) } catch {
        reasons.append("\(error.code) \(error.reason)")
      }
      do { _ = try await client.value(of: "/item", as: Other.self) } catch {
        reasons.append("\(error.code) \(error.reason)")
      }
      expectEqual(reasons.count, 2)
      expectEqual(reasons.first?.replacing("Item", with: "Other"), reasons.last)
    }
  }

  @Test func aFailureOfTheStatusIsThrown() async throws {
    let client = kit("no", status: 404).client
    do {
      _ = try await client.value(of: "/item", as: Item.self)
      expect(false)
    } catch {
      expectEqual(error.code, .status(404))
    }
  }
}
