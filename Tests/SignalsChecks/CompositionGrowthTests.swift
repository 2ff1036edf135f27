// Exit tests exist on desktops and servers only, and take captured values from Swift 6.3 on.
#if compiler(>=6.3) && (os(macOS) || os(Linux) || os(Windows))
import Foundation
import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// What has ended is not kept by what lives on: inners by their outer, levels by a recursion, elements by a row.
///
/// Each runs in a process of its own, whose memory is measured alone. The counts are a fortieth of those in the calls of `many`
/// unless `HELIOGRAPH_SCALE` is 10 or more.
@Suite(.serialized) struct CompositionGrowthTests {
  @Test(arguments: GrowthRig.Inner.allCases)
  func innersThatHaveCompletedAreNotKeptByALivingOuter(inner: GrowthRig.Inner) async {
    await #expect(processExitsWith: .success) { [inner] in
      for strategy in RecursionTests.Strategy.allCases {
        let (rig, gauge, outer) = (GrowthRig(), DepthGauge(levels: many(100_000)), Source<Int>())
        let values = Tally()
        let handle = outer.signal.flatMap(strategy.strategy) { _ in rig.signal(inner) }
          .subscribe { _ in values.arrive() }
        var count = 0
        while !gauge.isBottom(count) {
          outer.send(count)
          rig.finish(inner)
          count += 1
        }
        check(values.count == count, "\(inner) in \(strategy): \(values.count) values of \(count)")
        check(rig.census.alive == 0, "\(inner) in \(strategy): \(rig.census.alive) inners alive")
        check(
          rig.clock.pendingCount == 0, "\(inner) in \(strategy): \(rig.clock.pendingCount) pieces of work pending")
        check(gauge.isConstant, "\(inner) in \(strategy): \(gauge.growthPerLevel) bytes per inner")
        check(!handle.isDisposed, "\(inner) in \(strategy): the outer has ended")
      }
    }
  }

  /// What stands between the work of a level and the flat-mapping to the next.
  enum Between: Int, CaseIterable, Codable {
    case timeout
    case observe
    case zip
    case share
    case retry
  }

  @Test(arguments: Between.allCases, [RecursionTests.Work.fused, .unfused])
  func levelsOfARecursionThroughAnOperatorAreNotKept(between: Between, work: RecursionTests.Work) async {
    await #expect(processExitsWith: .success) { [between, work] in
      let (rig, gauge, latest) = (GrowthRig(), DepthGauge(levels: many(100_000)), Later<Int>())
      @Sendable func down(_ level: Int) -> Numbers {
        let token = rig.census.token()
        if gauge.isBottom(level) { return .just(level) }
        return rig.later(level, between, work).flatMap { value in
          token.use()
          return down(value + 1)
        }
      }
      let handle = down(0).subscribe(onValue: { latest.value = $0 }, onFailure: { _ in })
      // In portions, so that a recursion whose timers are kept is found out before it takes an hour.
      while rig.clock.pendingCount > 0 {
        rig.clock.run(limit: 10_000)
        check(rig.clock.pendingCount < 100, "\(between), \(work): \(rig.clock.pendingCount) pieces of work pending")
      }
      check(latest.value == gauge.levels, "\(between), \(work): reached level \(latest.value ?? -1)")
      check(rig.census.alive == 0, "\(between), \(work): \(rig.census.alive) levels alive")
      check(gauge.isConstant, "\(between), \(work): \(gauge.growthPerLevel) bytes per level")
      check(handle.isDisposed, "\(between), \(work): no end")
    }
  }

  @Test(arguments: RecursionTests.Work.allCases, [false, true])
  func rightNestedConcatsAreMadeRunAndFreed(work: RecursionTests.Work, isDisposedMidway: Bool) async {
    await #expect(processExitsWith: .success) { [work, isDisposedMidway] in
      await onSmallThread {
        let (census, count) = (Census(), many(100_000))
        func run() {
          var signal = work.signal(0)
          for number in 1..<count {
            let token = census.token()
            signal = work.signal(number).map { value in
              token.use()
              return value
            }.concat(signal)
          }
          let values = Tally()
          let handle = (isDisposedMidway ? signal.take(count / 2) : signal).subscribe(
            onValue: { _ in values.arrive() }, onFailure: { _ in })
          check(values.count == (isDisposedMidway ? count / 2 : count), "\(values.count) values")
          withExtendedLifetime(handle) {}
        }
        run()
        check(census.alive == 0, "\(census.alive) alive")
      }
    }
  }
}

/// Reports a condition that is not met to the test that started this process, and stops the process.
private func check(_ condition: Bool, _ message: @autoclosure () -> String) {
  if condition { return }
  Issue.record("\(message())")
  exit(EXIT_FAILURE)
}

/// Signals that a test finishes by hand or by virtual time, and which leave nothing behind themselves.
final class GrowthRig: Sendable {
  /// What runs under the outer.
  enum Inner: Int, CaseIterable, Codable {
    case fused
    case unfused
    case zip
    case timeout
    case observe
    case zipAndObserve
    case share
    case nestedFlatMap
    case filledTake
    case unfilledTake
  }

  let census = Census()
  let clock = VirtualScheduler()
  private let observers = Later<[Observer<Int, Fault>]>()
  private let subject = Later<PublishSubject<Int, Fault>>()

  /// Work that waits for `finish`; its observer is kept until then.
  private var work: Numbers {
    Signal { [observers] observer in
      observers.value = (observers.value ?? []) + [observer]
      return Disposable {}
    }
  }

  /// An inner that ends with one value, at `finish`.
  func signal(_ inner: Inner) -> Numbers {
    let token = census.token()
    let signal =
      switch inner {
      case .fused, .unfused: work
      case .zip: work.zip(work).map { $0 + $1 }
      case .timeout: work.timeout(.seconds(5), failing: .late, on: clock)
      case .observe: work.observe(on: clock)
      case .zipAndObserve: work.zip(work).map { $0 + $1 }.observe(on: clock)
      case .share: work.share(replay: 1)
      case .nestedFlatMap: work.flatMap { [work] _ in work }
      case .filledTake, .unfilledTake: newSubject().take(inner == .filledTake ? 1 : 5)
      }
    return signal.map { value in
      token.use()
      return value
    }
  }

  private func newSubject() -> Numbers {
    let subject = PublishSubject<Int, Fault>()
    self.subject.value = subject
    return subject.signal
  }

  /// Lets the inner end.
  func finish(_ inner: Inner) {
    // The second round is for work that was started by the end of the first.
    for _ in 1...2 {
      let ending = observers.value ?? []
      observers.value = nil
      for observer in ending {
        if inner != .unfused { observer.complete(with: 1) } else { observer.send(1) }
        observer.complete()
      }
    }
    subject.value?.send(1)
    subject.value?.complete()
    subject.value = nil
    clock.advance()
  }

  /// The work of a level of a recursion, with an operator behind it.
  func later(_ level: Int, _ between: CompositionGrowthTests.Between, _ work: RecursionTests.Work) -> Numbers {
    let runs = Tally()
    let source = Numbers { [clock] observer in
      runs.arrive()
      return clock.schedule(after: .milliseconds(1)) {
        if between == .retry && runs.count == 1 { return observer.fail(.broken) }
        if work == .fused { return observer.complete(with: level) }
        observer.send(level)
        observer.complete()
      }
    }
    return switch between {
    case .timeout: source.timeout(.seconds(5), failing: .late, on: clock)
    case .observe: source.observe(on: clock)
    case .zip: source.zip(source).map { left, _ in left }
    case .share: source.share(replay: 1)
    case .retry: source.retry(2, .constant(.milliseconds(1)), on: clock)
    }
  }
}
#endif
