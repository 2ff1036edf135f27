import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Each JSON value in the place of each field: a value or an error that says where, and never a trap.
struct WrongTypeTests {
  private enum Colour: String, Codable, Sendable { case red }
  private enum Size: Int, Codable, Sendable { case small }

  private struct Inner: Codable, Sendable { let a: Int }

  private struct Everything: Codable, Sendable {
    var int: Int?
    var int8: Int8?
    var int64: Int64?
    var uint: UInt?
    var uint8: UInt8?
    var int128: Int128?
    var float: Float?
    var double: Double?
    var decimal: Decimal?
    var bool: Bool?
    var string: String?
    var date: Date?
    var data: Data?
    var url: URL?
    var uuid: UUID?
    var colour: Colour?
    var size: Size?
    var array: [Int]?
    var deep: [[String: [Int]]]?
    var set: Set<String>?
    var names: [String: Int]?
    var numbers: [Int: Bool]?
    var inner: Inner?
    var any: JSON?
  }

  private struct Lenient: Codable, Sendable {
    @Lossy var array: [Int]
    @Lossy var deep: [[String: [Int]]]
    @Lossy var set: Set<String>
    @Lossy var names: [String: Int]
    @Defaulted<ZeroValue> var int: Int
    @Defaulted<ZeroValue> var int8: Int8
    @Defaulted<ZeroValue> var double: Double
    @Defaulted<FalseValue> var bool: Bool
    @Defaulted<EmptyValue> var string: String
  }

  private static let fields = [
    "int", "int8", "int64", "uint", "uint8", "int128", "float", "double", "decimal", "bool", "string", "date", "data",
    "url", "uuid", "colour", "size", "array", "deep", "set", "names", "numbers", "inner", "any",
  ]
  private static let values = [
    "null", "true", "false", "0", "-0", "1", "-1", "255", "256", "-129", "1.0", "1.5", "1e3", "1e-9", "-0.0",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
    "18446744073709551616", "340282366920938463463374607431768211456", "1e38", "1e39", "1e308", "1e400", "-1e400",
    "1e-400", "0.1234567890123456789012345678901234567890", #""""#, #""1""#, #""NaN""#, #""Infinity""#, #""-inf""#,
    #""true""#, #""null""#, #""red""#, #""AQI=""#, #""not base64!""#, #""http://a.example/""#, #""http://[""#,
    #""2026-01-02T03:04:05Z""#, #""99999999-9999-9999-9999-999999999999""#, #""\u0000""#, #""😀""#, #""\ud800""#, "[]",
    "[null]", "[1]", "[1.5]", #"["a","a"]"#, "[[[[]]]]", "{}", #"{"a":1}"#, #"{"a":null}"#, #"{"1":true}"#,
    #"{"x":true}"#, #"{"":{}}"#, "[1,2,{}]", String(repeating: "[", count: 400) + String(repeating: "]", count: 400),
  ]

  private static let strategies: [@Sendable (JSONDecoder) -> Void] = [
    { _ in },
    { decoder in
      decoder.dateDecodingStrategy = .iso8601
      decoder.dataDecodingStrategy = .deferredToData
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      decoder.nonConformingFloatDecodingStrategy = .convertFromString(
        positiveInfinity: "Infinity", negativeInfinity: "-inf", nan: "NaN")
    },
    { $0.dateDecodingStrategy = .millisecondsSince1970 },
  ]

  private func client(_ body: String, _ adjust: @escaping @Sendable (JSONDecoder) -> Void) -> NetworkClient {
    let stub = StubTransport()
    stub.on(.get, "/", .json(body))
    var configuration = NetworkClient.Configuration(transport: stub)
    configuration.processing = .immediate
    configuration.json = JSONCoding(configureDecoder: adjust)
    return NetworkClient(configuration)
  }

  @Test("S0-9 P10", arguments: fields) func everyValueInAFieldIsAValueOrAnError(_ field: String) {
    for (index, adjust) in Self.strategies.enumerated() {
      for value in Self.values {
        let body = #"{"\#(field)":\#(value)}"#
        let recorder = SignalRecorder(
          client(body, adjust).enqueue(request: "https://a.example/", resultType: Everything.self))
        expect(recorder.isCompleted || recorder.failure != nil, "\(body)")
        guard let failure = recorder.failure else { continue }
        expectEqual(failure.domain, .processing, "\(index) \(body): \(failure)")
        expectEqual(failure.response?.value, Data(body.utf8))
        if value == "null" { Issue.record("\(body): \(failure)") }
      }
    }
  }

  @Test("S0-9, P11") func everyValueInALenientFieldIsAValue() {
    let names = ["array", "deep", "set", "names", "int", "int8", "double", "bool", "string"]
    for adjust in Self.strategies {
      for field in names {
        for value in Self.values {
          let body = #"{"\#(field)":\#(value)}"#
          let recorder = SignalRecorder(
            client(body, adjust).enqueue(request: "https://a.example/", resultType: Lenient.self))
          expectEqual(recorder.values.count, 1, "\(body)")
          expect(recorder.isCompleted, "\(body)")
        }
      }
    }
  }

  @Test("S0-9", arguments: values) func everyValueIsALoneBodyToo(_ value: String) {
    let recorder = SignalRecorder(client(value, { _ in }).enqueue(request: "https://a.example/", resultType: JSON.self))
    let direct = try? JSON(text: value)
    expectEqual(recorder.values.first?.value, direct, "\(value)")
    expectEqual(recorder.failure?.domain, direct == nil ? .processing : nil, "\(value)")
  }
}
