import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Each name of another library gives what ours gives.
struct SynonymsTests {
  private struct Order: Codable, Sendable, Equatable {
    var itemCount = 7
  }

  private let stubbed = Stubbed()

  /// The request as bytes would be sent, on one line.
  private func sent(_ request: Request) throws -> String {
    let request = try stubbed.client.httpRequest(for: request)
    return "\(request.method.rawValue) \(request.address) \(request.headers.map { "\($0.name)=\($0.value)" }) "
      + "\(request.text) \(request.idleTimeout)"
  }

  @Test func requestsAreTheSame() throws {
    let order = Order()
    let encoder = JSONCoding(keys: .snakeCase).makeEncoder()
    let ours = Request(.post, "/x", body: .json(order), options: .with { $0.json = JSONCoding(keys: .snakeCase) })
    try expect(sent(ours).contains(#"{"item_count":7}"#))
    let token = Request(.get, "/x", headers: ["Authorization": "Bearer t", "Accept": "text/csv"])
    let basic = try Authorization.basic(user: "ada", password: "päss").headerValue
    let pairs: [(Request, Request)] = [
      (Request(.post, "/x", body: .json(order, encoder: encoder)), ours),
      (Request(.post, "/x", body: .json(order, coding: JSONCoding(keys: .snakeCase))), ours),
      (Request(.get, "/x", headers: [.authorization(bearerToken: "t"), .accept("text/csv")]), token),
      (Request(.get, "/x", headers: HTTPHeaders([.authorization("Bearer t"), .accept("text/csv")])), token),
      (
        Request(.get, "/x", headers: [.authorization(username: "ada", password: "päss")]),
        Request(.get, "/x", headers: ["Authorization": basic])
      ),
      (
        Request(.get, "/x", headers: [.acceptLanguage("en"), .userAgent("a"), .contentType("text/csv")]),
        Request(.get, "/x", headers: ["Accept-Language": "en", "User-Agent": "a", "Content-Type": "text/csv"])
      ),
    ]
    for (guess, request) in pairs { try expectEqual(sent(guess), sent(request)) }
  }

  @Test func jsonThatCannotBeEncodedFailsTheRequest() throws {
    let body = RequestBody.json([Double.nan], encoder: JSONEncoder())
    expectEqual("\(body)", "JSON of Array<Double>")
    let error = #expect(throws: NetworkError.self) {
      try stubbed.client.httpRequest(for: Request(.post, "/x", body: body))
    }
    expectEqual(error?.code, .invalidBody)
    expect(error?.underlying is EncodingError)
  }

  @Test func headerFieldsAreTheSame() {
    let fields: HTTPHeaders = [.accept("text/csv"), .accept("text/html")]
    expectEqual(fields, ["accept": "text/csv", "Accept": "text/html"])
    expect(!"\(HTTPHeaders.Field.authorization(bearerToken: "hunter2"))".contains("hunter2"))
  }

  @Test func clientsAreTheSame() throws {
    let transport = StubTransport()
    let url = try require(URL(string: "https://a.example/v1"))
    let recovery = Recovery { _ in }
    let ours = NetworkClient(baseURL: url) {
      $0.headers = ["A": "b"]
      $0.idleTimeout = .seconds(5)
      $0.retry = Retry(limit: 3)
      $0.middleware = [.bearer { "t" }]
      $0.recoveries = [recovery]
      $0.monitors = [ConsoleMonitor()]
      $0.transport = transport
    }
    let guesses = [
      NetworkClient(
        .init(
          baseURL: url, headers: ["A": "b"], idleTimeout: .seconds(5), retry: Retry(limit: 3),
          middleware: [.bearer { "t" }], recoveries: [recovery], monitors: [ConsoleMonitor()], transport: transport))
    ]
    for guess in guesses {
      let (guess, ours) = (guess.configuration, ours.configuration)
      expectEqual(guess.baseURL, ours.baseURL)
      expectEqual(guess.headers, ours.headers)
      expectEqual(guess.idleTimeout, ours.idleTimeout)
      expectEqual(guess.retry.limit, ours.retry.limit)
      expectEqual(guess.middleware.count, ours.middleware.count)
      expect(guess.recoveries.first === ours.recoveries.first)
      expectEqual(guess.monitors.count, ours.monitors.count)
      expect((guess.transport as? StubTransport) === transport)
    }
  }

  @Test func aTaskMayThrowAnything() async throws {
    struct Odd: Error {}
    let fails = NetworkError(.status(404))
    let (same, odd) = (
      SignalRecorder(Signal<Int, NetworkError>.task { throw fails }),
      SignalRecorder(Signal<Int, NetworkError>.task { throw Odd() })
    )
    await same.waitForEnd()
    await odd.waitForEnd()
    expectEqual(same.failure?.code, .status(404))
    expectEqual(odd.failure?.code, .transformFailed)
    expect(odd.failure?.underlying is Odd)
    let gone = SignalRecorder(Signal<Int, NetworkError>.task { throw CancellationError() })
    await gone.waitForEnd()
    expectEqual(gone.failure?.isCancelled, true)
    let client = stubbed.client
    stubbed.answer("5")
    let read = Signal<Int, NetworkError>.task { try await client.value(of: "/x", as: Int.self) }
    try await expectEqual(read.value(), 5)
  }
}
