import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// The requests of a refresh in a queue: the others wait for it anyway.
struct RefreshPriorityTests {
  /// The slot of the rejected request is taken by the next one before the rejection is read.
  @Test func aRefreshDoesNotWaitForALongTransfer() {
    let clock = VirtualScheduler()
    let stub = StubTransport(scheduler: clock)
    stub.on(.get, "/a", .status(401), .json("1"))
    stub.on(.put, "/upload", .json("2").delayed(by: .seconds(50)))
    stub.on(.post, "/token", .json("3").delayed(by: .seconds(1)))
    let client = NetworkClient(baseURL: URL(string: "https://a.example")) {
      $0.transport = stub
      $0.scheduler = clock
      $0.processing = clock
      $0.concurrencyLimit = 1
      $0.recoveries = [
        Recovery(scheduler: clock) { $0.enqueue(request: Request(.post, "/token"), resultType: Int.self) }
      ]
    }
    let rejected = SignalRecorder(client.enqueue(request: "/a", resultType: Int.self))
    let upload = SignalRecorder(client.enqueue(request: Request(.put, "/upload"), resultType: Int.self))
    clock.run()
    expectEqual(rejected.values.map(\.value), [1])
    expectEqual(upload.values.map(\.value), [2])
    expectEqual(stub.requests.map(\.url.path), ["/a", "/upload", "/token", "/a"])
  }

  /// The slot of the rejected request is taken again before the refresh sends anything.
  @Test(.enabled(if: CurlTransport.isAvailable), arguments: [(1, 64), (7, 1)])
  func aRefreshDoesNotWaitForASlotOfTheTransport(_ limit: Int, _ limitPerHost: Int) async throws {
    let server = try LoopbackServer()
    server.route("GET", "/a") { $0.header("Authorization") == "Bearer new" ? .json("1") : .status(401) }
    server.route("GET", "/long") { _ in .never }
    server.route("POST", "/token") { _ in .json(#""new""#) }
    let token = CurrentValue("old")
    let transport = try CurlTransport(
      TransportSettings(concurrencyLimit: limit, concurrencyLimitPerHost: limitPerHost))
    let client = NetworkClient(baseURL: server.baseURL) {
      $0.transport = transport
      $0.middleware = [.bearer { token.value }]
      $0.recoveries = [
        Recovery { client in
          let long = SignalRecorder(transport.send(HTTPRequest(url: server.url("/long"), idleTimeout: .seconds(3_600))))
          await expect(server.wait { $0.requests(to: "/long").count == 1 })
          token.value = try await client.value(of: Request(.post, "/token"), as: String.self)
          // It still counts once: the slot of the refresh was none.
          let queued = SignalRecorder(transport.send(HTTPRequest(url: server.url("/a"))))
          _ = try await client.send(Request(.post, "/token"))
          expect(queued.events.isEmpty)
          long.dispose()
          await queued.waitForEnd()
        }
      ]
    }
    let rejected = SignalRecorder(client.enqueue(request: "/a", resultType: Int.self))
    await rejected.waitForEnd(.seconds(60))
    expectNil(rejected.failure)
    expectEqual(rejected.values.map(\.value), [1])
    expectEqual(server.log.requests.map(\.path), ["/a", "/long", "/token", "/token", "/a", "/a"])
  }

  @Test func aRefreshDoesNotJoinARequestInTheQueue() {
    let clock = VirtualScheduler()
    let stub = StubTransport(scheduler: clock)
    stub.on(.get, "/a", .status(401).delayed(by: .seconds(1)), .json("1"))
    stub.on(.get, "/long", .json("2").delayed(by: .seconds(50)))
    stub.on(.get, "/session", .json("3"))
    let session = Request(.get, "/session", options: .with { $0.isCoalesced = true })
    let client = NetworkClient(baseURL: URL(string: "https://a.example")) {
      $0.transport = stub
      $0.scheduler = clock
      $0.processing = .immediate
      $0.concurrencyLimit = 1
      $0.recoveries = [Recovery(scheduler: clock) { $0.enqueue(request: session, resultType: Int.self) }]
    }
    let recorders = ["/a", "/long", session].map { SignalRecorder(client.enqueue(request: $0, resultType: Int.self)) }
    clock.run()
    expectEqual(recorders.map { $0.values.map(\.value) }, [[1], [2], [3]])
    expectEqual(stub.requests.map(\.url.path), ["/a", "/long", "/session", "/session", "/a"])
  }

  @Test(arguments: RequestPriority.allCases) func aRefreshOvertakesTheRequestsThatNeedIt(_ priority: RequestPriority) {
    let clock = VirtualScheduler()
    let stub = StubTransport(scheduler: clock)
    let token = CurrentValue("old")
    stub.on(.get, "/a") { request in
      (request.headers["Authorization"] == "Bearer new" ? StubAnswer.json("1") : .status(401)).delayed(by: .seconds(10))
    }
    stub.on(.post, "/token", .json(#""new""#).delayed(by: .seconds(1)))
    let client = NetworkClient(baseURL: URL(string: "https://a.example")) {
      $0.transport = stub
      $0.scheduler = clock
      $0.processing = .immediate
      $0.concurrencyLimit = 1
      $0.middleware = [.bearer { token.value }]
      $0.recoveries = [
        Recovery(scheduler: clock) { client in
          let renew = Request(.post, "/token", options: .with { $0.priority = priority })
          return client.enqueue(request: renew, resultType: String.self).on(value: { token.value = $0.value })
        }
      ]
    }
    let recorders = (0..<10).map { _ in
      SignalRecorder(
        client.enqueue(
          request: Request(.get, "/a", options: .with { $0.totalTimeout = .seconds(600) }), resultType: Int.self))
    }
    clock.run()
    expectEqual(stub.requests.prefix(2).map(\.url.path), ["/a", "/token"])
    expectEqual(recorders.map { $0.values.map(\.value) }, Array(repeating: [1], count: 10))
  }
}
