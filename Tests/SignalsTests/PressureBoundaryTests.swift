import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// What asks and what queues, with stages between and boundaries one behind another.
struct PressureBoundaryTests {
  let clock = VirtualScheduler()
  let later = VirtualScheduler()
  let source = Source<Int>()
  let log = Log<Int>()

  struct Path: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (Numbers) -> Numbers

    init(_ name: String, _ apply: @escaping @Sendable (Numbers) -> Numbers) {
      testDescription = name
      self.apply = apply
    }

    static let all = [
      Path("map") { $0.map { $0 } },
      Path("filter") { $0.filter { _ in true } },
      Path("compactMap and scan") { $0.compactMap { $0 }.scan(0) { $1 } },
      Path("flatMap to ready signals") { $0.flatMap { .just($0) } },
      Path("flatMap to work") { $0.flatMap(.concat) { .stubborn($0) } },
      Path("as an inner") { signal in Numbers.just(0).concat(.empty).flatMap { _ in signal } },
      Path("as an inner of an inner") { signal in
        source().flatMap { _ in source().flatMap(.latest) { _ in signal.map { $0 } } }
      },
      Path("as an inner at once") { signal in source().flatMap { _ in signal } },
      Path("concat") { Numbers.stubborn().concat($0) },
      Path("concat before") { $0.concat(.stubborn()) },
      Path("Signal.concat") { .concat([.empty, .stubborn(), $0, .empty]) },
      Path("then") { Numbers.stubborn(1).then($0) },
      Path("take") { $0.take(100) },
      Path("take(while:)") { $0.take(while: { _ in true }) },
      Path("take(until:)") { $0.take(until: Numbers.never) },
      Path("skip") { .just(-1).concat($0).skip(1) },
      Path("distinctUntilChanged") { $0.distinctUntilChanged() },
      Path("merge") { $0.merge(.empty) },
      Path("retry") { signal in failing(1, before: signal).retry(1) },
      Path("retry(when:)") { signal in failing(2, before: signal).retry(when: { _, _ in true }) },
      Path("catch") { signal in Numbers.fail(.broken).concat(.empty).catch { (_: Fault) in signal } },
      Path("on and named") { $0.on(value: { _ in }).debug("", log: { _ in }) },
      Path("zip") { Numbers.endless.take(100).zip($0).map { $0.1 } },
      Path("withLatest") { $0.withLatest(from: .just(0)).map { $0.0 } },
      Path("materialize") { $0.materialize().dematerialize() },
      Path("subscribe(on:)") { $0.subscribe(on: .immediate) },
      Path("interrupted") { $0.interrupted(enter: { _, _ in }, leave: { _ in }) },
      Path("following") { signal in Numbers.fail(.broken).following { _, _ in signal } },
      Path("bound(to:)") { $0.bound(to: Lifetime.lasting) },
      Path("deferred") { signal in .deferred { signal.ifEmpty(0) } },
    ]

    /// Work that sends one value.
    private static func source() -> Numbers { .stubborn(0) }

    private static func failing(_ count: Int, before signal: Numbers) -> Numbers {
      let tally = Tally()
      return .deferred {
        tally.arrive()
        return tally.count <= count ? .fail(.broken) : signal
      }
    }
  }

  @Test(arguments: Path.all) func passesThroughStages(_ path: Path) {
    let pausing = PausingSource(100)
    let recorder = SignalRecorder(path.apply(pausing.signal).observe(on: clock))
    expectEqual(pausing.sentCount, Pressure.highCount)
    clock.advance()
    expectEqual(recorder.values, Array(0..<100))
    expect(recorder.isCompleted)
    expect(pausing.pauseCount > 1)
  }

  @Test func countsTwoBoundariesTogether() {
    let pausing = PausingSource(100)
    let recorder = SignalRecorder(pausing.signal.observe(on: clock).map { $0 }.observe(on: later))
    for _ in 0..<3 {
      clock.advance()
      expectEqual(pausing.sentCount, Pressure.highCount)
    }
    later.advance()
    expectEqual(recorder.values, Array(0..<16))
    expectEqual(pausing.sentCount, 12 + 16)
    while !recorder.hasEnded {
      expect(pausing.sentCount - recorder.values.count <= Pressure.highCount)
      clock.advance()
      later.advance()
    }
    expectEqual(recorder.values, Array(0..<100))
  }

  @Test func resumesWhenEitherOfTwoBoundariesSinks() throws {
    let recorder = SignalRecorder(
      source.signal.filter { $0 % 2 == 0 }.observe(on: clock).filter { $0 < 6 }.observe(on: later))
    let pressure = try require(source.observers.first?.pressure)
    for number in 0..<32 { source.send(number) }
    expect(pressure.isHigh)
    pressure.whenLow { [log] in log.add(recorder.values.count) }
    // Three go on and thirteen are dropped on the way.
    clock.advance()
    expectEqual(log.entries, [0])
    later.advance()
    expectEqual(recorder.values, [0, 2, 4])
  }

  @Test func whatWaitsBeforeAnotherSourceDoesNotCount() throws {
    let other = Source<Int>()
    let recorder = SignalRecorder(source.signal.observe(on: clock).merge(other.signal).observe(on: later))
    for number in 0..<20 { source.send(number) }
    try expect(require(source.observers.first?.pressure).isHigh)
    try expect(!require(other.observers.first?.pressure).isHigh)
    clock.advance()
    try expect(require(other.observers.first?.pressure).isHigh)
    recorder.dispose()
  }

  @Test func disposalCallsWhoWaits() throws {
    let pausing = PausingSource(100)
    let recorder = SignalRecorder(pausing.signal.observe(on: clock).observe(on: later))
    expectEqual(pausing.sentCount, 16)
    recorder.dispose()
    expectEqual(pausing.resumptionCount, 1)
    expectEqual(pausing.sentCount, 16)
    expectEqual(pausing.teardownCount, 1)
    clock.advance()
    later.advance()
    expect(recorder.events.isEmpty)
    expectEqual(pausing.resumptionCount, 1)
  }

  @Test func disposalInsideAHandlerCallsWhoWaits() {
    let handle = Later<Disposable>()
    let pausing = PausingSource(100)
    handle.value = pausing.signal.observe(on: clock).subscribe(
      onValue: { [log] value in
        log.add(value)
        if value == 3 { handle.value?.dispose() }
      }, onFailure: { _ in })
    clock.advance()
    expectEqual(log.entries, [0, 1, 2, 3])
    expectEqual(pausing.resumptionCount, 1)
    expectEqual(pausing.sentCount, 16)
  }

  @Test func theEndOfANearBoundaryCallsWhoWaitsThoughAFartherOneIsHigh() throws {
    let recorder = SignalRecorder(
      source.signal.observe(on: clock).take(20).concat(.never).observe(on: later))
    let pressure = try require(source.observers.first?.pressure)
    for number in 0..<30 { source.send(number) }
    pressure.whenLow { [log] in log.add(recorder.values.count) }
    clock.advance()
    expectEqual(log.entries, [0])
    expect(!pressure.isHigh)
    expect(source.isIdle)
    recorder.dispose()
  }

  @Test func theCompletionOfANearBoundaryCallsWhoWaits() throws {
    let recorder = SignalRecorder(source.signal.observe(on: clock).observe(on: later))
    let pressure = try require(source.observers.first?.pressure)
    for number in 0..<30 { source.send(number) }
    pressure.whenLow { [log] in log.add(recorder.values.count) }
    source.complete()
    expect(log.entries.isEmpty)
    clock.advance()
    expectEqual(log.entries, [0])
    later.advance()
    expectEqual(recorder.values, Array(0..<30))
    expect(recorder.isCompleted)
  }

  @Test func whoAsksAfterTheEndIsCalledAtOnce() throws {
    let recorder = SignalRecorder(source.signal.observe(on: clock))
    let pressure = try require(source.observers.first?.pressure)
    for number in 0..<30 { source.send(number) }
    recorder.dispose()
    expect(!pressure.isHigh)
    pressure.whenLow { [log] in log.add(1) }
    expectEqual(log.entries, [1])
  }
}

extension Lifetime {
  /// One that does not end in these tests.
  fileprivate static let lasting = Lifetime()
}
