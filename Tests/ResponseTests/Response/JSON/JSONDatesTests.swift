import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Dates in JSON: one rule for bodies, parameters and responses.
struct JSONDatesTests {
  struct Visit: Codable, Sendable, Equatable { let at: Date }

  private static let second = Date(timeIntervalSince1970: 1_767_323_045)

  /// The rule, a date and its form in JSON.
  private static let forms: [(JSONCoding.Dates, Date, String)] = [
    (.iso8601, second, #""2026-01-02T03:04:05Z""#), (.iso8601, second + 0.25, #""2026-01-02T03:04:05.250Z""#),
    (.iso8601, Date(timeIntervalSince1970: 0), #""1970-01-01T00:00:00Z""#),
    (.iso8601, Date(timeIntervalSince1970: -12_000_000_000), #""1589-09-26T02:40:00Z""#),
    (.secondsSince1970, second, "1767323045"), (.millisecondsSince1970, second + 0.25, "1767323045250"),
  ]

  @Test func theDefaultIsISO8601() {
    expectEqual(JSONCoding().dates, .iso8601)
    expectEqual(NetworkClient.Configuration(transport: StubTransport()).json.dates, .iso8601)
  }

  @Test(arguments: forms) func theSameDateComesBack(_ dates: JSONCoding.Dates, _ date: Date, _ form: String)
    async throws
  {
    let echo = try EchoServer { $0.json = JSONCoding(dates: dates) }
    let visit = Visit(at: date)
    let requests = [
      Request(.post, "/echo", body: .json(visit)),
      Request(.post, "/echo", parameters: Parameters(visit), options: .with { $0.placement = .json }),
      Request(.post, "/echo", parameters: ["at": date], options: .with { $0.placement = .json }),
    ]
    for request in requests {
      try await expectEqual(echo.client.value(of: request, as: Visit.self), visit)
    }
    expectEqual(echo.server.log.requests.map(\.bodyText), Array(repeating: #"{"at":\#(form)}"#, count: 3))
    // The query has the same text, without the quotation marks.
    let text = form.filter { $0 != "\"" }
    echo.server.route("GET", "/query") { .json(#"{"at":\#($0.queryValue("at") == text ? form : "null")}"#) }
    for parameters in [Parameters(visit), ["at": date]] {
      let request = Request(.get, "/query", parameters: parameters)
      try await expectEqual(echo.client.value(of: request, as: Visit.self), visit)
    }
  }

  @Test(arguments: [(0.007, "05.007Z"), (0.0004, "05Z"), (0.123_456, "05.123Z"), (0.999_9, "06Z")])
  func aDateIsTakenToTheNearestMillisecond(_ offset: Double, _ end: String) async throws {
    let echo = try EchoServer()
    let visit = Visit(at: Self.second + offset)
    let back = try await echo.client.value(of: Request(.post, "/echo", body: .json(visit)), as: Visit.self)
    expect(abs(back.at.timeIntervalSince(visit.at)) < 0.000_501)
    expectEqual(echo.server.log.requests.last?.bodyText, #"{"at":"2026-01-02T03:04:\#(end)"}"#)
  }

  @Test(
    arguments: [(0.250_123_8, "1767323045250"), (0.000_6, "1767323045001"), (-1_767_323_045.000_4, "0")]
      as [(Double, String)])
  func millisecondsAreWholeInBodiesToo(_ offset: Double, _ text: String) throws {
    let client = Stubbed { $0.json = JSONCoding(dates: .millisecondsSince1970) }.client
    let visit = Visit(at: Self.second + offset)
    try expectEqual(client.httpRequest(for: Request(.post, "/x", body: .json(visit))).text, #"{"at":\#(text)}"#)
    let parameters = Request(.post, "/x", parameters: Parameters(visit), options: .with { $0.placement = .json })
    try expectEqual(client.httpRequest(for: parameters).text, #"{"at":\#(text)}"#)
  }

  @Test func millisecondsThatDoNotFitAreNotSent() async throws {
    let stubbed = Stubbed { $0.json = JSONCoding(dates: .millisecondsSince1970) }
    let visit = Visit(at: Date(timeIntervalSince1970: 1e17))
    let error = try await stubbed.client.failure(of: Request(.post, "/x", body: .json(visit)), as: Visit.self)
    expectEqual(error.code, .invalidBody)
    expect(stubbed.stub.requests.isEmpty)
  }

  @Test func aDateBeforeTheGregorianCalendarComesBack() async throws {
    let echo = try EchoServer()
    let visit = Visit(at: .distantPast)
    let back = try await echo.client.value(of: Request(.post, "/echo", body: .json(visit)), as: Visit.self)
    expectEqual(back, visit)
    let future = Visit(at: .distantFuture)
    try await expectEqual(echo.client.value(of: Request(.post, "/echo", body: .json(future)), as: Visit.self), future)
  }

  @Test(
    arguments: [
      ("2026-01-02T03:04:05Z", 0), ("2026-01-02T03:04:05.5Z", 0.5), ("2026-01-02T03:04:05.250Z", 0.25),
      ("2026-01-02T05:04:05+02:00", 0), ("2026-01-01T21:34:05.250-05:30", 0.25),
      ("2026-01-02T03:04:05.123456Z", 0.123_456), ("2026-01-02T03:04:05+00:00", 0),
    ])
  func aResponseMayHaveAFractionAndAnOffset(_ text: String, _ offset: Double) async throws {
    let stubbed = Stubbed()
    stubbed.answer(#"{"at":"\#(text)"}"#)
    let visit = try await stubbed.client.value(of: "/x", as: Visit.self)
    expect(abs(visit.at.timeIntervalSince(Self.second + offset)) < 0.000_001)
  }

  private func failure(of json: String) async throws -> NetworkError {
    struct Page: Decodable, Sendable { let visits: [Visit] }
    let stubbed = Stubbed()
    stubbed.answer(#"{"visits":[{"at":"2026-01-02T03:04:05Z"},{"at":\#(json)}]}"#)
    return try await stubbed.client.failure(of: "/x", as: Page.self)
  }

  @Test(arguments: [#""tomorrow""#, #""2026-01-02""#, #""2026-13-01T00:00:00Z""#, #""""#, "1767323045", "{}", "null"])
  func aWrongDateNamesItsPlace(_ json: String) async throws {
    let error = try await failure(of: json)
    expectEqual(error.code, .unexpectedShape)
    expect(error.reason.hasPrefix("visits[1].at is "), "\(error.reason)")
  }

  @Test(arguments: ["2026-02-30T00:00:00Z", "2026-01-02T25:00:00Z", "2026-01-02T03:04:05Zebra"])
  func aDateThatIsNoneIsRefused(_ text: String) async throws {
    let error = try await failure(of: #""\#(text)""#)
    expectEqual(error.code, .unexpectedShape)
  }

  @Test func aDateOutOfRangeIsNotSent() async throws {
    let stubbed = Stubbed()
    let visit = Visit(at: Date(timeIntervalSince1970: 253_402_300_800))
    let body = try await stubbed.client.failure(of: Request(.post, "/x", body: .json(visit)), as: Visit.self)
    expectEqual(body.code, .invalidBody)
    let query = try await stubbed.client.failure(of: Request(.get, "/x", query: Parameters(visit)), as: Visit.self)
    expectEqual(query.code, .invalidParameters)
    expect(stubbed.stub.requests.isEmpty)
  }
}
