// Exit tests exist on desktops and servers only, and take captured values from Swift 6.3 on.
#if compiler(>=6.3) && (os(macOS) || os(Linux) || os(Windows))
import Dispatch
import Foundation
import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// A signal that goes on with itself runs in constant stack and memory (promise 19).
///
/// Each runs in a process of its own: stack overflow would end all other tests, whose memory in turn would
/// disturb the measurement. A million levels where a level takes microseconds; the numbers beside the others are what
/// some 20 seconds allow in a debug build.
@Suite(.serialized) struct RecursionTests {
  /// How the work of a level sends its value.
  enum Work: Int, CaseIterable, Codable {
    case ready
    case sequence
    case unfused
    case fused

    func signal(_ value: Int) -> Numbers {
      switch self {
      case .ready: .just(value)
      case .sequence: .from(CollectionOfOne(value))
      case .unfused: .stubborn(value)
      case .fused: .fused(value)
      }
    }
  }

  enum Strategy: Int, CaseIterable, Codable {
    case merge
    case mergeTwo
    case concat
    case latest
    case exhaust

    var strategy: FlattenStrategy {
      switch self {
      case .merge: .merge
      case .mergeTwo: .merge(maxConcurrent: 2)
      case .concat: .concat
      case .latest: .latest
      case .exhaust: .exhaust
      }
    }
  }

  @Test(arguments: Strategy.allCases, Work.allCases)
  func flatMapOfItself(strategy: Strategy, work: Work) async {
    await #expect(processExitsWith: .success) { [strategy, work] in
      let gauge = DepthGauge(levels: many(1_000_000))
      @Sendable func down(_ level: Int) -> Numbers {
        gauge.isBottom(level) ? .just(level) : work.signal(level).flatMap(strategy.strategy) { down($0 + 1) }
      }
      await expectRun(of: down(0), toSend: many(1_000_000), within: gauge)
    }
  }

  @Test(arguments: Work.allCases)
  func concatWithItself(work: Work) async {
    await #expect(processExitsWith: .success) { [work] in
      let gauge = DepthGauge(levels: many(1_000_000))
      @Sendable func down(_ level: Int) -> Numbers {
        gauge.isBottom(level) ? .just(level) : work.signal(level).concat(.deferred { down(level + 1) })
      }
      await expectRun(of: down(0), toSend: many(1_000_000), within: gauge)
    }
  }

  @Test(arguments: Strategy.allCases, [Work.fused, .unfused])
  func flatMapOfItselfThroughAScheduler(strategy: Strategy, work: Work) async {
    await #expect(processExitsWith: .success) { [strategy, work] in
      // A turn of the queue takes most of the time: 300,000.
      let gauge = DepthGauge(levels: many(300_000))
      let scheduler = DispatchScheduler.serial("recursion")
      @Sendable func down(_ level: Int) -> Numbers {
        gauge.isBottom(level)
          ? .just(level) : later(level, work, on: scheduler).flatMap(strategy.strategy) { down($0 + 1) }
      }
      await expectRun(of: down(0), toEndWith: many(300_000), within: gauge)
    }
  }

  @Test(arguments: [Work.fused, .unfused])
  func concatWithItselfThroughAScheduler(work: Work) async {
    await #expect(processExitsWith: .success) { [work] in
      let gauge = DepthGauge(levels: many(300_000))
      let scheduler = DispatchScheduler.serial("recursion")
      @Sendable func down(_ level: Int) -> Numbers {
        gauge.isBottom(level)
          ? .just(level) : later(level, work, on: scheduler).concat(.deferred { down(level + 1) })
      }
      await expectRun(of: down(0), toEndWith: many(300_000), within: gauge)
    }
  }

  @Test func catchOfItself() async {
    await #expect(processExitsWith: .success) {
      let gauge = DepthGauge(levels: many(1_000_000))
      @Sendable func down(_ level: Int) -> Numbers {
        gauge.isBottom(level) ? .just(level) : Numbers.fail(.broken).catch { _ in down(level + 1) }
      }
      await expectRun(of: down(0), toSend: many(1_000_000), within: gauge)
    }
  }

  @Test func thenOfItself() async {
    await #expect(processExitsWith: .success) {
      let gauge = DepthGauge(levels: many(1_000_000))
      @Sendable func down(_ level: Int) -> Numbers {
        gauge.isBottom(level) ? .just(level) : Numbers.stubborn(1).then(.deferred { down(level + 1) })
      }
      await expectRun(of: down(0), toSend: many(1_000_000), within: gauge)
    }
  }

  @Test(arguments: [false, true])
  func synchronousRetries(hasPolicy: Bool) async {
    await #expect(processExitsWith: .success) { [hasPolicy] in
      let gauge = DepthGauge(levels: 100_000)
      let runs = Tally()
      let signal = Numbers { observer in
        runs.arrive()
        if gauge.isBottom(runs.count) { observer.complete(with: runs.count) } else { observer.fail(.broken) }
        return nil
      }
      let retried = hasPolicy ? signal.retry(100_000) : signal.retry { _, _ in true }
      await expectRun(of: retried, toSend: 100_000, within: gauge)
    }
  }

  @Test(arguments: Work.allCases)
  func leftNestedConcatsAreMadeRunAndFreed(work: Work) async {
    await #expect(processExitsWith: .success) { [work] in
      await onSmallThread {
        let census = Census()
        func run() {
          var signal = work.signal(0)
          for number in 1..<100_000 {
            let token = census.token()
            signal = signal.concat(
              .deferred {
                token.use()
                return work.signal(number)
              })
          }
          let sum = Tally()
          let handle = signal.subscribe(onValue: { _ in sum.arrive() }, onFailure: { _ in })
          precondition(sum.count == 100_000)
          withExtendedLifetime(handle) {}
        }
        run()
        precondition(census.alive == 0)
      }
    }
  }

  @Test func leftNestedConcatsAreFreedWithoutBeingRun() async {
    await #expect(processExitsWith: .success) {
      await onSmallThread {
        func make() { _ = (1..<100_000).reduce(Numbers.just(0)) { $0.concat(.just($1)) } }
        make()
        let handle = (1..<100_000).reduce(Numbers { _ in nil }) { $0.concat(.just($1)) }.subscribe { _ in }
        handle.dispose()
      }
    }
  }
}

/// Runs a synchronous recursion on a small stack and stops the process if it does not send what it should.
private func expectRun(of signal: Numbers, toSend last: Int, within gauge: DepthGauge) async {
  let (latest, ends) = (Later<Int>(), Tally())
  await onSmallThread {
    signal.subscribe(onValue: { latest.value = $0 }, onFailure: { _ in }, onCompletion: { ends.arrive() })
  }
  precondition(latest.value == last && ends.count == 1)
  expectConstantMemory(gauge)
}

private func expectRun(of signal: Numbers, toEndWith last: Int, within gauge: DepthGauge) async {
  let recorder = SignalRecorder(signal.filter { $0 == last })
  let hasEnded = await recorder.waitForEnd()
  precondition(hasEnded && recorder.values == [last])
  expectConstantMemory(gauge)
}

/// A level that kept anything at all would keep at least 32 bytes.
private func expectConstantMemory(_ gauge: DepthGauge) {
  precondition(gauge.isConstant, "\(gauge.growthPerLevel) bytes per level")
}

private func later(_ value: Int, _ work: RecursionTests.Work, on scheduler: DispatchScheduler) -> Numbers {
  Signal { observer in
    scheduler.schedule {
      if work == .fused { return observer.complete(with: value) }
      observer.send(value)
      observer.complete()
    }
    return nil
  }
}
#endif
