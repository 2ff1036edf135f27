import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct ParameterFailureTests {
  private func failure(_ value: some Encodable & Sendable) -> NetworkError? {
    let error = #expect(throws: NetworkError.self) { try Parameters(value).object() }
    expectEqual(error?.code, .invalidParameters)
    #expect(throws: NetworkError.self) { try ParameterRules().pairs(Parameters(value)) }
    #expect(throws: NetworkError.self) { try ParameterRules().json(Parameters(value)) }
    return error
  }

  @Test func reasonNamesThePlace() {
    struct Failing: Encodable {
      func encode(to encoder: any Encoder) throws { throw Mishap() }
    }
    struct Item: Encodable { let price: Failing }
    struct Order: Encodable { let items: [Item?] }
    let error = failure(["order": Order(items: [nil, Item(price: Failing())])])
    expectEqual(error?.reason, "order.items[1].price: cannot be encoded")
    expect(error?.underlying is Mishap)
    expectEqual(failure(Failing())?.reason, "the parameters: cannot be encoded")
  }

  @Test func codingPathOfAnEncodingErrorIsKept() {
    struct Failing: Encodable {
      func encode(to encoder: any Encoder) throws {
        let container = encoder.container(keyedBy: CodingKeys.self)
        let context = EncodingError.Context(
          codingPath: container.codingPath + [CodingKeys.secret], debugDescription: "hunter2")
        throw EncodingError.invalidValue(1, context)
      }
      enum CodingKeys: String, CodingKey { case secret }
    }
    let error = failure(["a": Failing()])
    expectEqual(error?.reason, "a.secret: cannot be encoded")
    expect(error?.underlying is EncodingError)
    expectEqual(error?.description.contains("hunter2"), false)
  }

  @Test func numbersThatAreNoneAreRefused() {
    expectEqual(failure(["a": [1, Double.nan]])?.reason, "a[1]: NaN and infinity cannot be written")
    expectEqual(failure(["a": -Float.infinity])?.reason, "a: NaN and infinity cannot be written")
    expectEqual(failure(["a": ["b": Decimal.nan]])?.reason, "a.b: NaN and infinity cannot be written")
    expectEqual(failure(["a": Double?.some(.infinity)])?.reason, "a: NaN and infinity cannot be written")
  }

  @Test func valuesWithoutNamesAreRefused() {
    for error in [failure([1, 2]), failure("text"), failure(1), failure(Date()), failure(Set(["a"]))] {
      expectEqual(error?.reason, "the parameters: a value without a parameter name")
    }
  }

  @Test func misusedContainersAreRefusedWithoutACrash() {
    struct Both: Encodable {
      func encode(to encoder: any Encoder) throws {
        _ = encoder.unkeyedContainer()
        var keyed = encoder.container(keyedBy: CodingKeys.self)
        try keyed.encode(1, forKey: .a)
      }
      enum CodingKeys: CodingKey { case a }
    }
    struct Twice: Encodable {
      func encode(to encoder: any Encoder) throws {
        var single = encoder.singleValueContainer()
        try single.encode(1)
        try single.encodeNil()
      }
    }
    expectEqual(failure(["b": Both()])?.reason, "b: requests containers of different kinds")
    expectEqual(failure(["t": [Twice()]])?.reason, "t[0]: encodes more than one value into a single-value container")
  }

  @Test func errorThatTheValueHandlesIsNone() throws {
    struct Forgiving: Encodable {
      func encode(to encoder: any Encoder) throws {
        var keyed = encoder.container(keyedBy: CodingKeys.self)
        try? keyed.encode([Double.nan], forKey: .a)
        try keyed.encode(1, forKey: .b)
      }
      enum CodingKeys: CodingKey { case a, b }
    }
    try expectEqual(Parameters(Forgiving()).object(), ["b": 1])
  }
}

private struct Mishap: Error {}
