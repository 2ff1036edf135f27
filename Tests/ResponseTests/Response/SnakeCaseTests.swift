import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

/// `JSONCoding.Keys.snakeCase` in bodies, parameters and responses.
struct SnakeCaseTests {
  struct Filter: Codable, Sendable, Equatable {
    struct Range: Codable, Sendable, Equatable { let minPrice: Int }

    var pageSize: Int
    var priceRange: Range?
    var moreRanges: [Range]?
    var byName: [String: Int]?
  }

  private static let filter = Filter(
    pageSize: 2, priceRange: .init(minPrice: 3), moreRanges: [.init(minPrice: 4)], byName: ["userID": 5])
  private static let json =
    #"{"by_name":{"userID":5},"more_ranges":[{"min_price":4}],"page_size":2,"price_range":{"min_price":3}}"#

  private let stubbed = Stubbed { $0.json = JSONCoding(keys: .snakeCase) }

  private func query(_ parameters: Parameters) throws -> String? {
    try stubbed.target(Request(.get, "/s", parameters: parameters)).removingPercentEncoding.map {
      String($0.dropFirst(3))
    }
  }

  @Test func theSameValueComesBack() async throws {
    let echo = try EchoServer { $0.json = JSONCoding(keys: .snakeCase) }
    let options = RequestOptions.with { $0.placement = .json }
    for request in [
      Request(.post, "/echo", body: .json(Self.filter)),
      Request(.post, "/echo", parameters: Parameters(Self.filter), options: options),
    ] {
      try await expectEqual(echo.client.value(of: request, as: Filter.self), Self.filter)
      expectEqual(echo.server.log.requests.last?.bodyText, Self.json)
    }
  }

  private struct Address: Codable, Sendable {
    struct Language: Codable, Hashable, CodingKeyRepresentable {
      let code: String
      var codingKey: any CodingKey { PathKey(stringValue: code) }

      init(_ code: String) { self.code = code }
      init?<Key: CodingKey>(codingKey: Key) { code = codingKey.stringValue }
    }

    enum CodingKeys: String, CodingKey {
      case addressLine1, texts
      case userID = "user_id"
    }

    var addressLine1: String?
    var userID: Int?
    var texts: [Language: String]?
  }

  /// As the guide says, and as Foundation does.
  @Test func digitsOwnKeysAndOtherDictionariesDoNotComeBack() async throws {
    let address = Address(addressLine1: "a", userID: 1, texts: [Address.Language("enUS"): "b"])
    let json = Request(.post, "/s", body: .json(address))
    let body = #"{"address_line1":"a","texts":{"en_us":"b"},"user_id":1}"#
    try expectEqual(stubbed.client.httpRequest(for: json).text, body)
    try expectEqual(query(Parameters(address)), "address_line1=a&texts[enUS]=b&user_id=1")
    stubbed.answer(#"{"address_line_1":"a","user_id":1,"texts":{"en_us":"b"}}"#)
    let back = try await stubbed.client.value(of: "/x", as: Address.self)
    expectEqual(back.addressLine1, "a")
    expectNil(back.userID)
    expectEqual(back.texts?.keys.map(\.code), ["enUs"])
  }

  @Test func codingKeysOfParametersAreConverted() throws {
    let expected = "page_size=2&price_range[min_price]=3&more_ranges[][min_price]=4&by_name[userID]=5"
    try expectEqual(query(Parameters(Self.filter)), expected)
    let form = Request(.post, "/s", parameters: Parameters(Filter(pageSize: 2)))
    try expectEqual(stubbed.client.httpRequest(for: form).text, "page_size=2")
    let own = Request(.get, "/s", query: Parameters(Filter(pageSize: 2)), options: .with { $0.json = JSONCoding() })
    try expectEqual(stubbed.target(own), "/s?pageSize=2")
  }

  @Test func namesOfDictionariesAndLiteralsStay() throws {
    let variable = ["minPrice": 1]
    let parameters: Parameters = [
      "pageSize": 2, "priceRange": variable, "moreRanges": ["minPrice": 3] as ParameterObject,
    ]
    try expectEqual(query(parameters), "pageSize=2&priceRange[minPrice]=1&moreRanges[minPrice]=3")
    try expectEqual(query(Parameters(["userID": 5, "minPrice": 6])), "minPrice=6&userID=5")
  }

  @Test func mergedParametersKeepTheirKinds() throws {
    let encoded = Parameters(Filter(pageSize: 2))
    try expectEqual(query(["pageNumber": 1] + encoded), "pageNumber=1&page_size=2")
    try expectEqual(query(encoded + ["pageNumber": 1]), "page_size=2&pageNumber=1")
    // The later value brings its kind of name along.
    try expectEqual(query(["pageSize": 1] + encoded), "page_size=2")
    try expectEqual(query(encoded + ["pageSize": 1]), "pageSize=1")
    try expectEqual(query(Parameters() + encoded + Parameters()), "page_size=2")
  }

  /// A common parameter and one of the request are the same if they are sent by the same name.
  @Test(arguments: [ParameterPlacement.query, .form, .json])
  func commonParametersAreReplacedByTheNameThatIsSent(_ placement: ParameterPlacement) throws {
    func encoded(_ pageSize: Int) -> Parameters { Parameters(Filter(pageSize: pageSize)) }
    func named(_ pageSize: Int) -> Parameters { ["page_size": pageSize] }
    for (common, own) in [(named(10), encoded(20)), (encoded(10), named(20))] {
      let shop = Bookshop(common: [CommonParameters("all", common)], defaultCommon: ["all"])
      let stubbed = Stubbed {
        $0.json = JSONCoding(keys: .snakeCase)
        $0.services = ServiceRegistry([shop])
      }
      let options = RequestOptions.with { $0.placement = placement }
      let request = Request(.post, "s", service: "books", parameters: own, options: options)
      let built = try stubbed.client.httpRequest(for: request)
      let text = placement == .query ? built.url.query ?? "" : built.text
      expectEqual(text, (placement == .json ? #"{"page_size":20}"# : "page_size=20"))
    }
  }

  @Test func theFieldsOfAnEnvelopeStay() async throws {
    stubbed.answer(#"{"errorCode":0,"data":{"page_size":2}}"#)
    let camel = Request(.get, "/x", options: .with { $0.stages = Self.wrapped("errorCode") })
    try await expectEqual(stubbed.client.value(of: camel, as: Filter.self).pageSize, 2)
    stubbed.answer(#"{"error_code":7,"data":{"page_size":2}}"#)
    let snake = Request(.get, "/x", options: .with { $0.stages = Self.wrapped("error_code") })
    let error = try await stubbed.client.failure(of: snake, as: Filter.self)
    expectEqual(error.code, .api(7))
  }

  private static func wrapped(_ code: String) -> Stages {
    Stages(envelope: KeyedEnvelope(code: code, payload: "data"))
  }

  /// One property of a name that is known at run time.
  private struct Property: Encodable {
    struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }

      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    let name: String

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(1, forKey: Key(stringValue: name))
    }
  }

  /// The conversion of `JSONEncoder`.
  private func converted(_ name: String) throws -> String {
    let data = try JSONCoding(keys: .snakeCase).makeEncoder().encode(Property(name: name))
    return try require(try JSONDecoder().decode([String: Int].self, from: data).keys.first)
  }

  @Test(
    arguments: [
      "a", "aB", "myURLProperty", "userID", "_private", "__x", "trailing_", "a1B2", "AbC", "é", "", "A", "aBC", "iOS",
      "userIDs", "éaÉ", "a_b", "already_snake",
    ])
  func theConversionIsThatOfFoundation(_ name: String) throws {
    try expectEqual(name.snakeCased, converted(name))
  }

  private struct Named: Decodable {
    let names: [String]
    init(from decoder: any Decoder) throws {
      names = try decoder.container(keyedBy: Property.Key.self).allKeys.map(\.stringValue)
    }
  }

  /// Names are read as `JSONDecoder` reads them, and written as `JSONEncoder` writes them.
  @Test func randomNamesAreThoseOfFoundation() throws {
    var dice = ParameterDice()
    let letters = Array("aabcxyzABC012_____éßŉǆ-.😀")
    for _ in 0..<Scale.count(2_000) {
      let name = String((0...dice.count(10)).map { _ in letters[dice.count(letters.count - 1)] })
      let body = try JSONEncoder().encode([name: 1])
      let read = try JSONCoding(keys: .snakeCase).makeDecoder().decode(Named.self, from: body).names
      if [name.camelCased] != read { Issue.record("seed \(dice.seed): \(name) is \(name.camelCased), not \(read)") }
      // A titlecase letter is neither a capital nor a small one.
      if !name.contains("ǅ") { try expectEqual(name.snakeCased, converted(name), "seed \(dice.seed)") }
    }
  }

  @Test(arguments: ["URL", "HTTPServer", "_Private", "foo_Bar", "aB1C"])
  func theConversionOfCapitalsIsThatOfFoundation(_ name: String) throws {
    let expected = try converted(name)
    expectEqual(name.snakeCased, expected)
  }
}
