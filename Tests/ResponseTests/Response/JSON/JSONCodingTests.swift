import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct JSONCodingTests {
  private struct Wrapper: Codable, Equatable {
    let id: Int
    let extra: JSON
    var more: JSON?
  }

  @Test(arguments: [
    "null", "true", "false", "0", "-1", "9223372036854775807", "18446744073709551615", "1.5", "1e300",
    "36893488147419103232", "9999999999999993.3", "-9999999999999993.3", "9007199254740993",
    "-9223372036854775808", "9300000000000000001.5", #""text""#, "[]", "{}", #"[1,"a",null,[true,{"b":[]}]]"#,
    #"{"a":{"b":{"c":[1,2,3]}},"d":null}"#,
  ])
  func isPartOfOtherTypes(_ text: String) throws {
    let value = try JSON(text: text)
    let body = Data(#"{"id":1,"extra":\#(text)}"#.utf8)
    let wrapper = try JSONDecoder().decode(Wrapper.self, from: body)
    expectEqual(wrapper, Wrapper(id: 1, extra: value))
    let again = try JSONDecoder().decode(Wrapper.self, from: JSONEncoder().encode(wrapper))
    expectEqual(again, wrapper)
    try expectEqual(JSON(data: JSONEncoder().encode([value])), [value])
  }

  @Test("S0-8") func aNullIsAValueAndAMissingNameIsNone() throws {
    func decode(_ text: String) throws -> Wrapper { try JSONDecoder().decode(Wrapper.self, from: Data(text.utf8)) }
    try expectEqual(decode(#"{"id":1,"extra":null,"more":null}"#), Wrapper(id: 1, extra: nil))
    #expect(throws: DecodingError.self) { try decode(#"{"id":1}"#) }
  }

  @Test func namesStayAsTheyAreWhateverTheStrategy() throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let body = Data(#"{"id":1,"extra":{"first_name":{"last_name":1}}}"#.utf8)
    try expectEqual(decoder.decode(Wrapper.self, from: body).extra, ["first_name": ["last_name": 1]])
  }

  @Test("S0-9") func aNumberThatIsTooLargeIsAnError() {
    #expect(throws: (any Error).self) { try JSONDecoder().decode(JSON.self, from: Data(#"{"a":[1e400]}"#.utf8)) }
  }

  @Test func aFaultInAPartIsNotTakenForAnotherKind() {
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(JSON.self, from: Data(#"{"a":[{"b":"\ud800"}]}"#.utf8))
    }
    if case .typeMismatch? = error { Issue.record("\(String(describing: error))") }
  }

  @Test("S0-8, S0-9", arguments: [true, false]) func isAsDeepAsTheLimitForDecoders(inArrays: Bool) async throws {
    let limit = JSON.maximumNestedDepth
    let depth = try await onSmallThread {
      let body = Data(deepText(limit, inArrays: inArrays).utf8)
      let value = try JSONDecoder().decode(JSON.self, from: body)
      let written = try JSONEncoder().encode(value)
      expectEqual(written, body)
      return value.depth
    }
    expectEqual(depth, limit)
    for depth in [limit + 1, 500, 1_000] {
      let isRefused = try await onSmallThread {
        let text = deepText(depth, inArrays: inArrays)
        let decoding = Result { try JSONDecoder().decode(JSON.self, from: Data(text.utf8)) }
        let value = try JSON(text: text)
        let encoding = Result { try JSONEncoder().encode(value) }
        if case .failure(is DecodingError) = decoding, case .failure(is EncodingError) = encoding { return true }
        return false
      }
      expect(isRefused, "\(depth)")
    }
  }

  @Test func isWrittenAndReadAsAPropertyListToo() throws {
    let value: JSON = ["a": [1, "b", true, 2.5], "c": ["d": [:]]]
    let list = try PropertyListEncoder().encode(value)
    try expectEqual(PropertyListDecoder().decode(JSON.self, from: list), value)
  }
}
