import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// What a refresh proves about a token, and for how long; and whom a rejection concerns.
struct RecoveryWindowTests {
  private let clock = VirtualScheduler()
  private let stub: StubTransport
  private let account = CurrentValue<String?>("ann")

  init() {
    stub = StubTransport(scheduler: clock)
    stub.on("POST", "/token", .json("1").delayed(by: .seconds(5)))
  }

  private func client(
    _ recovery: Recovery, _ adjust: (inout NetworkClient.Configuration) -> Void = { _ in }
  ) -> NetworkClient {
    NetworkClient(baseURL: URL(string: "https://shop.example")) {
      $0.transport = stub
      $0.account = account
      $0.scheduler = clock
      $0.idleTimeout = .seconds(3_600)
      $0.processing = .immediate
      $0.recoveries = [recovery]
      adjust(&$0)
    }
  }

  private func recovery(
    on scheduler: any SignalScheduler, onFailure: @escaping @Sendable (NetworkError) -> Void = { _ in }
  ) -> Recovery {
    Recovery(
      scheduler: scheduler, refresh: { $0.enqueue(request: Request(.post, "/token"), resultType: Int.self) },
      onFailure: onFailure)
  }

  private func numbers(_ client: NetworkClient, _ path: String) -> SignalRecorder<Response<Int>, NetworkError> {
    SignalRecorder(client.enqueue(request: Request(.get, "\(raw: path)"), resultType: Int.self))
  }

  private var refreshCount: Int { stub.requests.count { $0.url.path == "/token" } }

  /// An upload takes longer than a token is valid, or its replay waits in a queue for as long.
  @Test func aTokenThatHasExpiredOnceMoreIsRefreshedAgain() {
    stub.on("GET", "/quick", .status(401), .json("1"))
    stub.on(
      "GET", "/slow", .status(401).delayed(by: .seconds(600)), .status(401).delayed(by: .seconds(600)), .json("2"))
    let client = client(recovery(on: clock))
    let slow = numbers(client, "/slow")
    clock.advance(by: .seconds(60))
    let quick = numbers(client, "/quick")
    clock.advance(by: .seconds(10))
    expect(quick.isCompleted)
    expectEqual(refreshCount, 1)
    clock.run()
    expectEqual(slow.values.map(\.value), [2])
    expectEqual(refreshCount, 3)
  }

  /// The window begins with the end of the refresh, not with the replay of a request that needed no other.
  @Test func theWindowBeginsWithTheEndOfTheRefresh() {
    stub.on("GET", "/quick", .status(401), .json("1"))
    stub.on(
      "GET", "/slow", .status(401).delayed(by: .seconds(60)), .status(401).delayed(by: .seconds(40)), .json("2"))
    let client = client(recovery(on: clock))
    let slow = numbers(client, "/slow")
    _ = numbers(client, "/quick")
    clock.run()
    expectEqual(slow.values.map(\.value), [2])
    expectEqual(refreshCount, 2)
  }

  /// Without a window, a request begins one refresh, and late failures get the outcome of the last one.
  @Test func withoutAWindowEachRequestIsRepeatedOnce() {
    stub.on("GET", "/items", .status(401))
    let recovery = Recovery(limit: .max, window: .zero, scheduler: clock) {
      $0.enqueue(request: Request(.post, "/token"), resultType: Int.self)
    }
    let recorder = numbers(client(recovery), "/items")
    clock.run()
    expectEqual(recorder.failure?.code, .status(401))
    expectEqual(refreshCount, 1)
  }

  @Test func aServerThatRejectsEachTokenSlowlyIsAskedAsOftenAsTheLimitAllows() {
    stub.on("GET", "/slow", .status(401).delayed(by: .seconds(600)))
    let slow = numbers(client(recovery(on: clock)), "/slow")
    clock.run()
    expectEqual(slow.failure?.code, .status(401))
    expectEqual(refreshCount, 3)
  }

  /// A guest follows each account at once.
  @Test func aRejectionDoesNotConcernTheAccountThatFollows() {
    stub.on("POST", "/rejected", .status(401).delayed(by: .seconds(1)))
    stub.on("GET", "/items", .status(401))
    let signedOut = Guarded<[String?]>([])
    let failures = Guarded(0)
    let recovery = Recovery(
      scheduler: clock, refresh: { $0.enqueue(request: Request(.post, "/rejected"), resultType: Int.self) },
      onFailure: { _ in failures.withLock { $0 += 1 } })
    let clients = (0..<2).map { _ in
      client(recovery) { [account] in
        $0.onUnauthorized = { _ in
          signedOut.withLock { $0.append(account.value) }
          account.value = nil
          account.value = "guest"
        }
      }
    }
    let recorders = clients.map { numbers($0, "/items") }
    clock.run()
    expect(recorders.allSatisfy { $0.failure?.statusCode == 401 })
    expectEqual(signedOut.withLock { $0 }, ["ann"])
    expectEqual(failures.withLock { $0 }, 0)
    expectEqual(account.value, "guest")
  }

  /// The process was suspended: what has arrived is read before the timeout counts.
  @Test(arguments: [(32, true), (60, false)])
  func aTimeoutWaitsForWhatHasArrivedDuringASuspension(_ seconds: Int, _ arrives: Bool) {
    let device = SuspendedClock(clock)
    stub.on("GET", "/items", .status(401), .json("1"))
    stub.on("POST", "/token", .json("1").delayed(by: .seconds(seconds)))
    stub.on("GET", "/late", .json("1").delayed(by: .seconds(seconds)))
    let refreshed = numbers(client(recovery(on: device)), "/items")
    let late = numbers(
      client(recovery(on: device)) {
        $0.scheduler = device
        $0.totalTimeout = .seconds(30)
      }, "/late")
    clock.advance(by: .seconds(20))
    device.suspend(for: .seconds(100))
    clock.advance(by: .seconds(14))
    expectEqual(refreshed.isCompleted, arrives)
    expectEqual(late.isCompleted, arrives)
    clock.advance(by: .seconds(2))
    expectEqual(refreshed.failure?.code, arrives ? nil : .recoveryTimedOut)
    expectEqual(late.failure?.code, arrives ? nil : .timedOut)
  }
}

/// The clock of a device that stays awake while the process does not run, so that its timers are late.
private final class SuspendedClock: SignalScheduler {
  private let clock: VirtualScheduler
  private let suspension = Guarded(Duration.zero)

  init(_ clock: VirtualScheduler) { self.clock = clock }

  var now: Duration { clock.now + suspension.withLock { $0 } }

  func suspend(for duration: Duration) { suspension.withLock { $0 += duration } }

  func schedule(_ work: @escaping @Sendable () -> Void) { clock.schedule(work) }

  @discardableResult
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
    clock.schedule(after: delay, work)
  }
}
