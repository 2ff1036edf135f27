@preconcurrency import Dispatch
import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

// Older compilers leave the actor in each async function.
#if compiler(>=6.2)
/// Where an async function builds its request: off the actor of its caller, unless the processing is immediate.
@MainActor
struct CallersActorTests {
  private let stub = StubTransport()
  private let account = CurrentValue<String?>("ann")

  /// A request that says where it was made.
  private struct Located: RequestConvertible {
    @TaskLocal static var trace = "none"
    // On Linux, the main queue may have another thread than the main one.
    static let key = DispatchSpecificKey<Bool>()

    let path: RequestPath

    func asRequest() throws(NetworkError) -> Request {
      let place = DispatchQueue.getSpecific(key: Self.key) == true ? "main" : "elsewhere"
      return Request(.get, path, headers: ["Place": place, "Trace": Self.trace])
    }
  }

  private final class LocatedCall: Call<String> {
    override nonisolated func asRequest() throws(NetworkError) -> Request { try Located(path: "/a").asRequest() }
  }

  private func makeClient(_ configure: (inout NetworkClient.Configuration) -> Void = { _ in }) -> NetworkClient {
    DispatchQueue.main.setSpecific(key: Located.key, value: true)
    stub.on(.get, "/a", .text("Ada"))
    stub.on(.get, "/list", .json([1]))
    return NetworkClient(baseURL: URL(string: "https://shop.example")) {
      $0.transport = stub
      $0.account = account
      configure(&$0)
    }
  }

  /// Sends a request by each function, and returns where they were made.
  private func places(of client: NetworkClient) async throws -> [String] {
    let request = Located(path: "/a")
    try await expectEqual(client.value(of: request, as: String.self), "Ada")
    try await expectEqual(client.send(request.returning(String.self)).value, "Ada")
    try await expectEqual(client.send(request).statusCode, 200)
    try await expectEqual(LocatedCall(client: client).send().value, "Ada")
    let pages = client.pages(request: Located(path: "/list"), as: [Int].self)
    for try await page in pages { expectEqual(page.value, [1]) }
    var iterator = pages.makeAsyncIterator()
    try await expectEqual(iterator.next()?.value, [1])
    return stub.requests.map { $0.headers["Place"] ?? "none" }
  }

  @Test func theActorDoesNotBuildRequests() async throws {
    try await expectEqual(places(of: makeClient()), Array(repeating: "elsewhere", count: 6))
  }

  @Test func withImmediateProcessingItDoes() async throws {
    let client = makeClient { $0.processing = .immediate }
    try await expectEqual(places(of: client), Array(repeating: "main", count: 6))
  }

  @Test func aLoopStartsOnItsActorAsASubscriptionDoes() async throws {
    let signal = makeClient().enqueue(request: Located(path: "/a"), resultType: String.self)
    for try await response in signal.values { expectEqual(response.value, "Ada") }
    expectEqual(stub.requests.map { $0.headers["Place"] }, ["main"])
  }

  @Test func valuesOfTheTaskAreThereWhereTheRequestIsBuilt() async throws {
    let client = makeClient()
    try await Located.$trace.withValue("T1") { _ = try await places(of: client) }
    expectEqual(stub.requests.map { $0.headers["Trace"] }, Array(repeating: "T1", count: 6))
  }

  @Test func theRequestBelongsToTheAccountOfTheCall() async throws {
    let client = makeClient()
    await #expect {
      _ = try await client.scope.first { scope in
        // Between the call and the start elsewhere.
        account.value = "bob"
        return RequestSource(scope, Located(path: "/a")) { $0.response }.signal
      }
    } throws: {
      ($0 as? NetworkError)?.code == .contextChanged
    }
    expect(stub.requests.isEmpty)
  }

  /// Signs in as another user, between the call and the start elsewhere.
  private struct SignIn: Accessory {
    let account: CurrentValue<String?>

    func willStart(_ work: any Startable) { account.value = "bob" }
  }

  @Test func theRequestOfACallBelongsToItsAccountToo() async {
    let call = LocatedCall(client: makeClient())
    call.accessories = [SignIn(account: account)]
    await #expect {
      try await call.send()
    } throws: {
      ($0 as? NetworkError)?.code == .contextChanged
    }
    expect(stub.requests.isEmpty)
  }

  @Test nonisolated func aBusyActorDoesNotDelayACancellation() async throws {
    let client = await makeClient()
    let isFree = DispatchSemaphore(value: 0)  // blocks: the main queue, until the request has been cancelled.
    // When the request has begun elsewhere, the actor has something else to do.
    stub.on(.get, "/busy") { _ in
      DispatchQueue.main.async { isFree.wait() }
      return .never
    }
    let task = Task { @MainActor in try await client.value(of: "/busy", as: String.self) }
    await expect(stub.requested(1))
    // sleeps: so that the call waits for its response; if it does not yet, the test shows nothing.
    try await Task.sleep(for: .milliseconds(20))
    task.cancel()
    await until { stub.cancelledCount == 1 }
    isFree.signal()
    let error = await #expect(throws: NetworkError.self) { try await task.value }
    expectEqual(error?.code, .cancelled)
  }

  @Test func aCancelledTaskSendsNothing() async throws {
    let client = makeClient()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await client.value(of: Located(path: "/a"), as: String.self)
    }
    await #expect(throws: NetworkError.self) { try await task.value }
    expect(stub.requests.isEmpty)
  }
}
#endif
