import HeliographTesting
import Signals
import Synchronization
import Testing

extension AllStressTests {
  @Suite(.serialized) struct ScheduledStressTests {
    @Test func timing() async {
      let serial = DispatchScheduler.serial("stress")
      await stress(
        "timing",
        [
          ("debounce", { .one(expecting: nil) { $0.debounce(.microseconds(20)) } }),
          ("throttle", { .one(expecting: nil) { $0.throttle(.microseconds(20)) } }),
          ("delay", { .one { $0.delay(.microseconds(20)) } }),
          ("timeout", { .one(expecting: nil) { $0.timeout(.microseconds(50), failing: Oops()) } }),
          ("debounceSerial", { .one(expecting: nil) { $0.debounce(.microseconds(5), on: serial) } }),
          ("throttleSerial", { .one(expecting: nil) { $0.throttle(.microseconds(5), on: serial) } }),
          ("delaySerial", { .one { $0.delay(.microseconds(5), on: serial) } }),
          ("timeoutSerial", { .one(expecting: nil) { $0.timeout(.microseconds(20), failing: Oops(), on: serial) } }),
        ])
    }

    @Test func timers() async {
      await stressRounds("timer") { name, random, log in
        if random.oneIn(4) { return TimerRound(name, &random, log) }
        return VirtualTimerRound(name, &random, log)
      }
    }

    @Test func delivering() async {
      let serial = DispatchScheduler.serial("stress")
      await stress(
        "deliver",
        [
          ("observeGlobal", { .one { $0.observe(on: .global) } }),
          ("observeSerial", { .one { $0.observe(on: serial) } }),
          ("subscribe", { .one(expecting: nil, Self.waitless) }),
          ("subscribeSerial", { Self.startingLater { $0.subscribe(on: serial) } }),
          ("subscribeGlobal", { Self.startingLater { $0.subscribe(on: .global) } }),
          ("subscribeClock", Self.subscribeOnClock),
          ("until", { .two(expecting: nil) { $0.take(until: $1) } }),
          ("on", Self.watched),
        ])
    }

    /// Subscribes on a scheduler: values before that are lost, and a trigger ends a source that starts after its end.
    private static func waitless(_ signal: Signal<Int, Oops>) -> Signal<Int, Oops> {
      signal.take(until: .timer(after: .microseconds(50))).subscribe(on: .global)
    }

    /// Sends only when the source has started on its scheduler, so that every value must arrive.
    @Sendable private static func startingLater(_ build: (Signal<Int, Oops>) -> Signal<Int, Oops>) -> Rig {
      var rig = Rig.one(build)
      rig.startsLater = true
      return rig
    }

    /// The start races with a disposal; a subscription that is disposed before its turn never starts.
    @Sendable private static func subscribeOnClock() -> Rig {
      let clock = VirtualScheduler()
      var rig = Rig.one(expecting: nil) { $0.subscribe(on: clock) }
      rig.completes = false
      let send = rig.inputs[0].send
      rig.inputs[0].send = { value in
        clock.advance()
        send(value)
      }
      let tap = rig.taps[0]
      rig.finally = { probe in
        let starts = tap.ledger.starts.load(ordering: .acquiring)
        clock.advance()
        probe.check(tap.ledger.starts.load(ordering: .acquiring) == starts, "started after its disposal")
      }
      return rig
    }

    /// `on(...)` reports one start, and then either the termination or the disposal, once.
    @Sendable private static func watched() -> Rig {
      let calls = OnCalls()
      var rig = Rig.one {
        $0.on(
          start: { calls.starts.add(1, ordering: .relaxed) }, value: { _ in calls.values.add(1, ordering: .relaxed) },
          failure: { _ in calls.endings.add(1, ordering: .relaxed) },
          completion: { calls.endings.add(1, ordering: .relaxed) },
          dispose: { calls.disposals.add(1, ordering: .relaxed) },
          terminate: { calls.terminations.add(1, ordering: .relaxed) })
      }
      rig.finally = { calls.check($0) }
      return rig
    }

    @Test func actions() async {
      await stressRounds("action") { ActionRound($0, &$1, $2) }
    }

    @Test func asyncValues() async {
      await stress("async", [("values", Self.async)])
    }

    @Sendable private static func async() -> Rig {
      let tap = Tap()
      let signal = tap.signal
      var rig = Rig(signal, [tap.input], [tap])
      rig.expected = { $0 + $1 }
      rig.startsLater = true
      rig.finishesLater = true
      rig.start = { probe in
        let task = Task {
          do throws(Oops) {
            for try await value in signal.values { probe.next(value) }
          } catch {}
          probe.end()
        }
        return Disposable { task.cancel() }
      }
      return rig
    }
  }
}

/// How often the closures of `on(...)` were called.
private final class OnCalls: Sendable {
  let starts = Atomic<Int>(0)
  let values = Atomic<Int>(0)
  let endings = Atomic<Int>(0)
  let disposals = Atomic<Int>(0)
  let terminations = Atomic<Int>(0)

  func check(_ probe: Probe) {
    let (starts, values) = (starts.load(ordering: .acquiring), values.load(ordering: .acquiring))
    let (endings, disposals) = (endings.load(ordering: .acquiring), disposals.load(ordering: .acquiring))
    let terminations = terminations.load(ordering: .acquiring)
    probe.check(starts == 1, "on(start:) ran \(starts) times")
    probe.check(values >= probe.valueCount, "on(value:) ran \(values) times for \(probe.valueCount) values")
    probe.check(disposals + terminations == 1, "disposed \(disposals) times, terminated \(terminations) times")
    probe.check(endings == terminations, "\(endings) endings, terminated \(terminations) times")
    probe.check(terminations >= probe.terminalCount, "an ending without on(terminate:)")
  }
}
