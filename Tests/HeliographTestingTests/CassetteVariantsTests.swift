import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// Requests that differ only in their secrets have different exchanges, although no secret is stored.
struct CassetteVariantsTests {
  private let file = FileManager.default.temporaryDirectory.appendingPathComponent("variants-\(UUID().uuidString).json")

  private func client(over next: (any Transport)?) throws -> NetworkClient {
    let transport = try CassetteTransport(file: file, recording: next)
    return NetworkClient(.init(baseURL: URL(string: "https://api.example.com"), transport: transport))
  }

  /// A stub that responds with the secret of the request and the number of its requests with it.
  private func echo() -> StubTransport {
    let stub = StubTransport()
    let counts = Guarded<[String: Int]>([:])
    stub.on("*", "*") { request in
      let text = (request.url.query ?? "") + request.bodyText
      let name = text.contains("alpha") ? "first" : text.contains("omega") ? "second" : "other"
      let count = counts.withLock { counts in
        counts[name, default: 0] += 1
        return counts[name] ?? 0
      }
      return .text("\(name) \(count)")
    }
    return stub
  }

  /// Returns a request with a secret, in each place in which a secret is recognized.
  private static let requests: [@Sendable (_ secret: String) -> Request] = [
    { Request(.get, "/token?code=\($0)") },
    { Request(.get, "/items?key=\($0)&page=1") },
    { Request(.post, "/graphql", body: .json(["query": JSON.string("mutation { login(pin: \"\($0)\") }")])) },
    { Request(.post, "/soap", body: .data(Data("<a><password>\($0)</password></a>".utf8), contentType: "text/xml")) },
    { Request(.post, "/login", body: .form(["password": $0])) },
    { Request(.post, "/login", body: .json(["password": JSON.string($0), "name": "ada"])) },
  ]

  @Test(arguments: requests.indices)
  func requestsWithDifferentSecretsAreDistinguished(_ index: Int) async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let request = CassetteVariantsTests.requests[index]
    let recording = try client(over: echo())
    for (secret, expected) in [("alpha", "first 1"), ("omega", "second 1"), ("alpha", "first 2")] {
      try await expectEqual(recording.value(of: request(secret), as: String.self), expected)
    }
    let text = try String(contentsOf: file, encoding: .utf8)
    expect(!text.contains("alpha") && !text.contains("omega"), "\(text)")
    let replaying = try client(over: nil)
    let replayed = [("alpha", "first 1"), ("alpha", "first 2"), ("alpha", "first 2"), ("omega", "second 1")]
    for (secret, expected) in replayed {
      try await expectEqual(replaying.value(of: request(secret), as: String.self), expected)
    }
    let third = SignalRecorder(replaying.exchange(request: request("hunter2")))
    expectEqual(third.failure?.code, .unexpectedRequest)
    expect("\(try require(third.failure))".contains("this request with fewer different secrets"))
  }

  /// A test without the recorded credentials replays with others.
  @Test func otherSecretsThanThoseRecordedAreReplayed() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let request = CassetteVariantsTests.requests[0]
    let recording = try client(over: echo())
    for secret in ["alpha", "omega", "alpha"] { _ = try await recording.value(of: request(secret), as: String.self) }
    let replaying = try client(over: nil)
    for (secret, expected) in [("a", "first 1"), ("b", "second 1"), ("b", "second 1"), ("a", "first 2")] {
      try await expectEqual(replaying.value(of: request(secret), as: String.self), expected)
    }
  }

  @Test func aSecretIsTheSameWhateverTheOrderOfQueryItems() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let stub = StubTransport()
    stub.on(.get, "/a", .text("first"), .text("second"))
    let recording = try client(over: stub)
    for target in ["/a?x=1&token=alpha", "/a?x=1&token=omega"] as [RequestPath] {
      _ = try await recording.value(of: Request(.get, target), as: String.self)
    }
    let replaying = try client(over: nil)
    for target in ["/a?x=1&token=a", "/a?token=a&x=1"] as [RequestPath] {
      try await expectEqual(replaying.value(of: Request(.get, target), as: String.self), "first")
    }
  }

  /// Both transports of the file know the secrets of each other, and the second run those of the file.
  @Test func aRecordingIsExtendedByFurtherSecrets() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let request = CassetteVariantsTests.requests[0]
    let stub = echo()
    let recording = [try client(over: stub), try client(over: stub)]
    for (index, secret) in ["alpha", "omega", "omega", "alpha"].enumerated() {
      _ = try await recording[index % 2].value(of: request(secret), as: String.self)
    }
    let extending = try client(over: stub)
    for (secret, expected) in [("alpha", "first 1"), ("alpha", "first 2"), ("alpha", "first 3"), ("omega", "second 1")]
    {
      try await expectEqual(extending.value(of: request(secret), as: String.self), expected)
    }
    try await expectEqual(extending.value(of: request("third"), as: String.self), "other 1")
    let replaying = try client(over: nil)
    let replayed = [
      ("alpha", "first 1"), ("omega", "second 1"), ("third", "other 1"), ("omega", "second 2"), ("alpha", "first 2"),
      ("alpha", "first 3"),
    ]
    for (secret, expected) in replayed {
      try await expectEqual(replaying.value(of: request(secret), as: String.self), expected)
    }
  }

  /// A file of an earlier version does not distinguish secrets.
  @Test func exchangesWithoutAVariantAreReplayedInTheirOrder() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let request = CassetteVariantsTests.requests[0]
    let recording = try client(over: echo())
    for secret in ["alpha", "omega"] { _ = try await recording.value(of: request(secret), as: String.self) }
    let text = try String(contentsOf: file, encoding: .utf8)
    try text.replacing(/,\s*"variant" : [0-9]+/, with: "").write(to: file, atomically: true, encoding: .utf8)
    try expect(!String(contentsOf: file, encoding: .utf8).contains("variant"))
    let replaying = try client(over: nil)
    for (secret, expected) in [("a", "first 1"), ("b", "second 1"), ("c", "second 1")] {
      try await expectEqual(replaying.value(of: request(secret), as: String.self), expected)
    }
  }

  /// Its exchanges are replayed first, even if a version in between has extended it by an exchange with a variant.
  @Test(arguments: [true, false])
  func aFileOfAnEarlierVersionIsExtended(_ isMixed: Bool) async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let request = CassetteVariantsTests.requests[0]
    let stub = echo()
    let recording = try client(over: stub)
    for _ in 1...(isMixed ? 3 : 2) { _ = try await recording.value(of: request("alpha"), as: String.self) }
    var text = try String(contentsOf: file, encoding: .utf8)
    text = text.replacing(/,\s*"variant" : 1/, with: "", maxReplacements: 2)
    expectEqual(text.contains("variant"), isMixed)
    try text.write(to: file, atomically: true, encoding: .utf8)
    let extending = try client(over: stub)
    for expected in ["first 1", "first 2", "first 3", "first 4"] {
      try await expectEqual(extending.value(of: request("alpha"), as: String.self), expected)
    }
    let replaying = try client(over: nil)
    for expected in ["first 1", "first 2", "first 3", "first 4", "first 4"] {
      try await expectEqual(replaying.value(of: request("alpha"), as: String.self), expected)
    }
  }

  /// URLs with a secret in a value, in a path or beside a host whose name is like that of a secret.
  @Test(arguments: [
    "/end?next=https://a.example/?token=alpha", "/end?next=https%3A%2F%2Fa.example%2F%3Ftoken%3Dalpha",
    "/go/https%3A%2F%2Fa.example%2F%3Ftoken%3Dalpha", "/end?filter=token:%22alpha%22", "/end?token=alpha#token=alpha",
    "https://auth:8080/end?page=2&code=alpha",
  ])
  func theURLsOfAResponseAreReplayed(_ target: String) async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let stub = StubTransport()
    let link = #"<\#(target)>; rel="next", </last?page=9>; rel="last""#
    stub.on(.get, "/start", .status(302, headers: ["Location": target, "Link": link]))
    stub.on(.get, "/**") { .text("end \($0.url.path.isEmpty ? "" : "found")") }
    try await expectEqual(client(over: stub).value(of: "/start", as: String.self), "end found")
    let text = try String(contentsOf: file, encoding: .utf8)
    expect(!text.contains("alpha"), "\(text)")
    expect(text.contains("</last?page=9>"), "\(text)")
    try await expectEqual(client(over: nil).value(of: "/start", as: String.self), "end found")
    let transport = try CassetteTransport(file: file)
    var start = try require(stub.requests.first)
    let recorder = SignalRecorder(transport.send(start))
    guard case .head(let head)? = recorder.values.first else { return expect(false, "no head") }
    start.url = try require(URL(string: try require(head.headers.links.first).target, relativeTo: start.url))
    let next = SignalRecorder(transport.send(start))
    expectNil(next.failure)
  }

  /// A secret in it could not be found.
  @Test func aCompressedBodyIsNotStored() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    // gzip with one stored block, in which the secret is readable.
    let header = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1])
    @Sendable func request(_ secret: String, _ coding: String?) -> Request {
      let body = header + Data(#"{"password":"\#(secret)"}"#.utf8)
      let headers: HTTPHeaders = coding.map { ["Content-Encoding": $0] } ?? [:]
      return Request(.post, "/log", headers: headers, body: .data(body, contentType: "application/json"))
    }
    let stub = StubTransport()
    stub.on(.post, "/log", .text("1"), .text("2"))
    let recording = try client(over: stub)
    try await expectEqual(recording.value(of: request("alpha", "gzip"), as: String.self), "1")
    try await expectEqual(recording.value(of: request("omega", "gzip"), as: String.self), "2")
    let exchanges = try JSONDecoder().decode([JSON].self, from: Data(contentsOf: file))
    expectEqual(exchanges.map { $0["request"]["body"].string }, ["<redacted>", "<redacted>"])
    let replaying = try client(over: nil)
    for (secret, expected) in [("alpha", "1"), ("alpha", "1"), ("omega", "2")] {
      try await expectEqual(replaying.value(of: request(secret, "gzip"), as: String.self), expected)
    }
  }

  @Test func aBodyWithoutACodingIsStored() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let stub = StubTransport()
    stub.on(.post, "/log", .text("1"))
    let headers: HTTPHeaders = ["Content-Encoding": "Identity, identity"]
    let body = RequestBody.data(Data(#"{"name":"ada"}"#.utf8), contentType: "application/json")
    let request = Request(.post, "/log", headers: headers, body: body)
    try await expectEqual(client(over: stub).value(of: request, as: String.self), "1")
    let exchanges = try JSONDecoder().decode([JSON].self, from: Data(contentsOf: file))
    expectEqual(exchanges.map { $0["request"]["body"].string }, [#"{"name":"ada"}"#])
  }
}
