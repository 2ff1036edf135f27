import Signals

/// The surroundings of a composition: a second source, a lifetime, a queue, and tokens for its closures to capture.
struct Surroundings: Sendable {
  let census: Census
  let other: Signal<Int, Oops>
  /// Not the lifetime itself: a transform that kept it would keep what it ends.
  let lifetime: LifetimeHolder
  let seed: UInt64

  static let serial = DispatchScheduler.serial("compose")

  /// A closure that captures a token.
  func closure<Input, Output>(
    _ body: @escaping @Sendable (Input) -> Output
  ) -> @Sendable (Input) -> Output {
    let token = census.token()
    return { input in
      token.touch()
      return body(input)
    }
  }

  /// A source that keeps a token.
  func source(_ signal: Signal<Int, Oops>) -> Signal<Int, Oops> {
    let token = census.token()
    return .deferred {
      token.touch()
      return signal
    }
  }

  /// A transform to inner signals of three kinds.
  var inners: @Sendable (Int) -> Signal<Int, Oops> {
    closure { [other, seed] value in
      switch (UInt64(truncatingIfNeeded: value) &+ seed) % 4 {
      case 0: .just(value)
      case 1: .just(value).concat(.just(value))
      case 2:
        Signal { observer in
          observer.complete(with: value)
          return nil
        }
      default: other
      }
    }
  }
}

/// Holds a lifetime until it is dropped.
final class LifetimeHolder: Sendable {
  private let held = Guarded<Lifetime?>(Lifetime())

  /// The lifetime; one that has ended, once it was dropped.
  var lifetime: Lifetime { held.withLock { $0 } ?? Lifetime() }

  func drop() {
    let dropped = held.withLock { $0.take() }
    withExtendedLifetime(dropped) {}
  }
}

/// An operator in a composition.
struct Stage: Sendable {
  typealias Build = @Sendable (Signal<Int, Oops>, Surroundings) -> Signal<Int, Oops>

  let name: String
  let apply: Build

  init(_ name: String, _ apply: @escaping Build) {
    self.name = name
    self.apply = apply
  }

  /// Operators that run on the threads of their sources.
  static let synchronous: [Stage] = transforming + flattening + combining + ending

  /// Those that use a queue.
  static let scheduled: [Stage] = [
    Stage("observe") { signal, _ in signal.observe(on: Surroundings.serial) },
    Stage("subscribeOn") { signal, _ in signal.subscribe(on: Surroundings.serial) },
    Stage("delay") { signal, _ in signal.delay(.microseconds(5), on: Surroundings.serial) },
    Stage("debounce") { signal, _ in signal.debounce(.microseconds(5), on: Surroundings.serial) },
    Stage("throttle") { signal, _ in signal.throttle(.microseconds(5), on: Surroundings.serial) },
    Stage("timeout") { signal, _ in
      signal.timeout(.microseconds(50), failing: Oops(number: 1), on: Surroundings.serial)
    },
  ]

  private static let transforming: [Stage] = [
    Stage("map") { signal, around in signal.map(around.closure { $0 }) },
    Stage("filter") { signal, around in signal.filter(around.closure { _ in true }) },
    Stage("scan") { signal, around in
      let keep = around.closure { (value: Int) in value }
      return signal.scan(0) { keep($1) }
    },
    Stage("tryMap") { signal, around in
      let keep = around.closure { (value: Int) in value }
      return signal.tryMap { (value) throws(Oops) in keep(value) }
    },
    Stage("collect") { signal, around in signal.collect().map(around.closure { $0.last ?? 0 }) },
    Stage("last") { signal, _ in signal.last() },
    Stage("materialize") { signal, _ in signal.materialize().dematerialize() },
    Stage("distinct") { signal, _ in signal.distinctUntilChanged() },
    Stage("on") { signal, around in
      signal.on(value: around.closure { _ in }, dispose: { [end = around.closure { (_: Int) in }] in end(0) })
    },
  ]

  private static let flattening: [Stage] = [
    Stage("flatMapReady") { signal, around in signal.flatMap(.merge, around.closure { Signal.just($0) }) },
    Stage("flatMap") { signal, around in signal.flatMap(.merge, around.inners) },
    Stage("flatMapConcat") { signal, around in signal.flatMap(.concat, around.inners) },
    Stage("flatMapTwo") { signal, around in signal.flatMap(.merge(maxConcurrent: 2), around.inners) },
    Stage("flatMapLatest") { signal, around in signal.flatMap(.latest, around.inners) },
    Stage("flatMapExhaust") { signal, around in signal.flatMap(.exhaust, around.inners) },
    Stage("concat") { signal, around in signal.concat(around.source(around.other)) },
    Stage("then") { signal, around in signal.then(around.source(around.other)) },
    Stage("prepend") { signal, _ in signal.prepend(7) },
    Stage("catch") { signal, around in signal.catch(around.closure { [other = around.other] _ in other }) },
    Stage("retry") { signal, around in
      let keep = around.closure { (count: Int) in count < 2 }
      return signal.retry { _, count in keep(count) }
    },
    Stage("ifEmpty") { signal, _ in signal.ifEmpty(7) },
  ]

  private static let combining: [Stage] = [
    Stage("merge") { signal, around in signal.merge(around.source(around.other)) },
    Stage("zip") { signal, around in signal.zip(around.source(around.other)).map(around.closure { $0.0 }) },
    Stage("combineLatest") { signal, around in
      signal.combineLatest(around.source(around.other)).map(around.closure { $0.0 })
    },
    Stage("withLatest") { signal, around in
      signal.withLatest(from: around.source(around.other)).map(around.closure { $0.0 })
    },
    Stage("share") { signal, around in around.source(signal.share()) },
    Stage("lazily") { signal, around in around.source(signal.replayLazily()) },
  ]

  private static let ending: [Stage] = [
    Stage("take") { signal, around in around.source(signal).take(2) },
    Stage("takeMany") { signal, around in around.source(signal).take(100) },
    Stage("takeWhile") { signal, around in signal.take(while: around.closure { _ in true }) },
    Stage("skip") { signal, _ in signal.skip(1) },
    Stage("until") { signal, around in signal.take(until: around.source(around.other)) },
    Stage("during") { signal, around in signal.take(during: around.lifetime.lifetime) },
    Stage("bound") { signal, around in signal.bound(to: around.lifetime.lifetime) },
  ]
}
