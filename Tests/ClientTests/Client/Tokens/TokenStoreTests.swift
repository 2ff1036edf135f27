import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// A store of tokens, its middleware and the refresh: no token reaches another account.
struct TokenStoreTests {
  private struct Session: Codable, Sendable, Equatable {
    let token: String
  }

  /// A storage that counts what is read, and that can fail.
  private final class Vault: Sendable {
    let entries = Guarded<[String: Data]>([:])
    let readCount = CurrentValue(0)
    let problem = CurrentValue<POSIXError?>(nil)
    let isFull = CurrentValue(false)

    var store: TokenStore<Session> {
      TokenStore { [self] key in
        readCount.modify { $0 += 1 }
        if let problem = problem.value { throw problem }
        return entries.withLock { $0[key] }
      } write: { [self] entry, key in
        if let problem = problem.value ?? (isFull.value ? POSIXError(.ENOSPC) : nil) { throw problem }
        entries.withLock { $0[key] = entry }
      } removeAll: { [self] in
        entries.withLock { $0 = [:] }
      }
    }
  }

  private let vault = Vault()
  private let store: TokenStore<Session>
  private let account = CurrentValue<String?>("ann")
  private let stub = StubTransport()
  private let client: NetworkClient

  init() {
    let store = vault.store
    self.store = store
    client = NetworkClient(baseURL: URL(string: "https://shop.example")) { [stub, account] in
      $0.transport = stub
      $0.account = account
      $0.processing = .immediate
      $0.middleware = [.bearer(from: store, \.token)]
      $0.recoveries = [
        Recovery { client in
          client.enqueue(request: Request(.post, "/token"), resultType: Session.self)
            .tryMap { (session) throws(NetworkError) in try store.set(session.value, for: client) }
        }
      ]
    }
  }

  private var sent: [String?] { stub.requests.map { $0.headers["Authorization"] } }

  private func items() -> SignalRecorder<Int, NetworkError> {
    SignalRecorder(client.enqueue(request: "/items", resultType: Int.self).map(\.value))
  }

  @Test("P9") func aRequestHasTheTokenOfItsAccount() throws {
    stub.on(.get, "/items", .json("1"))
    expectEqual(items().values, [1])
    try store.set(Session(token: "ann"), for: client)
    expectEqual(items().values, [1])
    account.value = "ben"
    expectEqual(items().values, [1])
    try store.set(Session(token: "ben"), for: client)
    expectEqual(items().values, [1])
    try store.removeAll()
    expectEqual(items().values, [1])
    expectEqual(sent, [nil, "Bearer ann", nil, "Bearer ben", nil])
  }

  /// As of a request that was built before the change, and reaches the middleware after it.
  @Test("P9") func aRequestOfAFormerAccountDoesNotGetTheTokenOfTheNextOne() throws {
    stub.on(.get, "/items", .json("1"))
    try store.set(Session(token: "ann"), for: client)
    _ = items()
    var late = try require(stub.requests.first)
    late.headers["Authorization"] = nil
    account.value = "ben"
    try store.set(Session(token: "ben"), for: client)
    let middleware = HeaderMiddleware.bearer(from: store, \.token)
    let next = StubTransport()
    next.on("*", "/items", .status(200))
    _ = SignalRecorder(middleware.intercept(late) { next.send($0) })
    expectEqual(next.requests.map { $0.headers["Authorization"] }, ["Bearer ann"])
  }

  @Test("P9") func aRefreshStoresTheTokenOfTheRequestsThatWait() throws {
    stub.on(.get, "/items", .status(401), .json("1"))
    stub.on(.post, "/token", .json(#"{"token": "new"}"#))
    try store.set(Session(token: "old"), for: client)
    expectEqual(items().values, [1])
    expectEqual(sent, ["Bearer old", "Bearer old", "Bearer new"])
    expectEqual(try vault.store.token(for: client), Session(token: "new"))
    account.value = "ben"
    expectNil(try store.token(for: client))
  }

  @Test("P9") func aRefreshStoresNothingAfterAChangeOfAccount() throws {
    let begun = CurrentValue<NetworkClient?>(nil)
    let client = NetworkClient(baseURL: URL(string: "https://shop.example")) { [stub, account] in
      $0.transport = stub
      $0.account = account
      $0.processing = .immediate
      $0.recoveries = [
        Recovery { client in
          begun.value = client
          return Signal<Void, NetworkError>.never
        }
      ]
    }
    stub.on(.get, "/items", .status(401))
    let recorder = SignalRecorder(client.enqueue(request: "/items", resultType: Int.self))
    let refreshing = try require(begun.value)
    try store.set(Session(token: "early"), for: refreshing)
    account.value = "ben"
    expectEqual(recorder.failure?.code, .contextChanged)
    let error = #expect(throws: NetworkError.self) { try store.set(Session(token: "late"), for: refreshing) }
    expectEqual(error?.code, .contextChanged)
    #expect(throws: NetworkError.self) { try store.token(for: refreshing) }
    expectNil(try store.token(for: client))
    account.value = "ann"
    expectEqual(try store.token(for: client)?.token, "early")
  }

  @Test func theMiddlewareReadsTheStorageOnceAndTheAppEachTime() throws {
    stub.on(.get, "/items", .json("1"))
    for _ in 1...3 { expectEqual(items().values, [1]) }
    expectEqual(vault.readCount.value, 1)
    // Another process has stored a token.
    try vault.store.set(Session(token: "other"), for: client)
    expectEqual(try store.token(for: client)?.token, "other")
    expectEqual(vault.readCount.value, 2)
    _ = items()
    expectEqual(sent.last, "Bearer other")
    expectEqual(vault.readCount.value, 2)
  }

  /// A server may have a user for each request.
  @Test func tokensOfAThousandIdentitiesAreInMemory() throws {
    for _ in 1...2 {
      for number in 0..<1_000 { expectNil(try store.cachedToken(of: "\(number)")) }
    }
    expectEqual(vault.readCount.value, 1_000)
    for identity in ["1000", "0", "1000"] { expectNil(try store.cachedToken(of: identity)) }
    expectEqual(vault.readCount.value, 1_002)
  }

  @Test func aStorageThatFailsFailsTheRequestAndIsAskedAgain() throws {
    stub.on(.get, "/items", .json("1"))
    vault.problem.value = POSIXError(.EIO)
    let failure = items().failure
    expectEqual(failure?.code, .invalidCredentials)
    expectEqual(failure?.reason, "the token cannot be read")
    expect(failure?.underlying is POSIXError)
    #expect(throws: NetworkError.self) { try store.set(Session(token: "t"), for: client) }
    expect(stub.requests.isEmpty)
    vault.problem.value = nil
    expectEqual(items().values, [1])
    expectEqual(sent, [nil])
  }

  @Test func aTokenThatCannotBeStoredLeavesTheFormerOne() throws {
    try store.set(Session(token: "old"), for: client)
    vault.problem.value = POSIXError(.ENOSPC)
    #expect(throws: NetworkError.self) { try store.set(Session(token: "new"), for: client) }
    vault.problem.value = nil
    stub.on(.get, "/items", .json("1"))
    _ = items()
    expectEqual(sent, ["Bearer old"])
  }

  /// The server may have replaced the former one, which would end the session at the next refresh.
  @Test func aRefreshedTokenThatCannotBeStoredIsUsedAndStoredLater() throws {
    stub.on(.get, "/items", .status(401), .json("1"))
    stub.on(.post, "/token", .json(#"{"token": "new"}"#))
    try store.set(Session(token: "old"), for: client)
    vault.problem.value = POSIXError(.ENOSPC)
    expectEqual(items().failure?.code, .invalidCredentials)
    expectEqual(items().values, [1])
    expectEqual(sent, ["Bearer old", "Bearer old", "Bearer new"])
    expectEqual(try store.token(for: client), Session(token: "new"))
    vault.problem.value = nil
    #expect(try vault.store.token(for: client) == Session(token: "old"))
    expectEqual(try store.token(for: client), Session(token: "new"))
    expectEqual(try vault.store.token(for: client), Session(token: "new"))
  }

  /// The process may end before anybody reads the store.
  @Test func aRequestStoresARefreshedTokenThatCouldNotBeStored() async throws {
    stub.on(.get, "/items", .status(401), .json("1"))
    stub.on(.post, "/token", .json(#"{"token": "new"}"#))
    try store.set(Session(token: "old"), for: client)
    vault.isFull.value = true
    _ = items()
    let failedReadCount = vault.readCount.value
    expectEqual(items().values, [1])
    expectEqual(vault.readCount.value, failedReadCount, "not tried by each request")
    vault.isFull.value = false
    await until {
      expectEqual(items().values, [1])
      return (try? vault.store.token(for: client)) == Session(token: "new")
    }
    let readCount = vault.readCount.value
    expectEqual(items().values, [1])
    expectEqual(vault.readCount.value, readCount)
  }

  @Test func anUnsavedTokenDoesNotReplaceThatOfAnotherProcess() throws {
    stub.on(.get, "/items", .status(401), .json("1"))
    stub.on(.post, "/token", .json(#"{"token": "new"}"#))
    try store.set(Session(token: "old"), for: client)
    vault.isFull.value = true
    _ = items()
    vault.isFull.value = false
    try vault.store.set(Session(token: "newer"), for: client)
    expectEqual(try store.token(for: client), Session(token: "newer"))
    expectEqual(try vault.store.token(for: client), Session(token: "newer"))
  }

  @Test func aClientWithoutAccountsHasOneToken() throws {
    let plain = NetworkClient(baseURL: URL(string: "https://shop.example"))
    try store.set(Session(token: "t"), for: plain)
    expectEqual(try store.token(for: NetworkClient(baseURL: nil))?.token, "t")
    expectNil(try store.token(for: client))
  }

  @Test("P13") func noErrorShowsAToken() throws {
    try store.set(Session(token: "not a token"), for: client)
    let failure = items().failure
    expectEqual(failure?.code, .invalidCredentials)
    expectHidden("not a token", in: failure as Any)
  }

  /// A slow keychain must not hold up the requests whose token is known.
  @Test func aKnownTokenIsReadFromMemoryWhileTheStorageWorks() async throws {
    let (isWriting, isReading, isWaiting) = (CurrentValue(false), CurrentValue(false), CurrentValue(false))
    let gate = DispatchSemaphore(value: 0)  // blocks: a thread of its own
    let store = TokenStore<Session> { [vault] key in
      if isReading.value {
        isWaiting.value = true
        _ = gate.wait(timeout: .now() + 300)
      }
      return vault.entries.withLock { $0[key] }
    } write: { [vault] entry, key in
      vault.entries.withLock { $0[key] = entry }
      if isWriting.value { _ = gate.wait(timeout: .now() + 300) }
    } removeAll: {
    }
    let middleware = HeaderMiddleware.bearer(from: store, \.token)
    @Sendable func send() {
      let request = HTTPRequest(url: URL(filePath: "/items"))
      _ = SignalRecorder(middleware.intercept(request) { [stub] in stub.send($0) })
    }
    stub.on(.get, "/items", .status(200))
    let plain = NetworkClient(baseURL: URL(string: "https://shop.example"))
    try store.set(Session(token: "old"), for: plain)
    isWriting.value = true
    async let write: Void = onThread { try store.set(Session(token: "new"), for: plain) }
    await until {
      vault.entries.withLock { $0.values.contains { String(decoding: $0, as: UTF8.self).contains("new") } }
    }
    send()
    gate.signal()
    try await write
    send()
    isReading.value = true
    async let read: Void = onThread { _ = try store.token(for: plain) }
    await until { isWaiting.value }
    send()
    gate.signal()
    try await read
    expectEqual(sent, ["Bearer old", "Bearer new", "Bearer new"])
  }
}
