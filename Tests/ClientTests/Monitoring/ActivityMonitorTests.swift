import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// The counts of requests in flight, and when an indicator is visible, in virtual time.
struct ActivityMonitorTests {
  private let clock = VirtualScheduler()
  private let monitor: ActivityMonitor
  private let counts: SignalRecorder<Int, Never>
  private let active: SignalRecorder<Bool, Never>
  private let visible: SignalRecorder<Bool, Never>

  init() {
    monitor = ActivityMonitor(scheduler: clock)
    counts = SignalRecorder(monitor.count.signal)
    active = SignalRecorder(monitor.isActive.signal)
    visible = SignalRecorder(monitor.isVisible.signal)
  }

  private func pass(_ milliseconds: Int) { clock.advance(by: .milliseconds(milliseconds)) }

  /// Runs work that takes a time in milliseconds.
  private func work(_ milliseconds: Int) {
    monitor.begin()
    pass(milliseconds)
    monitor.end()
  }

  @Test func shortActivityIsNeverShown() {
    work(299)
    expectEqual(clock.pendingCount, 0)
    pass(1_000)
    // A pause of a tenth of a second starts the delay again.
    work(200)
    pass(100)
    work(200)
    pass(1_000)
    expectEqual(visible.values, [false])
    expectEqual(counts.values, [0, 1, 0, 1, 0, 1, 0])
    expectEqual(active.values.count, 7)
  }

  @Test func longActivityIsShownAfterTheDelayAndHiddenAtItsEnd() {
    monitor.begin()
    pass(299)
    expect(!monitor.isVisible.value)
    expectEqual(clock.pendingCount, 1)
    pass(1)
    expect(monitor.isVisible.value)
    expectEqual(clock.pendingCount, 0)
    pass(2_000)
    monitor.end()
    expect(!monitor.isActive.value)
    pass(99)
    expect(monitor.isVisible.value)
    pass(1)
    expectEqual(clock.pendingCount, 0)
    expectEqual(visible.values, [false, true, false])
  }

  /// The next request of a sequence begins when the former one has ended.
  @Test func aSequenceOfRequestsIsOneActivity() async {
    let kit = TestKit()
    let monitor = ActivityMonitor(scheduler: kit.clock)
    let client = kit.makeClient { $0.monitors = [monitor] }
    kit.stub.on(.get, "/a", .json("1").delayed(by: .milliseconds(250)))
    let visible = SignalRecorder(monitor.isVisible.signal)
    let step = client.enqueue(request: "/a", resultType: Int.self)
    let recorder = SignalRecorder(step.flatMap { _ in step }.flatMap { _ in step }.flatMap { _ in step })
    await kit.clock.advance(by: .milliseconds(999))
    expectEqual(visible.values, [false, true])
    await kit.clock.advance(by: .milliseconds(500))
    expect(recorder.isCompleted)
    expectEqual(visible.values, [false, true, false])
  }

  @Test func onceShownItStaysForTheMinimumTime() {
    work(310)
    expect(monitor.isVisible.value)
    expect(!monitor.isActive.value)
    expectEqual(clock.pendingCount, 1)
    pass(489)
    expect(monitor.isVisible.value)
    pass(1)
    expect(!monitor.isVisible.value)
    expectEqual(clock.pendingCount, 0)
  }

  @Test("S1-26") func aPauseWithinTheMinimumTimeDoesNotFlicker() {
    work(400)
    pass(200)
    monitor.begin()
    expectEqual(clock.pendingCount, 0)
    pass(1_000)
    expectEqual(visible.values, [false, true])
    monitor.end()
    pass(100)
    expectEqual(visible.values, [false, true, false])
    // The next activity starts anew.
    work(299)
    expectEqual(visible.values.count, 3)
    expectEqual(clock.pendingCount, 0)
  }

  @Test func eachPauseOfALongSequenceIsCountedAnew() {
    for _ in 0..<3 {
      work(1_000)
      pass(99)
    }
    expect(monitor.isVisible.value)
    pass(1)
    expectEqual(visible.values, [false, true, false])
    expectEqual(clock.pendingCount, 0)
  }

  @Test func twoPausesWithinTheMinimumTimeHideItAtTheFirstTime() {
    work(300)
    pass(100)
    work(100)
    pass(299)
    expect(monitor.isVisible.value)
    pass(1)
    expectEqual(visible.values, [false, true, false])
    expectEqual(clock.pendingCount, 0)
  }

  @Test func overlappingActivityIsOne() {
    monitor.begin()
    pass(200)
    monitor.begin()
    monitor.end()
    pass(100)
    expect(monitor.isVisible.value)
    expectEqual(monitor.count.value, 1)
    monitor.begin()
    pass(1_000)
    monitor.end()
    expect(monitor.isVisible.value)
    monitor.end()
    pass(100)
    expectEqual(visible.values, [false, true, false])
    expectEqual(active.values, [false, true, false])
  }

  @Test func withoutTimesItIsVisibleWhileActive() {
    let monitor = ActivityMonitor(startDelay: .zero, minimumVisibleTime: .zero, scheduler: clock)
    let visible = SignalRecorder(monitor.isVisible.signal)
    monitor.begin()
    monitor.end()
    expectEqual(visible.values, [false, true, false])
    expectEqual(clock.pendingCount, 0)
  }

  @Test func aTimerDoesNotKeepTheMonitorAndEndsWithIt() {
    weak var left: ActivityMonitor?
    do {
      let monitor = ActivityMonitor(scheduler: clock)
      left = monitor
      monitor.begin()
      expectEqual(clock.pendingCount, 1)
    }
    expectNil(left)
    expectEqual(clock.pendingCount, 0)
  }

  @Test func aSubscriberMayStartAndEndWork() {
    let monitor = monitor
    let handle = monitor.isActive.signal.subscribe(onValue: { isActive in
      guard isActive, monitor.count.value == 1 else { return }
      monitor.begin()
      monitor.begin()
      monitor.end()
    })
    monitor.begin()
    expectEqual(counts.values, [0, 1, 2])
    handle.dispose()
    monitor.end()
    monitor.end()
    expectEqual(counts.values, [0, 1, 2, 1, 0])
    expectEqual(active.values, [false, true, false])
  }

  @Test("S1-26", arguments: [false, true])
  func manyThreadsCountBackToZeroInOrder(isVisibleAtOnce: Bool) async {
    let monitor = ActivityMonitor(
      startDelay: isVisibleAtOnce ? .zero : .milliseconds(1), minimumVisibleTime: .zero, scheduler: clock)
    let recorders = [monitor.isActive, monitor.isVisible].map { SignalRecorder($0.signal) }
    let clock = clock
    await together(8) { index in
      for round in 1...500 {
        monitor.begin()
        if index == 0 && round % 10 == 0 { clock.advance(by: .milliseconds(1)) }
        monitor.end()
      }
    }
    expectEqual(monitor.count.value, 0)
    expect(!monitor.isActive.value)
    expect(!monitor.isVisible.value)
    for recorder in recorders {
      let values = recorder.values
      expect(values.indices.allSatisfy { values[$0] == ($0 % 2 == 1) })
      expect(recorder.violations.isEmpty)
    }
    clock.run()
    expectEqual(clock.pendingCount, 0)
  }

  /// The outcome of a request.
  enum Outcome: CaseIterable {
    case success
    case failure
    case cancellation
    case cacheHit
    case retry
    case invalid
  }

  @Test("S1-26", arguments: Outcome.allCases, [false, true])
  func everyOutcomeOfARequestCountsBackToZero(outcome: Outcome, isAsync: Bool) async {
    let kit = TestKit { $0.monitors = [monitor] }
    switch outcome {
    case .success, .invalid: kit.stub.on(.get, "/a", .json("1").delayed(by: .seconds(1)))
    case .failure: kit.stub.on(.get, "/a", .status(500).delayed(by: .seconds(1)))
    case .cancellation: kit.stub.on(.get, "/a", .never)
    case .cacheHit: kit.stub.on(.get, "/a", .json("1"))
    case .retry: kit.stub.on(.get, "/a", .status(503), .json("1"))
    }
    let request = Request(
      .get, outcome == .invalid ? "http://[" : "/a", cache: .timeToLive(.seconds(60)),
      options: .with { $0.retry = outcome == .retry ? Retry(limit: 1, backoff: .none) : nil })
    let client = kit.client
    var peaks = [Int]()
    for _ in 0..<(outcome == .cacheHit ? 2 : 1) {
      let before = counts.values.count
      if isAsync {
        let task = Task { _ = try? await client.value(of: request, as: Int.self) }
        if outcome != .invalid { await expect(kit.stub.requested(1)) }
        await kit.clock.advance(by: .milliseconds(500))
        if outcome == .cancellation { task.cancel() }
        await kit.clock.advance(by: .seconds(10))
        await task.value
      } else {
        let recorder = SignalRecorder(client.enqueue(request: request, resultType: Int.self))
        await kit.clock.advance(by: .milliseconds(500))
        if outcome == .cancellation { recorder.dispose() }
        await kit.clock.advance(by: .seconds(10))
        expect(outcome == .cancellation || recorder.hasEnded)
      }
      peaks += counts.values[before...].prefix(1)
    }
    expectEqual(peaks, (outcome == .cacheHit ? [1, 1] : [1]))
    expectEqual(kit.stub.requests.count, (outcome == .invalid ? 0 : outcome == .retry ? 2 : 1))
    expectEqual(counts.values.last, 0)
    expect(counts.values.allSatisfy { (0...1).contains($0) })
    expect(!monitor.isActive.value)
    expectEqual(clock.pendingCount, 0)
  }

  @Test func aRequestThatIsCancelledDuringTheDelayIsNotShown() {
    let stub = StubTransport()
    stub.on(.get, "/a", .never)
    var configuration = NetworkClient.Configuration(baseURL: URL(string: "https://a.example"), transport: stub)
    configuration.monitors = [monitor]
    let handle = NetworkClient(configuration).enqueue(request: "/a", resultType: Int.self).subscribe { _ in }
    pass(200)
    handle.dispose()
    expectEqual(clock.pendingCount, 0)
    pass(1_000)
    expectEqual(visible.values, [false])
    expectEqual(counts.values, [0, 1, 0])
  }

  @Test(arguments: [(200, "text/event-stream; charset=utf-8"), (200, "text/plain"), (503, "text/event-stream")])
  func anEventStreamCountsUntilItsResponseBegins(status: Int, type: String) {
    let stub = StubTransport(scheduler: clock)
    stub.on(
      .get, "/chat",
      StubAnswer([
        .delay(.seconds(1)), .head(status: status, headers: ["Content-Type": type]), .body(Data("a".utf8)), .never,
      ]))
    let client = NetworkClient(baseURL: URL(string: "https://a.example")) { [clock, monitor] in
      $0.transport = stub
      $0.scheduler = clock
      $0.processing = .immediate
      $0.monitors = [monitor]
    }
    let handle = client.stream(request: "/chat").subscribe { _ in }
    pass(400)
    expect(monitor.isVisible.value)
    pass(2_000)
    let isOpen = status == 200 && type != "text/plain"
    expectEqual(monitor.count.value, isOpen ? 0 : 1)
    expectEqual(monitor.isVisible.value, !isOpen)
    handle.dispose()
    expectEqual(counts.values, [0, 1, 0])
  }

  /// How counted work ends.
  enum Ending: CaseIterable {
    case completion
    case failure
    case disposal
    case deallocation
  }

  @Test(arguments: Ending.allCases) func aCountedSignalCountsFromItsSubscriptionToItsEnd(ending: Ending) {
    var source: PublishSubject<Int, NetworkError>? = PublishSubject()
    var signal = source?.signal.flatMap { Signal<Int, NetworkError>.just($0) }.counted(by: monitor)
    expectEqual(monitor.count.value, 0)
    let recorders = [signal, signal].compactMap { $0 }.map { SignalRecorder($0) }
    // It retains its source.
    signal = nil
    expectEqual(monitor.count.value, 2)
    source?.send(1)
    expectEqual(monitor.count.value, 2)
    expectEqual(recorders.map(\.values), [[1], [1]])
    switch ending {
    case .completion: source?.complete()
    case .failure: source?.fail(.cancellation)
    case .disposal: for recorder in recorders { recorder.dispose() }
    case .deallocation: source = nil
    }
    expectEqual(counts.values, [0, 1, 2, 1, 0])
  }

  @Test func countedFlowsAreBalancedThoughTheyAreDisposedWhileTheyStart() async {
    let monitor = monitor
    for _ in 1...200 {
      let outer = PublishSubject<Int, Never>()
      let handle = outer.signal.flatMap(.latest) { _ in Signal<Int, Never>.never.counted(by: monitor) }.subscribe { _ in
      }
      await together(2) { index in
        if index == 0 { for number in 0..<5 { outer.send(number) } } else { handle.dispose() }
      }
      expectEqual(monitor.count.value, 0)
    }
  }
}
