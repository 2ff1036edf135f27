import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A refresh that is an async function, with tokens by `.bearer`.
struct AsyncRecoveryTests {
  private struct Session: Codable, Sendable { let token: String }
  private let session = CurrentValue<String?>("old")

  private func shop(limit: Int = 3) throws -> (server: LoopbackServer, client: NetworkClient) {
    let server = try LoopbackServer()
    server.route("GET", "/orders") { $0.header("Authorization") == "Bearer new" ? .json("[1]") : .status(401) }
    server.route("POST", "/token") { _ in .json(#"{"token":"new"}"#).delayed(by: .milliseconds(20)) }
    let client = NetworkClient(baseURL: server.baseURL) { [session] in
      $0.middleware = [.bearer { session.value }]
      $0.recoveries = [
        Recovery(limit: limit, scheduler: VirtualScheduler()) { client in
          if session.value == nil { throw NetworkError(.status(401)) }
          session.value = try await client.value(of: Request(.post, "/token"), as: Session.self).token
        }
      ]
    }
    return (server, client)
  }

  @Test func tenRequestsShareOneRefresh() async throws {
    let (server, client) = try shop()
    try await withThrowingTaskGroup(of: [Int].self) { group in
      for _ in 0..<10 { group.addTask { try await client.value(of: "/orders", as: [Int].self) } }
      for try await orders in group { expectEqual(orders, [1]) }
    }
    expectEqual(server.log.requests(to: "/token").count, 1)
  }

  @Test func itsFailureIsTheRequestsOwn() async throws {
    let (server, client) = try shop()
    server.route("POST", "/token") { _ in .status(403) }
    do throws(NetworkError) {
      _ = try await client.value(of: "/orders", as: [Int].self)
      Issue.record("no failure")
    } catch {
      expect(error.code == .status(401) || error.code == .status(403))
    }
  }

  /// As in the samples: nothing was sent that the limit would have to spare.
  @Test func aRefreshWithoutASessionDoesNotCountTowardsTheLimit() async throws {
    let (server, client) = try shop(limit: 1)
    session.value = nil
    for _ in 1...4 {
      let error = await #expect(throws: NetworkError.self) { try await client.value(of: "/orders", as: [Int].self) }
      expectEqual(error?.code, .status(401))
    }
    session.value = "old"
    try await expectEqual(client.value(of: "/orders", as: [Int].self), [1])
    session.value = "old"
    let error = await #expect(throws: NetworkError.self) { try await client.value(of: "/orders", as: [Int].self) }
    expectEqual(error?.code, .recoveryRefused)
    expectEqual(server.log.requests(to: "/token").count, 1)
  }

  private actor Tokens {
    func refresh(with client: NetworkClient) async throws {
      _ = try await client.value(of: "/token", as: NoContent.self)
    }
  }

  /// A refresh that sends its request with the app's own client, whose recovery would wait for the refresh.
  @Test(arguments: ["no actor", "an actor", "the main actor"])
  func aRefreshDoesNotWaitForItselfOnAnActor(place: String) async throws {
    let server = try LoopbackServer()
    server.route("GET", "/orders") { _ in .status(401) }
    server.route("GET", "/token") { _ in .status(401) }
    let (own, tokens) = (CurrentValue<NetworkClient?>(nil), Tokens())
    let client = NetworkClient(baseURL: server.baseURL) {
      // Its timeout never comes.
      $0.recoveries = [
        Recovery(scheduler: VirtualScheduler()) { _ in
          guard let client = own.value else { return }
          switch place {
          case "an actor": try await tokens.refresh(with: client)
          case "the main actor": try await Self.refreshOnMain(with: client)
          default: _ = try await client.value(of: "/token", as: NoContent.self)
          }
        }
      ]
    }
    own.value = client
    await #expect {
      _ = try await client.value(of: "/orders", as: NoContent.self)
    } throws: {
      ($0 as? NetworkError)?.code == .status(401)
    }
    own.value = nil
  }

  @MainActor private static func refreshOnMain(with client: NetworkClient) async throws {
    _ = try await client.value(of: "/token", as: NoContent.self)
  }

  private struct Unexplained: Error {}
  private struct SignedOut: LocalizedError { let errorDescription: String? = "You were signed out on another device." }

  /// The failure of a request whose refresh throws an error.
  private func failure(refreshThrowing thrown: any Error) async throws -> NetworkError? {
    let kit = TestKit {
      $0.recoveries = [Recovery(scheduler: $0.scheduler) { (_: NetworkClient) async throws in throw thrown }]
    }
    kit.stub.on(.get, "/orders", .status(401))
    let recorder = SignalRecorder(kit.client.enqueue(request: "/orders", resultType: [Int].self))
    await recorder.waitForEnd()
    return recorder.failure
  }

  @Test func itsOwnErrorSaysThatSigningInAgainFailed() async throws {
    let error = try require(try await failure(refreshThrowing: Unexplained()))
    expectEqual(error.code, .recoveryRefused)
    expect(error.underlying is Unexplained)
    expectEqual(error.message, error.message(in: .current))
    expectEqual(error.message(in: .english), "Your session has expired. Please sign in again.")
    let explained = try require(try await failure(refreshThrowing: SignedOut()))
    expectEqual(explained.code, .recoveryRefused)
    expectEqual(explained.message, "You were signed out on another device.")
    let own = NetworkError(.api(7), message: "No session.")
    try await expectEqual(failure(refreshThrowing: own)?.message, "No session.")
  }

  /// Another library has sent the refresh, and its connection failed.
  @Test(
    arguments: [
      (URLError(.timedOut), .timedOut), (URLError(.cannotFindHost), .cannotFindHost),
      (POSIXError(.ECONNREFUSED), .cannotConnect), (URLError(.serverCertificateHasBadDate), .untrustedCertificate),
      // Apps throw these after the response of a server, which may have rejected the refresh.
      (URLError(.badServerResponse), .recoveryRefused), (URLError(.userAuthenticationRequired), .recoveryRefused),
      (URLError(.unknown), .recoveryRefused), (POSIXError(.ENOENT), .recoveryRefused),
    ] as [(any Error, NetworkError.Code)])
  func anotherLibrarysFailedConnectionIsNoRejection(_ thrown: any Error, _ code: NetworkError.Code) async throws {
    let error = try require(try await failure(refreshThrowing: thrown))
    expectEqual(error.code, code)
    let (underlying, original) = (error.underlying as NSError?, thrown as NSError)
    expectEqual(underlying?.domain, original.domain)
    expectEqual(underlying?.code, original.code)
  }

  /// The account is signed out by a refused refresh, while two requests wait for it and another one is in flight.
  @Test func aRefusedRefreshSignsOutAfterItsRequestsHaveFailed() async throws {
    let account = CurrentValue<String?>("ada")
    let ended = CurrentValue<[String]>([])
    let refresh = PublishSubject<Void, NetworkError>()
    let kit = TestKit {
      $0.account = account
      $0.recoveries = [
        Recovery { _ in
          refresh.signal
        } onFailure: { error in
          ended.modify { $0.append("onFailure \(error.message)") }
          account.value = nil
        }
      ]
    }
    kit.stub.on(.get, "/orders", .status(401))
    kit.stub.on(.get, "/slow", .never)
    let slow = SignalRecorder(kit.client.enqueue(request: "/slow", resultType: [Int].self))
    let waiting = (0..<2).map { _ in
      SignalRecorder(
        kit.client.enqueue(request: "/orders", resultType: [Int].self)
          .on(failure: { error in ended.modify { $0.append(error.message) } }))
    }
    refresh.fail(NetworkError(.status(401), message: "Signed out."))
    for recorder in waiting {
      expectEqual(recorder.failure?.message, "Signed out.")
      expectEqual(recorder.failure?.request?.url.path(), "/orders")
    }
    expectEqual(slow.failure?.code, .contextChanged)
    expectEqual(ended.value, ["Signed out.", "Signed out.", "onFailure Signed out."])
  }

  @Test func aRefreshThatEndsSilentlyFailsWhatWaits() async throws {
    var dialog: Lifetime? = Lifetime()
    let signIn = dialog.map { Signal<Void, NetworkError>.never.bound(to: $0) } ?? .empty
    let kit = TestKit { $0.recoveries = [Recovery { _ in signIn }] }
    kit.stub.on(.get, "/orders", .status(401), .status(401), .json("[1]"))
    let recorder = SignalRecorder(kit.client.enqueue(request: "/orders", resultType: [Int].self))
    expect(recorder.events.isEmpty)
    dialog = nil
    expectEqual(recorder.failure?.code, .recoveryRefused)
    // The next one begins another refresh, which ends at once.
    let next = SignalRecorder(kit.client.enqueue(request: "/orders", resultType: [Int].self))
    expectEqual(next.failure?.code, .recoveryRefused)
  }

  @Test func aChangeOfTheAccountIsNoFailureOfItsRefresh() async throws {
    let account = CurrentValue<String?>("ada")
    let count = CurrentValue(0)
    let kit = TestKit {
      $0.account = account
      $0.recoveries = [
        Recovery { client in
          client.exchange(request: "/token")
        } onFailure: { _ in
          count.modify { $0 += 1 }
          account.value = nil
        }
      ]
    }
    kit.stub.on(.get, "/orders", .status(401))
    kit.stub.on(.get, "/token", .never)
    let starter = SignalRecorder(kit.client.enqueue(request: "/orders", resultType: [Int].self))
    let joiner = SignalRecorder(kit.client.enqueue(request: "/orders", resultType: [Int].self))
    account.value = "bob"
    for recorder in [starter, joiner] { expectEqual(recorder.failure?.code, .contextChanged) }
    expectEqual(count.value, 0)
    expectEqual(account.value, "bob")
  }

  /// The repetition of a shared request has a new token, so it does not join one that was sent with the old token.
  @Test func aRepetitionAfterARefreshJoinsNoEarlierExchange() async throws {
    let refresh = PublishSubject<Void, NetworkError>()
    let kit = TestKit { $0.recoveries = [Recovery { _ in refresh.signal }] }
    kit.stub.on(
      .get, "/orders", .status(401), .status(401).delayed(by: .seconds(10)), .json("[1]"), .json("[2]"))
    let shared = Request(.get, "/orders", options: .with { $0.isCoalesced = true })
    let first = SignalRecorder(kit.client.enqueue(request: shared, resultType: [Int].self))
    let second = SignalRecorder(kit.client.enqueue(request: shared, resultType: [Int].self))
    expectEqual(kit.stub.requests.count, 2)
    expect(first.events.isEmpty)
    refresh.complete()
    expectEqual(first.values.map(\.value), [[1]])
    await kit.clock.advance(by: .seconds(10))
    expectEqual(second.values.map(\.value), [[2]])
  }

  @Test func aDisposedRefreshHasNotFailed() async throws {
    let count = CurrentValue(0)
    let kit = TestKit {
      $0.recoveries = [
        Recovery { _ in
          Signal<Void, NetworkError>.never
        } onFailure: { _ in
          count.modify { $0 += 1 }
        }
      ]
    }
    kit.stub.on(.get, "/orders", .status(401))
    let recorder = SignalRecorder(kit.client.enqueue(request: "/orders", resultType: [Int].self))
    recorder.dispose()
    await kit.clock.advance(by: .seconds(100))
    expectEqual(count.value, 0)
    expect(recorder.events.isEmpty)
  }

  @Test func aSignalNeverFailsAsCancelled() async throws {
    let thrown: [any Error] = [NetworkError.cancellation, CancellationError()]
    for thrown in thrown {
      let error = try require(try await failure(refreshThrowing: thrown))
      expectEqual(error.code, .recoveryRefused)
      expect(!error.isCancelled)
      expectEqual(error.message(in: .english), "Your session has expired. Please sign in again.")
      expectEqual(error.message, error.message(in: .current))
      expect(error.underlying != nil)
    }
    let kit = TestKit { $0.recoveries = [Recovery { _ in Signal<Void, NetworkError>.fail(.cancellation) }] }
    kit.stub.on(.get, "/orders", .status(401))
    let recorder = SignalRecorder(kit.client.enqueue(request: "/orders", resultType: [Int].self))
    expectEqual(recorder.failure?.code, .recoveryRefused)
  }

  @Test func aBadTokenIsAnErrorAndNoRequestWithoutOne() async throws {
    let (server, client) = try shop()
    session.value = "two words"
    do throws(NetworkError) {
      _ = try await client.value(of: "/orders", as: [Int].self)
      Issue.record("no failure")
    } catch {
      expectEqual(error.code, .invalidCredentials)
    }
    expect(server.log.requests.isEmpty)
  }

  @Test func basicCredentialsAreSentToTheOwnOriginOnly() async throws {
    let (server, other) = (try LoopbackServer(), try LoopbackServer())
    for server in [server, other] { server.route("GET", "/a") { .text($0.header("Authorization") ?? "none") } }
    let client = NetworkClient(baseURL: server.baseURL) {
      $0.middleware = [.basic(user: "ada", password: "lovelace")]
      $0.allowsInsecureHTTP = true
    }
    try await expectEqual(client.value(of: "/a", as: String.self), "Basic YWRhOmxvdmVsYWNl")
    try await expectEqual(client.value(of: other.url("/a"), as: String.self), "none")
  }
}
