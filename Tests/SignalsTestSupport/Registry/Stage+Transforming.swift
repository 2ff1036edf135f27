import HeliographTesting
import Signals
import TestSupport

extension Stage {
  package static let transforming = [
    Stage("map(_:)") { $0.map($1.same()) },
    Stage("tryMap(_:)") { source, parts in
      let token = parts.token()
      return source.tryMap { (value) throws(Fault) -> Token in
        token.use()
        return value
      }
    },
    Stage("mapError(_:)") { $0.mapError($1.keep { $0 }) },
    Stage("filter(_:)") { $0.filter($1.yes()) },
    Stage("compactMap(_:)") { $0.compactMap($1.keep { $0 }) },
    Stage("scan(_:_:)") { $0.scan($1.token(), $1.keep { $1 }) },
    Stage("reduce(_:_:)", "", .patient) { $0.reduce($1.token(), $1.keep { $1 }) },
    Stage("collect()", "", .patient) { source, _ in source.collect().compactMap { $0.last } },
    Stage("scan(into:_:)") { $0.scan(into: $1.token(), $1.replace()) },
    Stage("reduce(into:_:)", "", .patient) { $0.reduce(into: $1.token(), $1.replace()) },
    Stage("collect(count:)", "", .patient) { source, _ in source.collect(count: 2).compactMap { $0.last } },
    Stage("collect(count:)", "1") { source, _ in source.collect(count: 1).compactMap { $0.last } },
    Stage("pairwise()", "", .patient) { source, _ in source.pairwise().map { $0.previous } },
    Stage("asResult()") { source, _ in source.asResult().fallible.compactMap { try? $0.get() } },
    Stage("replaceFailure(with:)") { $0.replaceFailure(with: $1.token(-1)).fallible },
    Stage("materialize()") { source, _ in source.materialize().fallible.compactMap { $0.value } },
    Stage("dematerialize()") { source, _ in source.materialize().dematerialize() },
    Stage("setFailureType(to:)") { source, _ in
      source.materialize().setFailureType(to: Fault.self).compactMap { $0.value }
    },
  ]

  package static let limiting = [
    Stage("take(_:)") { source, _ in source.take(1000) },
    Stage("take(_:)", "1") { source, _ in source.take(1) },
    Stage("take(while:)") { $0.take(while: $1.yes()) },
    Stage("take(until:)") { $0.take(until: $1.side.signal) },
    Stage("take(until:)", "a test") { $0.take(until: $1.keep { $0.number == 2 }) },
    Stage("skip(while:)") { $0.skip(while: $1.keep { $0.number == 0 }) },
    Stage("skip(until:)", "", .patient) { $0.skip(until: $1.side.signal) },
    Stage("skip(until:)", "the source", .patient) { $1.side.signal.skip(until: $0) },
    Stage("sample(on:)", "", .patient) { $0.sample(on: $1.side.signal) },
    Stage("sample(on:)", "the source", .patient) { $1.side.signal.sample(on: $0) },
    Stage("take(during:)") { $0.take(during: $1.lifetime) },
    Stage("bound(to:)", "a lifetime") { $0.bound(to: $1.lifetime) },
    Stage("bound(to:)", "an object") { $0.bound(to: $1.owner) },
    Stage("bound(to:)", "a key") { $0.bound(to: OwnerKey($1.owner)) },
    Stage("skip(_:)") { source, _ in source.skip(1) },
    Stage("first()") { source, _ in source.first() },
    Stage("last()", "", .patient) { source, _ in source.last() },
    Stage("distinctUntilChanged(by:)") { $0.distinctUntilChanged(by: $1.keep { $0.number == $1.number }) },
    Stage("distinctUntilChanged()") { source, parts in
      source.map { Identified($0) }.distinctUntilChanged().map { $0.token }
    },
  ]

  package static let timing = [
    Stage("delay(_:on:)", "", .patient) { $0.delay(.seconds(1), on: $1.clock) },
    Stage("debounce(_:on:)", "", .patient) { $0.debounce(.seconds(1), on: $1.clock) },
    Stage("throttle(_:on:)") { $0.throttle(.seconds(1), on: $1.clock) },
    Stage("timeout(_:failing:on:)") { $0.timeout(.seconds(1), failing: .late, on: $1.clock) },
    Stage("collect(every:on:)", "", .patient) {
      $0.collect(every: .seconds(1), on: $1.clock).compactMap { $0.last }
    },
    Stage("Signal.timer(after:on:)", "", .patient) { source, parts in
      Signal<Void, Fault>.timer(after: .seconds(1), on: parts.clock).then(source)
    },
    Stage("Signal.timer(every:on:)", "", .patient) { source, parts in
      source.zip(.timer(every: .seconds(1), on: parts.clock)).map { $0.0 }
    },
  ]

  package static let recovering = [
    Stage("catch(_:)") { $0.catch($1.aside()) },
    Stage("retry(_:_:on:)", "at once", .prompt, .resubscribes) { source, _ in source.retry(2) },
    Stage("retry(_:_:on:)", "after a delay", .prompt, .resubscribes) {
      $0.retry(2, .constant(.seconds(1)), on: $1.clock)
    },
    Stage("retry(when:)", "", .prompt, .resubscribes) { $0.retry(when: $1.keep { $1 < 3 }) },
    Stage("ifEmpty(_:)") { $0.ifEmpty($1.token(-1)) },
    Stage("retry(_:_:on:)", "", .prompt, .resubscribes) {
      $0.retry(2, .exponential(initialDelay: .seconds(1), jitter: 0.5), on: $1.clock)
    },
    // A value for each attempt, so that it ends with the third.
    Stage("poll(every:until:on:)", "", .prompt, .resubscribes) { source, parts in
      let attempts = source.append(parts.token(-1))
      return .deferred {
        let values = Tally()
        let isThird: @Sendable (Token) -> Bool = { _ in
          values.arrive()
          return values.count >= 3
        }
        return attempts.poll(every: .seconds(1), until: parts.keep(isThird), on: parts.clock)
      }
    },
  ]

  package static let delivering = [
    Stage("observe(on:)", "", .patient) { $0.observe(on: $1.clock) },
    Stage("observe(on:)", "immediate") { source, _ in source.observe(on: .immediate) },
    Stage("subscribe(on:)", "", .patient) { $0.subscribe(on: $1.clock) },
    Stage("subscribe(on:)", "immediate") { source, _ in source.subscribe(on: .immediate) },
    Stage("on(start:value:failure:completion:dispose:terminate:)") { source, parts in
      let note = parts.keep {}
      return source.on(
        start: parts.keep { [starts = parts.starts] in starts.arrive() }, value: { _ in note() },
        failure: { _ in note() }, completion: note,
        dispose: parts.keep { [teardowns = parts.teardowns] in teardowns.arrive() },
        terminate: parts.keep { [teardowns = parts.teardowns] in teardowns.arrive() })
    },
    Stage("debug(_:log:)") { $0.debug("it", log: $1.keep { _ in }) },
    Stage("finally(_:)") { source, parts in
      source.on(start: parts.keep { [starts = parts.starts] in starts.arrive() })
        .finally(parts.keep { [teardowns = parts.teardowns] in teardowns.arrive() })
    },
  ]

  /// A token that equals another if they have the same number.
  private struct Identified: Equatable {
    let token: Token

    init(_ token: Token) {
      self.token = token
    }

    static func == (left: Identified, right: Identified) -> Bool { left.token.number == right.token.number }
  }
}
