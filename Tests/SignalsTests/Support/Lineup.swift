import HeliographTesting
import Signals
import Testing

/// What a stage under test is made with; the test keeps it all, so that nothing is freed by luck.
final class Parts: Sendable {
  let census = Census()
  let side = Source<Token>()
  let clock = VirtualScheduler()
  let lifetime = Lifetime()
  let owner = Farewell {}

  /// A closure that keeps a token.
  func same() -> @Sendable (Token) -> Token {
    let token = census.token()
    return { value in
      token.use()
      return value
    }
  }

  func yes() -> @Sendable (Token) -> Bool {
    let token = census.token()
    return { _ in
      token.use()
      return true
    }
  }

  /// A closure that makes a signal out of a value, without fusing.
  func echo() -> @Sendable (Token) -> Signal<Token, Fault> {
    let token = census.token()
    return { value in
      Signal { observer in
        token.use()
        observer.send(value)
        observer.complete()
        return nil
      }
    }
  }

  /// A closure that makes the signal of the side source out of anything.
  func aside<Input>() -> @Sendable (Input) -> Signal<Token, Fault> {
    let token = census.token()
    return { [side] _ in
      token.use()
      return side.signal
    }
  }
}

/// One operator, as the tests that hold for all of them apply it.
struct Stage: Sendable, CustomTestStringConvertible {
  /// When it sends.
  enum Habit {
    /// At once, for each value that it gets.
    case prompt
    /// After time has passed, its source has ended or its side source has sent.
    case patient
  }

  let testDescription: String
  let habit: Habit
  let apply: @Sendable (Signal<Token, Fault>, Parts) -> Signal<Int, Fault>

  init(
    _ name: String, _ habit: Habit = .prompt,
    _ apply: @escaping @Sendable (Signal<Token, Fault>, Parts) -> Signal<Int, Fault>
  ) {
    testDescription = name
    self.habit = habit
    self.apply = apply
  }

  static let all = transforming + limiting + flattening + combining + timing + others
  static let prompt = all.filter { $0.habit == .prompt }

  private static let transforming = [
    Stage("map") { $0.map($1.same()).numbers },
    Stage("tryMap") { source, parts in
      let token = parts.census.token()
      return source.tryMap { (value) throws(Fault) -> Int in
        token.use()
        return value.number
      }
    },
    Stage("mapError") { source, parts in
      let token = parts.census.token()
      return source.numbers.mapError { fault -> Fault in
        token.use()
        return fault
      }
    },
    Stage("filter") { $0.filter($1.yes()).numbers },
    Stage("compactMap") { source, parts in source.compactMap(parts.same()).numbers },
    Stage("scan") { $0.scan($1.census.token()) { $1 }.numbers },
    Stage("reduce", .patient) { $0.reduce($1.census.token()) { $1 }.numbers },
    Stage("collect", .patient) { source, _ in source.collect().map { $0.last?.number ?? -1 } },
    Stage("materialize") { source, _ in
      source.materialize().map { $0.value?.number ?? -1 }.mapError { never -> Fault in }
    },
    Stage("dematerialize") { source, _ in source.materialize().dematerialize().numbers },
  ]

  private static let limiting = [
    Stage("take") { source, _ in source.take(1000).numbers },
    Stage("take(1)") { source, _ in source.take(1).numbers },
    Stage("take(while:)") { $0.take(while: $1.yes()).numbers },
    Stage("take(until:)") { $0.take(until: $1.side.signal).numbers },
    Stage("take(during:)") { $0.take(during: $1.lifetime).numbers },
    Stage("bound(to: lifetime)") { $0.bound(to: $1.lifetime).numbers },
    Stage("bound(to: object)") { $0.bound(to: $1.owner).numbers },
    Stage("skip") { source, _ in source.skip(1).numbers },
    Stage("first") { source, _ in source.first().numbers },
    Stage("last", .patient) { source, _ in source.last().numbers },
    Stage("distinctUntilChanged") { source, parts in
      let token = parts.census.token()
      return source.distinctUntilChanged { left, right in
        token.use()
        return left.number == right.number
      }.numbers
    },
  ]

  private static let flattening =
    [
      ("merge", FlattenStrategy.merge), ("merge(maxConcurrent:)", .merge(maxConcurrent: 1)), ("concat", .concat),
      ("latest", .latest), ("exhaust", .exhaust),
    ].flatMap { name, strategy in
      [
        Stage("flatMap(.\(name))") { $0.flatMap(strategy, $1.echo()).numbers },
        Stage("flatMap(.\(name)) to another source", .patient) { $0.flatMap(strategy, $1.aside()).numbers },
      ]
    } + [
      Stage("concat") { $0.concat($1.side.signal).numbers },
      Stage("concat after another", .patient) { $1.side.signal.concat($0).numbers },
      Stage("Signal.concat") { Signal.concat([.empty, $0, $1.side.signal]).numbers },
      Stage("then", .patient) { $0.then($1.side.signal).numbers },
      Stage("prepend") { $0.prepend($1.census.token(-1)).numbers },
      Stage("merge") { $0.merge($1.side.signal).numbers },
      Stage("deferred") { source, parts in
        let token = parts.census.token()
        return Signal.deferred {
          token.use()
          return source
        }.numbers
      },
    ]

  private static let combining = [
    Stage("zip", .patient) { $0.zip($1.side.signal).map { $0.0 }.numbers },
    Stage("zip after another", .patient) { $1.side.signal.zip($0).map { $0.0 }.numbers },
    Stage("combineLatest", .patient) { $0.combineLatest($1.side.signal).map { $0.0 }.numbers },
    Stage("withLatest", .patient) { $0.withLatest(from: $1.side.signal).map { $0.0 }.numbers },
    Stage("share") { source, _ in source.share().numbers },
    Stage("share(replay:)") { source, _ in source.share(replay: 2).numbers },
    Stage("replayLazily") { source, _ in source.replayLazily().numbers },
  ]

  private static let timing = [
    Stage("delay", .patient) { $0.delay(.seconds(1), on: $1.clock).numbers },
    Stage("debounce", .patient) { $0.debounce(.seconds(1), on: $1.clock).numbers },
    Stage("throttle") { $0.throttle(.seconds(1), on: $1.clock).numbers },
    Stage("timeout") { $0.timeout(.seconds(1), failing: .late, on: $1.clock).numbers },
    Stage("observe(on:)", .patient) { $0.observe(on: $1.clock).numbers },
    Stage("subscribe(on: immediate)") { source, _ in source.subscribe(on: .immediate).numbers },
  ]

  private static let others = [
    Stage("catch") { $0.catch($1.aside()).numbers },
    Stage("retry") { source, _ in source.retry(.times(2)).numbers },
    Stage("retry with a delay") { $0.retry(.times(2, delay: .seconds(1)), on: $1.clock).numbers },
    Stage("retry(when:)") { source, parts in
      let token = parts.census.token()
      return source.retry { _, count in
        token.use()
        return count < 3
      }.numbers
    },
    Stage("ifEmpty") { $0.ifEmpty($1.census.token(-1)).numbers },
    Stage("on") { source, parts in
      let token = parts.census.token()
      let note: @Sendable () -> Void = { token.use() }
      return source.on(
        start: note, value: { _ in note() }, failure: { _ in note() }, completion: note, dispose: note, terminate: note
      ).numbers
    },
  ]
}

extension Signal where Value == Token {
  var numbers: Signal<Int, Failure> { map { $0.number } }
}
