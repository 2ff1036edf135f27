import Signals
import Synchronization
import Testing

extension AllStressTests {
  @Suite(.serialized) struct ScheduledStressTests {
    @Test func timing() async {
      await stress(
        "timing",
        [
          ("debounce", { .one(expecting: nil) { $0.debounce(.microseconds(20)) } }),
          ("throttle", { .one(expecting: nil) { $0.throttle(.microseconds(20)) } }),
          ("delay", { .one { $0.delay(.microseconds(20)) } }),
          ("timeout", { .one(expecting: nil) { $0.timeout(.microseconds(50), failing: Oops()) } }),
        ])
    }

    @Test func delivering() async {
      let serial = DispatchScheduler.serial("stress")
      await stress(
        "deliver",
        [
          ("observeGlobal", { .one { $0.observe(on: .global) } }),
          ("observeSerial", { .one { $0.observe(on: serial) } }),
          ("subscribe", { .one(expecting: nil, Self.waitless) }),
          ("until", { .two(expecting: nil) { $0.take(until: $1) } }),
        ])
    }

    /// Subscribes elsewhere: what is sent before that is lost, as it should be; a source that never came has ended.
    private static func waitless(_ signal: Signal<Int, Oops>) -> Signal<Int, Oops> {
      signal.take(until: .timer(after: .microseconds(50))).subscribe(on: .global)
    }

    @Test func actions() async {
      await stress("action", [("action", Self.action)])
    }

    @Sendable private static func action() -> Rig {
      let accepted = Counter()
      let tap = Tap()
      let action = Action<Int, Int, Oops> { .just($0) }
      var input = tap.input
      input.send = { if action.execute($0) != nil { accepted.count.add(1, ordering: .relaxed) } }
      input.complete = { tap.input.send(0) }
      var rig = Rig(action.values.orOops.take(until: tap.signal), [input], [tap])
      rig.expected = { _, _ in accepted.count.load(ordering: .relaxed) }
      rig.extra = { action.cancel() }
      return rig
    }

    @Test func asyncValues() async {
      await stress("async", [("values", Self.async)])
    }

    @Sendable private static func async() -> Rig {
      let tap = Tap()
      let signal = tap.signal
      var rig = Rig(signal, [tap.input], [tap])
      rig.expected = { $0 + $1 }
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

private final class Counter: Sendable {
  let count = Atomic<Int>(0)
}
