import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// The rules for JSON besides dates and keys, and who states them.
struct JSONRulesTests {
  struct File: Codable, Sendable, Equatable { let bytes: Data }
  struct Sample: Codable, Sendable, Equatable { let values: [Double] }
  struct Visit: Codable, Sendable, Equatable { let at: Date }

  private static let date = Date(timeIntervalSince1970: 1_767_323_045)

  @Test(arguments: [(JSONCoding.DataFormat.base64, #""AQI/""#), (.array, "[1,2,63]")])
  func dataIsTextOrAnArray(_ format: JSONCoding.DataFormat, _ form: String) async throws {
    let echo = try EchoServer { $0.json = JSONCoding(data: format) }
    let file = File(bytes: Data([1, 2, 63]))
    try await expectEqual(echo.client.value(of: Request(.post, "/echo", body: .json(file)), as: File.self), file)
    expectEqual(echo.server.log.requests.last?.bodyText, #"{"bytes":\#(form)}"#)
    let parameters = Request(.post, "/echo", parameters: Parameters(file), options: .with { $0.placement = .json })
    let sent = try echo.client.httpRequest(for: parameters).text
    if format == .base64 {
      expectEqual(sent, #"{"bytes":\#(form)}"#)
    } else {
      expectEqual(sent, #"{"bytes":"AQI/"}"#, "parameters are base64 in any case, not \(form)")
    }
  }

  @Test func numbersThatJSONDoesNotHaveAreRefused() async throws {
    let stubbed = Stubbed()
    stubbed.answer(#"{"values":[1,"NaN"]}"#)
    let sample = Sample(values: [.nan])
    let sent = try await stubbed.client.failure(of: Request(.post, "/x", body: .json(sample)), as: Sample.self)
    expectEqual(sent.code, .invalidBody)
    expect(stubbed.stub.requests.isEmpty)
    let received = try await stubbed.client.failure(of: "/x", as: Sample.self)
    expectEqual(received.code, .unexpectedShape)
    expect(received.reason.hasPrefix("values[1] is a string, not Double"))
  }

  @Test func numbersThatJSONDoesNotHaveMayBeTexts() async throws {
    let texts = JSONCoding.NonFinite.strings(positiveInfinity: "+inf", negativeInfinity: "-inf", nan: "nan")
    let echo = try EchoServer { $0.json = JSONCoding(nonFinite: texts) }
    let request = Request(.post, "/echo", body: .json(Sample(values: [.infinity, -.infinity, .nan, 1.5])))
    let back = try await echo.client.value(of: request, as: Sample.self)
    expectEqual(back.values.prefix(2), [.infinity, -.infinity])
    expect(back.values[2].isNaN)
    expectEqual(back.values[3], 1.5)
    expectEqual(echo.server.log.requests.last?.bodyText, #"{"values":["+inf","-inf","nan",1.5]}"#)
    let parameters = Request(.get, "/echo", query: Parameters(Sample(values: [.nan])))
    #expect(throws: NetworkError.self) { try echo.client.httpRequest(for: parameters) }
  }

  private struct Clockwork: Service {
    let id: ServiceID = "clock"
    let json: JSONCoding?

    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
      URL(string: "https://a.example/v1").map { ServiceAddresses($0) }
    }
  }

  /// The rules of service and request, and the form of the date.
  private static let levels: [(JSONCoding.Dates?, JSONCoding.Dates?, String)] = [
    (nil, nil, #""2026-01-02T03:04:05Z""#), (.secondsSince1970, nil, "1767323045"),
    (nil, .millisecondsSince1970, "1767323045000"), (.secondsSince1970, .millisecondsSince1970, "1767323045000"),
    (.secondsSince1970, .iso8601, #""2026-01-02T03:04:05Z""#),
  ]

  @Test(arguments: levels) func theRequestComesBeforeTheServiceBeforeTheClient(
    _ service: JSONCoding.Dates?, _ request: JSONCoding.Dates?, _ form: String
  ) async throws {
    let stubbed = Stubbed {
      $0.services = ServiceRegistry([Clockwork(json: service.map { JSONCoding(dates: $0) })])
    }
    let options = RequestOptions.with {
      $0.json = request.map { JSONCoding(dates: $0) }
      $0.placement = .json
    }
    let visit = Visit(at: Self.date)
    let body = Request(.post, "x", service: "clock", body: .json(visit), options: options)
    let parameters = Request(.post, "x", service: "clock", parameters: Parameters(visit), options: options)
    for request in [body, parameters] {
      try expectEqual(stubbed.client.httpRequest(for: request).text, #"{"at":\#(form)}"#)
    }
    stubbed.answer(#"{"at":\#(form)}"#)
    let response = Request(.get, "x", service: "clock", options: options)
    try await expectEqual(stubbed.client.value(of: response, as: Visit.self), visit)
  }

  @Test func encodersAndDecodersMayBeConfigured() async throws {
    struct Named: Decodable, Sendable {
      let name: String?

      init(from decoder: any Decoder) throws { name = decoder.userInfo[.named] as? String }
    }
    let echo = try EchoServer { configuration in
      configuration.json = JSONCoding(
        configureEncoder: { $0.outputFormatting = [.prettyPrinted, .sortedKeys] },
        configureDecoder: { $0.userInfo[.named] = "Ada" })
    }
    let request = Request(.post, "/echo", body: .json(["b": 1, "a": 2]))
    try await expectEqual(echo.client.value(of: request, as: Named.self).name, "Ada")
    expectEqual(echo.server.log.requests.last?.bodyText, "{\n  \"a\" : 2,\n  \"b\" : 1\n}")
    // The last word: it may replace a rule.
    let coding = JSONCoding(configureEncoder: { $0.dateEncodingStrategy = .secondsSince1970 })
    try expectEqual(coding.makeEncoder().encode([Self.date]), Data("[1767323045]".utf8))
    expect(coding.makeEncoder() !== coding.makeEncoder())
    expect(coding.makeDecoder() !== coding.makeDecoder())
  }

  @Test func equalValuesGiveEqualBytes() throws {
    let names = Dictionary(uniqueKeysWithValues: (0..<40).map { ("k\($0)", "a/b") })
    var others: [String: String] = [:]
    others.reserveCapacity(1_000)
    for number in (0..<40).reversed() { others["k\(number)"] = "a/b" }
    let bytes = try JSONCoding().makeEncoder().encode(names)
    try expectEqual(JSONCoding().makeEncoder().encode(others), bytes)
    expect(String(decoding: bytes, as: UTF8.self).contains(#":"a/b""#))
  }

  @Test func theBodyOfAnErrorIsDecodedByTheSameRules() async throws {
    let stubbed = Stubbed()
    stubbed.answer(#"{"at":"2026-01-02T03:04:05Z"}"#, status: 409)
    let error = try await stubbed.client.failure(of: "/x", as: Int.self)
    try expectEqual(error.decode(as: Visit.self), Visit(at: Self.date))
    let wrong = #expect(throws: NetworkError.self) {
      try error.decode(as: Visit.self, coding: JSONCoding(dates: .secondsSince1970))
    }
    expectEqual(wrong?.code, .unexpectedShape)
    expect(wrong?.underlying is DecodingError)
    stubbed.answer(#"{"at":1767323045}"#, status: 409)
    let seconds = try await stubbed.client.failure(of: "/x", as: Int.self)
    try expectEqual(seconds.decode(as: Visit.self, coding: JSONCoding(dates: .secondsSince1970)), Visit(at: Self.date))
  }
}

extension CodingUserInfoKey {
  fileprivate static var named: CodingUserInfoKey { CodingUserInfoKey(rawValue: "named").unsafelyUnwrapped }
}
