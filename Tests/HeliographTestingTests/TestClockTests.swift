import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// The virtual clock as a `Clock`, under concurrent advances and for work of many steps.
struct TestClockTests {
  @Test func concurrentAdvancesAddUp() async {
    for _ in 0..<20 {
      let clock = TestClock()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { await clock.advance(by: .seconds(1)) } }
      }
      expectEqual(clock.now, .seconds(4))
    }
  }

  @Test func codeThatSleepsTakesItAsAClock() async throws {
    let clock = TestClock()
    let ticks = CurrentValue(0)
    func tick(on clock: any Clock<Duration>) async throws {
      while true {
        try await clock.sleep(for: .seconds(10))
        ticks.modify { $0 += 1 }
      }
    }
    let task = Task { try await tick(on: clock) }
    await until { clock.pendingCount == 1 }
    await clock.advance(by: .seconds(9))
    expectEqual(ticks.value, 0)
    for count in 1...3 {
      await clock.advance(by: .seconds(count == 1 ? 1 : 10))
      await until { ticks.value == count && clock.pendingCount == 1 }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    expectEqual(clock.pendingCount, 0)
    try await clock.sleep(for: .zero)  // no wait
  }

  @Test func instantsAreThoseOfTheClock() async {
    func measure<Measured: Clock>(_ clock: Measured) -> Measured.Instant { clock.now }
    let clock = TestClock()
    let start = measure(clock)
    await clock.advance(by: .milliseconds(1_500))
    expectEqual(start.duration(to: measure(clock)), .milliseconds(1_500))
    expect(start < measure(clock))
  }

  /// A fixed number of turns was not enough for a chain of requests.
  @MainActor @Test func aTaskOfManyRequestsHasRunAsFarAsItCan() async throws {
    let kit = TestKit()
    kit.stub.on(.get, "/n", .text("x"))
    kit.stub.on(.get, "/late", .text("y").delayed(by: .seconds(1)))
    var count = 0
    let task = Task { @MainActor in
      _ = try await kit.client.value(of: "/late", as: String.self)
      for _ in 0..<200 {
        _ = try await kit.client.value(of: "/n", as: String.self)
        await Task.yield()
        count += 1
      }
    }
    await kit.clock.advance()
    await kit.clock.advance(by: .seconds(1))
    expectEqual(count, 200)
    try await task.value
  }

  @Test func manyTimersRunInOrder() {
    let clock = VirtualScheduler()
    let instants = Guarded<[Int]>([])
    var generator = SystemRandomNumberGenerator()
    let delays = (0..<150_000).map { _ in Int.random(in: 0..<1_000, using: &generator) }
    var handles: [Disposable] = []
    for (index, delay) in delays.enumerated() {
      handles.append(
        clock.schedule(after: .milliseconds(delay)) { instants.withLock { $0.append(delay << 20 + index) } })
    }
    for (index, handle) in handles.enumerated() where index % 3 == 0 { handle.dispose() }
    expectEqual(clock.pendingCount, 100_000)
    clock.advance(by: .seconds(1))
    let expected = delays.enumerated().filter { $0.offset % 3 != 0 }.map { $0.element << 20 + $0.offset }.sorted()
    expectEqual(instants.withLock { $0 } == expected, true)
    expectEqual(clock.pendingCount, 0)
  }

  @Test func aRunReportsWhetherWorkIsLeft() {
    let clock = VirtualScheduler()
    let count = Guarded(0)
    @Sendable func repeats() {
      count.withLock { $0 += 1 }
      clock.schedule(after: .seconds(1)) { if count.withLock({ $0 }) < 5 { repeats() } }
    }
    repeats()
    expect(!clock.run(limit: 3))
    expectEqual(count.withLock { $0 }, 4)
    expect(clock.run())
    expectEqual(count.withLock { $0 }, 5)
    expectEqual(clock.pendingCount, 0)
  }

  /// Between reading the time and scheduling a delay, another thread may advance the clock.
  @Test func workForAnInstantRunsThenWhateverTheTimeWas() {
    let clock = VirtualScheduler()
    let log = Log<Duration>()
    clock.advance(by: .seconds(1))
    expect(clock.schedule(at: .seconds(3)) { log.add(clock.now) } != nil)
    clock.schedule(at: .seconds(2)) { log.add(.zero) }?.dispose()
    clock.advance(by: .milliseconds(1_999))
    expect(log.entries.isEmpty)
    clock.advance(by: .seconds(7))
    expectEqual(log.entries, [.seconds(3)])
    expectNil(clock.schedule(at: .seconds(8)) { log.add(.zero) })
    expectNil(clock.schedule(at: .zero) { log.add(.zero) })
    expectEqual(clock.pendingCount, 0)
    expect(clock.schedule(at: .seconds(10)) {} != nil)
  }

  @Test func aRunTellsWhetherAllWorkIsDoneAlsoAtItsLimit() {
    let clock = VirtualScheduler()
    for (count, isDone) in [(1, true), (2, true), (3, false)] {
      for second in 1...count { clock.schedule(after: .seconds(second)) {} }
      expectEqual(clock.run(limit: 2), isDone)
      clock.run()
    }
  }

  @Test func clientsOfOneKitShareStubAndClock() async throws {
    let kit = TestKit()
    let shop = kit.makeClient(baseURL: URL(string: "https://shop.example.com")) { $0.idleTimeout = .seconds(5) }
    kit.stub.on(.get, "https://api.example.com/a", .text("api"))
    kit.stub.on(.get, "https://shop.example.com/a", .never)
    try await expectEqual(kit.client.value(of: "/a", as: String.self), "api")
    let recorder = SignalRecorder(shop.exchange(request: "/a"))
    await kit.clock.advance(by: .seconds(5))
    expectEqual(recorder.failure?.isTimeout, true)
    expectEqual(kit.stub.requests(to: "/a").count, 2)
    try kit.stub.verify()
  }
}
