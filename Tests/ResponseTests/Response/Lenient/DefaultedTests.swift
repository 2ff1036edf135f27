import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct DefaultedTests {
  private enum Kind: String, Codable, DefaultValue {
    case lamp, chair, unknown
    static let defaultValue = Kind.unknown
  }

  private enum Five: DefaultValue {
    static let defaultValue = 5
  }

  private struct Item: Codable, Hashable, Sendable {
    @Defaulted<Kind> var kind: Kind
    @Defaulted<EmptyValue> var name: String
    @Defaulted<EmptyValue> var tags: [String]
    @Defaulted<EmptyValue> var prices: [String: Double]
    @Defaulted<EmptyValue> var sizes: Set<Int>
    @Defaulted<ZeroValue> var stock: Int
    @Defaulted<ZeroValue> var weight: Double
    @Defaulted<FalseValue> var isNew: Bool
    @Defaulted<TrueValue> var isVisible: Bool
    @Defaulted<Five> var stars: Int
  }

  private let defaults = Item(
    kind: .unknown, name: "", tags: [], prices: [:], sizes: [], stock: 0, weight: 0, isNew: false, isVisible: true,
    stars: 5)
  private let names = ["kind", "name", "tags", "prices", "sizes", "stock", "weight", "isNew", "isVisible", "stars"]

  @Test("P11") func whatIsThereIsTaken() throws {
    let (item, report) = try decodeLeniently(
      Item.self,
      #"""
      {"kind":"lamp","name":"A","tags":["b"],"prices":{"c":1},"sizes":[1,1],"stock":2,"weight":0.5,"isNew":true,
      "isVisible":false,"stars":1}
      """#)
    let expected = Item(
      kind: .lamp, name: "A", tags: ["b"], prices: ["c": 1], sizes: [1], stock: 2, weight: 0.5, isNew: true,
      isVisible: false, stars: 1)
    expectEqual(item, expected)
    expect(report.isEmpty)
    try expectEqual(decodeLeniently(Item.self, String(decoding: JSONEncoder().encode(item), as: UTF8.self)).0, expected)
  }

  @Test func aTextBeyondTheRangeIsNotInfinity() throws {
    struct Weights: Decodable {
      @Defaulted<NumberOrZero> var first: Float
      @Defaulted<NumberOrNil> var second: Float?
    }
    let (weights, report) = try decodeLeniently(Weights.self, #"{"first":"1e39","second":"-1e39"}"#)
    expectEqual(weights.first, 0)
    expectNil(weights.second)
    expectEqual(report.entries.map(\.path), ["first", "second"])
  }

  private struct Counts: Codable, Equatable, Sendable {
    @Defaulted<NumberOrZero> var files: Int
    @Defaulted<NumberOrNil> var size: Double?
    @Defaulted<NilValue> var page: URL?
  }

  @Test(
    arguments: [
      (#"{"files":126,"size":1.5,"page":"https://a.example"}"#, 126, 1.5, "https://a.example", []),
      (#"{"files":"126","size":"-1.5e1","page":"/b"}"#, 126, -15, "/b", []),
      (#"{"files":"1.5","size":"nan","page":7}"#, 0, nil, nil, ["files", "size", "page"]),
      (#"{"files":" 1","size":"0x1p3","page":{}}"#, 0, nil, nil, ["files", "size", "page"]),
      (#"{"files":true,"size":[],"page":[]}"#, 0, nil, nil, ["files", "size", "page"]),
      (#"{"files":"1","size":"1e400","page":"/b"}"#, 1, nil, "/b", ["size"]),
      // Null is what these two mean by `nil`, and nothing has been replaced.
      ("{}", 0, nil, nil, ["files"]), (#"{"files":1,"size":null,"page":null}"#, 1, nil, nil, []),
    ] as [(String, Int, Double?, String?, [String])])
  func aNumberMayBeTextAndWhatIsWrongNil(
    _ text: String, _ files: Int, _ size: Double?, _ page: String?, _ reported: [String]
  ) throws {
    let (counts, report) = try decodeLeniently(Counts.self, text)
    expectEqual(counts.files, files)
    expectEqual(counts.size, size)
    expectEqual(counts.page?.absoluteString, page)
    expectEqual(report.entries.map(\.path), reported)
  }

  /// A server takes a null in a PATCH as the wish to clear the field.
  @Test(
    arguments: [
      (#"{"files":1,"page":7}"#, #"{"files":1}"#, "files=1"), (#"{"files":1,"size":null}"#, #"{"files":1}"#, "files=1"),
      (#"{"files":1,"size":1.5,"page":"/b"}"#, #"{"files":1,"page":"/b","size":1.5}"#, "files=1&size=1.5&page=/b"),
    ])
  func nilIsOmittedAsOfAPlainOptional(_ text: String, _ body: String, _ query: String) throws {
    let counts = try decodeLeniently(Counts.self, text).0
    let client = Stubbed().client
    let json = Request(.patch, "/x", body: .json(counts))
    try expectEqual(client.httpRequest(for: json).text, body)
    let parameters = Request(.post, "/x", parameters: Parameters(counts), options: .with { $0.placement = .json })
    try expectEqual(client.httpRequest(for: parameters).text, body)
    let rules = ParameterRules(nulls: .empty)
    let pairs = try rules.pairs(Parameters(counts)).map { "\($0.name)=\($0.value ?? "-")" }
    expectEqual(pairs.joined(separator: "&"), query)
  }

  @Test func theStrategiesOfTheEncoderAreKept() throws {
    struct Event: Codable {
      @Defaulted<NilValue> var startsAt: Date?
      @Defaulted<NilValue> var prices: [String: Int]?
    }
    let encoder = JSONEncoder()
    (encoder.dateEncodingStrategy, encoder.keyEncodingStrategy) = (.secondsSince1970, .convertToSnakeCase)
    encoder.outputFormatting = .sortedKeys
    let event = Event(startsAt: Date(timeIntervalSince1970: 7), prices: ["aB": 1])
    try expectEqual(
      String(decoding: encoder.encode(event), as: UTF8.self), #"{"prices":{"aB":1},"starts_at":7}"#)
  }

  @Test func anotherDefaultOfAnOptionalIsReported() throws {
    enum FiveOrNil: DefaultValue { static let defaultValue: Int? = 5 }
    struct Rated: Decodable { @Defaulted<FiveOrNil> var stars: Int? }
    let (rated, report) = try decodeLeniently(Rated.self, "{}")
    expectEqual(rated.stars, 5)
    expectEqual(report.entries.map(\.path), ["stars"])
  }

  @Test("S0-8, P11") func whatIsMissingIsDefaulted() throws {
    let (item, report) = try decodeLeniently(Item.self, "{}")
    expectEqual(item, defaults)
    expectEqual(report.entries.map(\.path), names)
    expect(report.entries.allSatisfy { $0.found == "nothing" && $0.action == .defaulted })
  }

  @Test("S0-8, P11") func nullIsDefaulted() throws {
    let text = "{" + names.map { #""\#($0)":null"# }.joined(separator: ",") + "}"
    let (item, report) = try decodeLeniently(Item.self, text)
    expectEqual(item, defaults)
    expectEqual(report.entries.map(\.path), names)
    expect(report.entries.allSatisfy { $0.found == "null" })
  }

  @Test(
    "S0-9, P11",
    arguments: [
      (#"{"kind":1}"#, "kind: number, not String: defaulted"), (#"{"name":1}"#, "name: number, not String: defaulted"),
      (#"{"tags":["a",1]}"#, "tags[1]: number, not String: defaulted"),
      (#"{"prices":[]}"#, "prices: array, not object: defaulted"),
      (#"{"sizes":{}}"#, "sizes: object, not array: defaulted"),
      (#"{"stock":"2"}"#, "stock: string, not Int: defaulted"),
      (#"{"stock":1.5}"#, "stock: a value that does not fit, not Int: defaulted"),
      (#"{"stock":9223372036854775808}"#, "stock: a value that does not fit, not Int: defaulted"),
      (#"{"weight":1e400}"#, "weight: a value that does not fit, not Double: defaulted"),
      (#"{"weight":"NaN"}"#, "weight: string, not Double: defaulted"),
      (#"{"isNew":1}"#, "isNew: number, not Bool: defaulted"),
      (#"{"isVisible":"yes"}"#, "isVisible: string, not Bool: defaulted"),
      (#"{"stars":[]}"#, "stars: array, not Int: defaulted"),
    ])
  func whatIsWrongIsDefaulted(_ text: String, _ line: String) throws {
    let (item, report) = try decodeLeniently(Item.self, text)
    expectEqual(item, defaults)
    let wrong = report.entries.filter { $0.found != "nothing" }
    expectEqual(wrong.map(\.description), [line])
  }

  @Test("P11") func anUnknownCaseIsTheSourceOfItsOwnDefault() throws {
    let (item, report) = try decodeLeniently(Item.self, #"{"kind":"table"}"#)
    expectEqual(item.kind, .unknown)
    let entry = try require(report.entries.first { $0.path == "kind" })
    expectEqual(entry.expected, "Kind")
    expect(entry.found.contains("table"))
  }

  @Test func theStrategiesOfTheDecoderAreKept() throws {
    enum Epoch: DefaultValue { static let defaultValue = Date(timeIntervalSince1970: 0) }
    struct Event: Decodable {
      @Defaulted<Epoch> var startsAt: Date
      @Defaulted<Epoch> var endsAt: Date
    }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let event = try decoder.decode(Event.self, from: Data(#"{"starts_at":7,"ends_at":"x"}"#.utf8))
    expectEqual(event.startsAt, Date(timeIntervalSince1970: 7))
    expectEqual(event.endsAt, Date(timeIntervalSince1970: 0))
  }

  @Test func decodingWithoutAReportIsTheSame() throws {
    try expectEqual(JSONDecoder().decode(Item.self, from: Data(#"{"stock":"x"}"#.utf8)), defaults)
  }
}
