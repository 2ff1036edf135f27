import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph
@testable import HeliographBackground

/// The descriptions by which a process recognizes the background tasks of an earlier one.
struct BackgroundTaskDescriptionTests {
  private final class Account: RequestIdentity {
    let text: String
    let hasAccounts = true

    init(text: String) { self.text = text }

    func changedComponent(needsEnvironment: Bool) -> String? { nil }
  }

  private func request(_ change: (inout HTTPRequest) -> Void = { _ in }) throws -> HTTPRequest {
    var request = HTTPRequest(method: .put, url: try require(URL(string: "https://example.com/film?id=1")))
    change(&request)
    return request
  }

  @Test(arguments: [nil, "heliograph-1"]) func aNoteIsReadBackFromItsText(_ name: String?) {
    let description = BackgroundTaskDescription(key: "0a", fileName: name)
    expectEqual(BackgroundTaskDescription(description.text), description)
  }

  /// A file outside the folder must not be removed.
  @Test(arguments: [nil, "", "upload", "heliograph", "heliograph 0a", "heliograph  x", "heliograph 0a ../x", "a b c"])
  func anyOtherDescriptionIsNoNote(_ text: String?) {
    expectNil(BackgroundTaskDescription(text))
  }

  @Test func aKeyIsThatOfTheSameRequestInAnyProcess() throws {
    let key = try request().backgroundKey()
    expectEqual(key, SHA256.hash(Data("3:PUT29:https://example.com/film?id=10:0:".utf8)).hexadecimal)
  }

  @Test func whatMakesAnotherRequestMakesAnotherKey() throws {
    let keys = try [
      request(), request { $0.method = .post }, request { $0.url.append(path: "x") },
      request { $0.headers["Range"] = "bytes=5-" }, request { $0.binding.identity = Account(text: "ada") },
      request { $0.binding.identity = Account(text: "bob") }, request { $0.body = .data(Data("one".utf8)) },
      request { $0.body = .data(Data("two".utf8)) },
    ].map { try $0.backgroundKey() }
    expectEqual(Set(keys).count, keys.count)
  }

  @Test func aRefreshedTokenKeepsTheKeyOfAnAccount() throws {
    let keys = try ["Bearer new", "Bearer old", nil].map { token in
      try request {
        $0.headers["Authorization"] = token
        $0.binding.identity = Account(text: "ada")
      }.backgroundKey()
    }
    expectEqual(Set(keys).count, 1)
  }

  @Test func withoutAccountsTheCredentialsAreComparedButNoSignature() throws {
    let keys = try ["ada", "bob", nil].map { token in
      try request {
        $0.headers["Authorization"] = token.map { "Bearer \($0)" }
        $0.headers["X-Signature"] = UUID().uuidString
        $0.context.signatureFields = ["X-Signature"]
      }.backgroundKey()
    }
    expectEqual(Set(keys).count, 3)
    try expectEqual(keys[2], request().backgroundKey())
  }

  /// An environment alone distinguishes no users.
  @Test(arguments: [true, false]) func aClientOfUsersIsOneWithAnAccount(_ hasAccounts: Bool) async throws {
    let stub = StubTransport()
    stub.on(.get, "/film", .text("film"))
    let token = Guarded("ada")
    var configuration = NetworkClient.Configuration(
      baseURL: URL(string: "https://example.com"), services: [Films()],
      environments: EnvironmentStore(build: .develop, storage: .memory()), transport: stub)
    if hasAccounts { configuration.account = CurrentValue("ada") }
    configuration.middleware = [.bearer { token.withLock { $0 } }]
    let client = NetworkClient(configuration)
    for name in ["ada", "bob"] {
      token.withLock { $0 = name }
      _ = try await client.send("/film")
    }
    let keys = try stub.requests.map { try $0.backgroundKey() }
    expectEqual(Set(keys).count, hasAccounts ? 1 : 2)
  }

  private struct Films: Service {
    let signer: (any Signer)? = HMACSigner(key: Data("secret".utf8))
    let ignoredParameters: Set<String> = ["time"]
    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
      URL(string: "https://example.com").map { ServiceAddresses($0) }
    }
  }

  /// Requests of a service as they are sent.
  @Test(arguments: [HTTPMethod.get, .put])
  func aRequestThatIsSignedAgainKeepsTheKey(_ method: HTTPMethod) async throws {
    let stub = StubTransport()
    stub.on(method, "/film", .data(Data("film".utf8)))
    let client = NetworkClient(.init(services: [Films()], transport: stub))
    for (film, time) in [(1, 1), (1, 2), (2, 3)] {
      let request = Request(method, "/film", service: "Films", query: ["film": film, "time": time])
      let recorder = SignalRecorder(
        method == .get ? client.stream(request: request) : client.exchange(request: request))
      await recorder.waitForEnd()
      expect(recorder.isCompleted)
    }
    expectEqual(Set(stub.requests.map(\.url)).count, 3)
    let keys = try stub.requests.map { try $0.backgroundKey() }
    expectEqual(keys[0], keys[1])
    expect(keys[0] != keys[2])
    // Resume data repeats the former request, with its nonce.
    let resumeKeys = stub.requests.prefix(2).map { BackgroundTaskDescription(key: keys[0]).resumeKey(for: $0.url) }
    expect(resumeKeys[0] != resumeKeys[1])
  }

  @Test func aFileHasTheKeyOfItsContent() throws {
    let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("note-\(UUID().uuidString)")
    try content.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let key = try request { $0.body = .file(file) }.backgroundKey()
    try expectEqual(key, request { $0.body = .data(content) }.backgroundKey())
  }

  @Test func aMissingFileIsAnInvalidBody() throws {
    let request = try request { $0.body = .file(URL(fileURLWithPath: "/nowhere/\(UUID().uuidString)")) }
    let error = #expect(throws: NetworkError.self) { try request.backgroundKey() }
    expectEqual(error?.code, .invalidBody)
  }
}
