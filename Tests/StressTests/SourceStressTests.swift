import Signals
import Synchronization
import Testing

extension AllStressTests {
  @Suite(.serialized) struct SourceStressTests {
    @Test func creating() async {
      await stress("create", [("create", { .one { $0 } }), ("deferred", { .one { signal in .deferred { signal } } })])
    }

    @Test func transforming() async {
      await stress(
        "transform",
        [
          ("map", { .one { $0.map { $0 }.filter { _ in true }.compactMap { $0 } } }),
          ("scan", { .one { $0.scan(0) { $1 }.distinctUntilChanged() } }),
          ("take", { .one(expecting: { min(2, $0 + $1) }) { $0.take(2) } }),
          ("skip", { .one(expecting: { max(0, $0 + $1 - 1) }) { $0.skip(1) } }),
          ("collect", { .one(expecting: { _, _ in 1 }) { $0.collect().map { $0.last ?? 0 } } }),
          ("materialize", { .one { $0.materialize().dematerialize() } }),
        ])
    }

    @Test func subjects() async {
      await stress("subject", [("subject", Self.subject), ("current", Self.current)])
    }

    @Test func sharing() async {
      await stress(
        "share",
        [
          ("share", { Self.shared { $0.share() } }), ("replay", { Self.shared { $0.share(replay: 2) } }),
          ("lazily", { Self.shared { $0.replayLazily() } }),
        ])
    }

    @Sendable private static func subject() -> Rig {
      let subject = PublishSubject<Int, Oops>()
      let input = Input(
        send: { subject.send($0) }, complete: { subject.complete() }, fail: { subject.fail(Oops()) })
      var rig = Rig(subject.signal, [input])
      rig.expected = { $0 + $1 }
      rig.extra = { subject.signal.subscribe { _ in }.dispose() }
      return rig
    }

    @Sendable private static func current() -> Rig {
      let (current, tap) = (CurrentValue(Int.min), Tap())
      var input = tap.input
      input.send = { current.send($0) }
      var rig = Rig(current.signal.orOops.filter { $0 > .min }.take(until: tap.signal), [input], [tap])
      // Ended by a value of the trigger; a completion of the trigger ends nothing.
      input.complete = { tap.input.send(0) }
      rig.inputs = [input, input]
      rig.expected = { $0 + $1 }
      rig.extra = { _ = current.signal.subscribe { _ in } }
      return rig
    }

    private static func shared(_ build: (Signal<Int, Oops>) -> Signal<Int, Oops>) -> Rig {
      let tap = Tap()
      let signal = build(tap.signal)
      var rig = Rig(signal, [tap.input], [tap])
      rig.expected = { $0 + $1 }
      rig.extra = { signal.subscribe { _ in }.dispose() }
      return rig
    }
  }
}
