import Foundation
import Heliograph
import HeliographTesting
import Testing

/// Each name of another library gives what ours gives.
@Suite struct SynonymsTests {
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
    #expect(try sent(ours).contains(#"{"item_count":7}"#))
    let ten = Request(.get, "/x", idleTimeout: .seconds(10))
    let token = Request(.get, "/x", headers: ["Authorization": "Bearer t", "Accept": "text/csv"])
    let basic = try Authorization.basic(user: "ada", password: "päss").headerValue
    let pairs: [(Request, Request)] = [
      (Request(.post, "/x", body: .json(order, encoder: encoder)), ours),
      (Request(.post, "/x", body: .json(order, coding: JSONCoding(keys: .snakeCase))), ours),
      (Request(.get, "/x", timeout: .seconds(10)), ten),
      (Request(.get, "/x", options: .init(timeout: .seconds(10))), ten),
      (Request(.get, "/x", options: .with { $0.timeout = .seconds(10) }), ten),
      (Request(.get, "/x", timeout: .seconds(1), idleTimeout: .seconds(10)), ten),
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
    for (guess, request) in pairs { #expect(try sent(guess) == sent(request)) }
  }

  @Test func jsonThatCannotBeEncodedFailsTheRequest() throws {
    let body = RequestBody.json([Double.nan], encoder: JSONEncoder())
    #expect("\(body)" == "JSON of Array<Double>")
    let error = #expect(throws: NetworkError.self) {
      try stubbed.client.httpRequest(for: Request(.post, "/x", body: body))
    }
    #expect(error?.domain == .client && error?.code == .invalidBody && error?.underlying is EncodingError)
  }

  @Test func multipartsAreTheSame() throws {
    let file = URL(fileURLWithPath: "/tmp/lamp.jpg")
    let bytes = Data("ab".utf8)
    var guess = Multipart()
    guess.append("Ada", name: "owner")
    guess.append(file: file, name: "photo")
    guess.append(file: file, name: "photo", fileName: "a.png", contentType: "image/png")
    guess.append(bytes, withName: "raw", fileName: "b.bin", mimeType: "image/png")
    guess.append(file, withName: "again", fileName: "c.png", mimeType: "image/png")
    #expect(
      guess == [
        .text("owner", "Ada"), .file("photo", file), .file("photo", file, fileName: "a.png", contentType: "image/png"),
        .data("raw", bytes, fileName: "b.bin", contentType: "image/png"),
        .file("again", file, fileName: "c.png", contentType: "image/png"),
      ])
  }

  @Test func headerFieldsAreTheSame() {
    var fields: HTTPHeaders = [.accept("text/csv"), .accept("text/html")]
    fields.add(name: "X-A", value: "1")
    #expect(fields == ["accept": "text/csv", "Accept": "text/html", "X-A": "1"])
    #expect(fields.value(for: "accept") == fields["Accept"] && fields.value(for: "X-B") == nil)
    #expect(!"\(HTTPHeaders.Field.authorization(bearerToken: "hunter2"))".contains("hunter2"))
  }

  @Test func retriesAreTheSame() {
    let pairs = [
      (Retry.exponential(3), Retry(limit: 3)),
      (
        .exponential(1, initialDelay: .seconds(2), maximumDelay: .seconds(3), jitter: 0),
        Retry(limit: 1, backoff: .exponential(initialDelay: .seconds(2), maximumDelay: .seconds(3)))
      ),
      (.times(4), Retry(limit: 4, backoff: .none)),
      (.times(4, delay: .seconds(1)), Retry(limit: 4, backoff: .constant(.seconds(1)))),
    ]
    for (guess, retry) in pairs {
      #expect(guess.limit == retry.limit && guess.backoff == retry.backoff && guess.statuses == retry.statuses)
    }
  }

  @Test func codesAreTheSame() {
    #expect(NetworkError.Code.timeout == .timedOut && NetworkError.Code.networkConnectionLost == .connectionLost)
    #expect(NetworkError.Code.cannotConnectToHost == .cannotConnect)
    #expect(NetworkError(.network, .notConnectedToInternet).isOffline)
    #expect(NetworkError(.server, .unauthorized).isUnauthorized)
    #expect(NetworkError.Code.forbidden == 403 && NetworkError.Code.notFound == 404)
  }

  @Test func clientsAreTheSame() throws {
    let transport = StubTransport()
    let url = try #require(URL(string: "https://a.example/v1"))
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
        baseURL: url, headers: ["A": "b"], idleTimeout: .seconds(5), retry: .exponential(3),
        middleware: [.bearer { "t" }], recoveries: [recovery], monitors: [ConsoleMonitor()], transport: transport),
      NetworkClient(
        baseURL: "https://a.example/v1", headers: ["A": "b"], retry: .exponential(3), middleware: [.bearer { "t" }],
        recoveries: [recovery], monitors: [ConsoleMonitor()], transport: transport
      ) { $0.timeout = .seconds(5) },
      NetworkClient(
        .init(
          baseURL: url, headers: ["A": "b"], idleTimeout: .seconds(5), retry: .exponential(3),
          middleware: [.bearer { "t" }], recoveries: [recovery], monitors: [ConsoleMonitor()], transport: transport)),
    ]
    for guess in guesses {
      let (guess, ours) = (guess.configuration, ours.configuration)
      #expect(guess.baseURL == ours.baseURL && guess.headers == ours.headers && guess.timeout == ours.idleTimeout)
      #expect(guess.retry.limit == ours.retry.limit && guess.middleware.count == ours.middleware.count)
      #expect(guess.recoveries.first === ours.recoveries.first && guess.monitors.count == ours.monitors.count)
      #expect((guess.transport as? StubTransport) === transport)
    }
    #expect(NetworkClient(baseURL: "").configuration.baseURL == nil)
  }

  @Test func callsOfAMethodSendTheSame() async throws {
    let (client, stub) = (stubbed.client, stubbed.stub)
    let methods: [HTTPMethod] = [.get, .post, .put, .patch, .delete]
    for method in methods { stub.on(method, "/v1/o/a%2Fb", .json(Order())) }
    stub.on(.get, "/v1/o/a/b", .json(Order()))
    let (id, order, headers) = ("a/b", RequestBody.json(Order()), HTTPHeaders(dictionaryLiteral: ("A", "b")))
    #expect(try await client.get("/o/\(id)", parameters: ["q": id], headers: headers, as: Order.self) == Order())
    #expect(
      try await client.post("/o/\(id)", query: ["dry": 1], headers: headers, body: order, as: Order.self) == Order())
    #expect(try await client.put("/o/\(id)", headers: headers, body: order, as: Order.self) == Order())
    #expect(try await client.patch("/o/\(id)", headers: headers, body: order, as: Order.self) == Order())
    try await client.delete("/o/\(id)", headers: headers)
    #expect(stub.requests.map(\.method) == methods)
    #expect(stub.requests.allSatisfy { $0.headers["A"] == "b" && $0.address.contains("/o/a%2Fb") })
    #expect(stub.requests.map(\.text) == ["", #"{"itemCount":7}"#, #"{"itemCount":7}"#, #"{"itemCount":7}"#, ""])
    #expect(stub.requests[0].address.hasSuffix("?q=a%2Fb") && stub.requests[1].address.hasSuffix("?dry=1"))
    let request = Request(.post, "/o/\(id)", body: order)
    #expect(try await client.request("/o/\(id)", method: .post, body: order, as: Order.self) == Order())
    #expect(try await client.request(request, as: Order.self) == Order())
    #expect(try await client.request("/o/\(id)", as: Order.self) == Order())
    let written = "/o/a/b"
    #expect(try await client.get(written, as: Order.self) == Order())
    #expect(try await client.request(written, as: Order.self) == Order())
    #expect(try await client.request(written, method: .get, as: Order.self) == Order())
    #expect(stub.requests.suffix(3).allSatisfy { $0.address.hasSuffix("/o/a/b") } && stub.unexpectedRequests.isEmpty)
    for method in methods.dropFirst() { stub.on(method, "/v1/o/a/b", .status(204)) }
    try await client.post(written)
    try await client.put(written)
    try await client.patch(written)
    try await client.delete(written)
    #expect(stub.requests.suffix(4).map(\.method) == Array(methods.dropFirst()))
  }

  @Test func responsesAreRead() async throws {
    stubbed.stub.on(.get, "/v1/x", .text("short and stout", status: 418, headers: ["ETag": "v1"]))
    let (data, head) = try await stubbed.client.data(for: "/x")
    let response = try await stubbed.client.response(for: "/x")
    #expect(data == response.value && head == response.head && head.statusCode == 418)
    #expect(response.data == response.value && response.body == response.value)
    #expect(response.header("etag") == "v1" && response.header("X") == nil)
    let (again, _) = try await stubbed.client.data(for: Request(.get, "/x"))
    #expect(again == data)
  }

  @Test func curlCommandsAreTheSame() throws {
    let request = try stubbed.client.httpRequest(for: Request(.get, "/x", headers: [.authorization(bearerToken: "s3")]))
    #expect(request.curl == request.curlCommand && request.cURLDescription() == request.curlCommand)
    #expect(!request.curl.contains("s3"))
  }

  @Test func aTaskMayThrowAnything() async throws {
    struct Odd: Error {}
    let fails = NetworkError(.server, 404)
    let (same, odd) = (
      SignalRecorder(Signal<Int, NetworkError>.task { throw fails }),
      SignalRecorder(Signal<Int, NetworkError>.task { throw Odd() })
    )
    await same.waitForEnd()
    await odd.waitForEnd()
    #expect(same.failure?.code == .notFound)
    #expect(odd.failure?.domain == .processing && odd.failure?.code == .transformFailed)
    #expect(odd.failure?.underlying is Odd)
    let gone = SignalRecorder(Signal<Int, NetworkError>.task { throw CancellationError() })
    await gone.waitForEnd()
    #expect(gone.failure?.isCancelled == true)
    let client = stubbed.client
    stubbed.answer("5")
    let read = Signal<Int, NetworkError>.task { try await client.value(of: "/x", as: Int.self) }
    #expect(try await read.value() == 5)
  }
}
