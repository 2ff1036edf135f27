import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// A lane in which the latest signal wins.
struct LaneLatestTests {
  private let clock = VirtualScheduler()
  private let running = RunningCount()

  /// Returns a signal that sends a value after a second.
  private func slow(_ value: Int) -> Signal<Int, NetworkError> {
    running.counting(Signal<Int, NetworkError>.just(value).delay(.seconds(1), on: clock))
  }

  @Test("P3 P10") func onlyTheLastOfAPauseIsStarted() {
    let lane = Lane(.latestWins(debounce: .milliseconds(300)), name: "search", scheduler: clock)
    var recorders: [SignalRecorder<Int, NetworkError>] = []
    for index in 0..<3 {
      recorders.append(SignalRecorder(lane.enqueue(slow(index))))
      clock.advance(by: .milliseconds(299))
    }
    expectEqual(running.started, 0)
    clock.advance(by: .milliseconds(1))
    expectEqual(running.started, 1)
    clock.advance(by: .seconds(1))
    expectEqual(recorders.map(\.values), [[], [], [2]])
    expect(recorders.allSatisfy { $0.isCompleted && $0.violations.isEmpty })
    expectEqual(clock.pendingCount, 0)
    expect(lane.description.contains(#"name: "search""#))
  }

  @Test("P3") func aRunningSignalIsCancelledBeforeTheNextStarts() {
    let lane = Lane(.latestWins())
    let first = SignalRecorder(lane.enqueue(slow(1)))
    clock.advance(by: .milliseconds(500))
    expectEqual(running.value, 1)
    let second = SignalRecorder(lane.enqueue(slow(2)))
    expect(first.isCompleted)
    expect(first.values.isEmpty)
    expectEqual(running.peak, 1)
    expectEqual(running.started, 2)
    clock.advance(by: .seconds(1))
    expectEqual(second.values, [2])
    expect(second.isCompleted)
    expectEqual(first.events.count, 1)
  }

  @Test func itIsColdAndDisposalIsSilent() {
    let lane = Lane(.latestWins(debounce: .seconds(1)), scheduler: clock)
    let signal = lane.enqueue(slow(1))
    expectEqual(clock.pendingCount, 0)
    let recorder = SignalRecorder(signal)
    expectEqual(clock.pendingCount, 1)
    recorder.dispose()
    expectEqual(clock.pendingCount, 0)
    expect(recorder.events.isEmpty)
    // A disposed signal is not replaced, and does not replace a later one.
    let later = SignalRecorder(signal)
    recorder.dispose()
    clock.advance(by: .seconds(2))
    expect(recorder.events.isEmpty)
    expectEqual(later.values, [1])
  }

  @Test func aCallerCanLearnThatItsSignalWasReplaced() {
    let lane = Lane(.latestWins())
    let end = Event<Int, NetworkError>.failed(NetworkError(.cancelled, reason: "replaced"))
    let first = SignalRecorder(lane.enqueue(slow(1), .normal, orEnd: end))
    let second = SignalRecorder(lane.enqueue(slow(2), .normal, orEnd: end))
    expectEqual(first.failure?.code, .cancelled)
    clock.advance(by: .seconds(1))
    expectEqual(second.values, [2])
    expect(second.isCompleted)
  }

  /// By the handler of the signal that it has replaced itself.
  @Test func aSignalThatIsReplacedBeforeItStartsEndsWithoutStarting() {
    let lane = Lane(.latestWins())
    let third = lane.enqueue(slow(3))
    let recorders = Guarded<[SignalRecorder<Int, NetworkError>]>([])
    lane.enqueue(slow(1)).subscribe { _ in
      let recorder = SignalRecorder(third)
      recorders.withLock { $0.append(recorder) }
    }
    let second = SignalRecorder(lane.enqueue(slow(2)))
    expect(second.isCompleted)
    expectEqual(running.started, 2)
    clock.advance(by: .seconds(1))
    expectEqual(second.values, [])
    expectEqual(second.events.count, 1)
    expectEqual(recorders.withLock { $0.flatMap(\.values) }, [3])
    expectEqual(running.value, 0)
  }

  @Test func anAwaitingTaskDoesNotHang() async throws {
    let lane = Lane(.latestWins())
    let running = running
    let first = Task { [signal = slow(1)] in try await lane.enqueue(signal).first() }
    await until { running.started != 0 }
    let second = SignalRecorder(lane.enqueue(slow(2)))
    try await expectNil(first.value)
    second.dispose()
    expectEqual(running.value, 0)
  }

  @Test func aSignalMayReplaceItselfWhileItIsDelivered() {
    let lane = Lane(.latestWins())
    let log = Guarded<[Int]>([])
    lane.enqueue(Signal<Int, Never>.from(1...1_000_000)).subscribe { event in
      log.withLock { $0.append(event.value ?? -1) }
      if event.value == 2 {
        lane.enqueue(Signal<Int, Never>.just(7)).subscribe(onValue: { value in log.withLock { $0.append(value) } })
      }
    }
    expectEqual(log.withLock { $0 }, [1, 2, 7, -1])
  }

  @Test(arguments: [Lane.Policy.latestWins(), .exclusive(), .exclusive(.join), .serial])
  func anEndlessSynchronousSignalIsStopped(_ policy: Lane.Policy) {
    let lane = Lane(policy)
    for _ in 0..<2 {
      let recorder = SignalRecorder(lane.enqueue(Signal<Int, Never>.from(0...)).take(2))
      expectEqual(recorder.values, [0, 1])
      expect(recorder.isCompleted)
    }
  }

  /// The first answer is the slower one.
  @Test("P3 S0-31", arguments: TransportKind.present) func ofAnOutOfOrderServerOnlyTheLastAnswerIsDelivered(
    _ kind: TransportKind
  ) async throws {
    let server = try LoopbackServer()
    server.route("GET", "/slow") { _ in .never }
    server.route("GET", "/fast") { _ in .json("[2]") }
    let client = NetworkClient(
      NetworkClient.Configuration(
        baseURL: server.baseURL, idleTimeout: .seconds(3_600), transport: try kind.transport()))
    let lane = Lane(.latestWins(), name: "search")
    let first = SignalRecorder(lane.enqueue(client.enqueue(request: "/slow", resultType: [Int].self)))
    await expect(server.wait { $0.requests.count == 1 })
    let second = SignalRecorder(lane.enqueue(client.enqueue(request: "/fast", resultType: [Int].self)))
    expect(first.isCompleted)
    expect(first.values.isEmpty)
    await second.waitForEnd()
    expectEqual(second.values.map(\.value), [[2]])
    await expect(server.wait { $0.connections.first?.isClosedByClient == true })
    expectEqual(first.events.count, 1)
  }
}
