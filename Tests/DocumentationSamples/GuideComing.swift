import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// The sample of the article ComingFromOtherLibraries, that of the module's page, and calls that the tables name.
struct ComingSamples {
  struct User: Codable, Sendable, Equatable { let name: String }

  @Test func theModulesPage() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/users/1") { _ in .json(#"{"name": "Ada"}"#) }
    let apiURL = server.baseURL
    // sample: landing
    struct User: Decodable, Sendable { let name: String }
    let client = NetworkClient(baseURL: apiURL)
    let user = try await client.value(of: "/users/1", as: User.self)
    print(user.name)
    // end sample
    expectEqual(user.name, "Ada")
  }

  enum API: Endpoint {
    case user(Int)
    var request: Request {
      switch self {
      case .user(let id): "/users/\(id)"
      }
    }
  }

  /// The tables' calls, so that a renamed one is found.
  @Test func theTablesNameRealCalls() async throws {
    let kit = TestKit {
      $0.retry = Retry(limit: 3)
      $0.monitors = [ConsoleMonitor(level: .errors)]
    }
    kit.stub.on(.get, "/users/1", .json(User(name: "Ada"), headers: ["ETag": "v"]))
    let response = try await kit.client.send(API.user(1), as: User.self)
    expectEqual(response.headers["ETag"], response.etag)
    expect(response.curlCommand != nil)
    _ = Request(.get, "/", idleTimeout: .seconds(10), options: .with { $0.idleTimeout = .seconds(10) })
    _ = RequestOptions.with { $0.parameterRules = ParameterRules(booleans: .digits) }
    let recorder = SignalRecorder(Signal<Int, Never>.from(1...3))
    await expect(recorder.wait { $0.count >= 3 })
    await expect(Signal<Void, Never>.timer(after: .zero).then(Signal<Int, Never>.just(1)).first() == 1)
    let fields: HTTPHeaders = ["Authorization": try Authorization.bearer(token: "t").headerValue]
    expectEqual(fields["Authorization"], "Bearer t")
    let one = Signal<Int, Never>.just(1)
    let two = Signal<Int, Never>.just(2)
    await expectEqual(Signal.merge(one, two).collect().first(), [1, 2])
    await expectEqual(one.merge(two).prepend(0).append(3).collect().first(), [0, 1, 2, 3])
    await expectEqual(Signal.zip([one, two]).first(), [1, 2])
    await expectEqual(Signal.combineLatest(one, two).first().map { [$0, $1] }, [1, 2])
    await expectEqual(Signal.amb([one, two]).first(), 1)
    await expectEqual(one.flatMap(.exhaust) { .just($0) }.flatMap(.concat) { .just($0) }.first(), 1)
    await expect(Signal<Signal<Int, Never>, Never>.just(two).flatten(.latest).first() == 2)
    await expectEqual(one.withLatest(from: two).first().map { [$0, $1] }, [1, 2])
    await expectEqual(one.take(until: { $0 == 1 }).take(until: Signal<Int, Never>.never).first(), 1)
    let failing = Signal<Int, NetworkError>.fail(NetworkError(.status(500)))
    await expectEqual(failing.retry(3).retry(when: { _, _ in false }).replaceFailure(with: 7).first(), 7)
    try await expectEqual(one.setFailureType(to: NetworkError.self).mapError { $0 }.first(), 1)
    await expectEqual(one.on(value: { _ in }).materialize().first()?.value, 1)
    await expect(Signal<Int, Never>.timer(every: .milliseconds(1)).map { _ in 1 }.share(replay: 1).first() == 1)
    _ = ErrorPresenter(style: { _ in .dialog })
    try await expectEqual(kit.client.value(of: API.user(1), as: User.self), User(name: "Ada"))
  }
}
