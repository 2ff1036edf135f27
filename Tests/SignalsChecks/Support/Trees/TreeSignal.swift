import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport

/// Makes a signal of a tree, in which every closure captures a token.
struct TreeSignals: Sendable {
  let parts = Parts()
  let sources = (0..<Tree.sourceCount).map { _ in Source<Token>() }

  func signal(_ tree: Tree) -> Signal<Token, Fault> {
    switch tree {
    case .leaf(let leaf): signal(leaf)
    case .unary(let operation, let child): apply(operation, signal(child))
    case .binary(let operation, let left, let right): apply(operation, signal(left), signal(right))
    }
  }

  /// A closure that makes a token of the number of another.
  private func mapping(_ function: @escaping @Sendable (Int) -> Int) -> @Sendable (Token) -> Token {
    parts.keep { [census = parts.census] in census.token(function($0.number)) }
  }

  /// A closure that makes a token of the numbers of two.
  private func joining(_ function: @escaping @Sendable (Int, Int) -> Int) -> @Sendable (Token, Token) -> Token {
    parts.keep { [census = parts.census] in census.token(function($0.number, $1.number)) }
  }

  private func signal(_ leaf: Tree.Leaf) -> Signal<Token, Fault> {
    switch leaf {
    case .source(let index): sources[index].signal
    case .just(let value): .just(parts.token(value))
    case .from(let values): .from(values.map { parts.token($0) })
    case .empty: .empty
    case .never: .never
    case .fail: .fail(.broken)
    case .timer(let delay):
      Signal<Void, Fault>.timer(after: .microseconds(delay), on: parts.clock).map(
        parts.keep { [census = parts.census] (_: Void) in census.token(7) })
    }
  }

  private func apply(_ operation: Tree.Unary, _ source: Signal<Token, Fault>) -> Signal<Token, Fault> {
    switch operation {
    case .map(let addend): source.map(mapping { Arithmetic.mapped($0, addend) })
    case .filter: source.filter(parts.keep { Arithmetic.passes($0.number) })
    case .compactMap: source.compactMap(parts.keep { Arithmetic.passes($0.number) ? $0 : nil })
    case .tryMap: tryMap(source)
    case .mapError: source.mapError(parts.keep { Arithmetic.mapped($0) })
    case .scan: source.scan(parts.token(1), joining(Arithmetic.joined))
    case .reduce: source.reduce(parts.token(1), joining(Arithmetic.joined))
    case .collect:
      source.collect().map(
        parts.keep { [census = parts.census] in census.token(Arithmetic.collected($0.map(\.number))) })
    case .materialize: materialize(source)
    case .dematerialize: source.materialize().dematerialize()
    case .take(let count): source.take(count)
    case .takeWhile(let bound): source.take(while: parts.keep { $0.number < bound })
    case .first: source.first()
    case .last: source.last()
    case .skip(let count): source.skip(count)
    case .distinct: source.distinctUntilChanged(by: parts.keep { Arithmetic.isSame($0.number, $1.number) })
    case .ifEmpty: source.ifEmpty(parts.token(8))
    case .prepend: source.prepend(parts.token(9))
    case .on: on(source)
    case .deferred: .deferred(parts.keep { source })
    case .retry(let count): source.retry(count)
    case .retryAfter(let count, let delay): source.retry(count, .constant(.microseconds(delay)), on: parts.clock)
    case .flatMapJust(let flattening):
      source.flatMap(flattening.strategy, parts.keep { .just($0) })
    case .flatMapPair(let flattening):
      source.flatMap(
        flattening.strategy, parts.keep { [census = parts.census] in .from([$0, census.token($0.number + 1)]) })
    case .delay(let interval): source.delay(.microseconds(interval), on: parts.clock)
    case .debounce(let interval): source.debounce(.microseconds(interval), on: parts.clock)
    case .throttle(let interval): source.throttle(.microseconds(interval), on: parts.clock)
    case .timeout(let interval): source.timeout(.microseconds(interval), failing: .late, on: parts.clock)
    case .observe: source.observe(on: parts.clock)
    case .subscribe: source.subscribe(on: parts.clock)
    }
  }

  private func tryMap(_ source: Signal<Token, Fault>) -> Signal<Token, Fault> {
    let token = parts.token()
    return source.tryMap { (value) throws(Fault) -> Token in
      token.use()
      if Arithmetic.isRefused(value.number) { throw .number(value.number) }
      return value
    }
  }

  private func materialize(_ source: Signal<Token, Fault>) -> Signal<Token, Fault> {
    source.materialize().fallible.map(
      parts.keep { [census = parts.census] event in
        switch event {
        case .value(let value): value
        case .failed: census.token(998)
        case .completed: census.token(999)
        }
      })
  }

  private func on(_ source: Signal<Token, Fault>) -> Signal<Token, Fault> {
    source.on(
      start: parts.keep { [starts = parts.starts] in starts.arrive() }, value: parts.keep { _ in },
      dispose: parts.keep { [teardowns = parts.teardowns] in teardowns.arrive() },
      terminate: parts.keep { [teardowns = parts.teardowns] in teardowns.arrive() })
  }

  private func apply(
    _ operation: Tree.Binary, _ left: Signal<Token, Fault>, _ right: Signal<Token, Fault>
  ) -> Signal<Token, Fault> {
    let join = joining(Arithmetic.joined)
    return switch operation {
    case .merge: left.merge(right)
    case .concat: left.concat(right)
    case .then: left.then(right)
    case .zip: left.zip(right).map { join($0, $1) }
    case .combineLatest: left.combineLatest(right).map { join($0, $1) }
    case .withLatest: left.withLatest(from: right).map { join($0, $1) }
    case .takeUntil: left.take(until: right)
    case .catch: left.catch(parts.keep { _ in right })
    case .flatMap(let flattening):
      left.flatMap(
        flattening.strategy,
        parts.keep { outer in right.map { join(outer, $0) } })
    }
  }
}

extension Tree.Flattening {
  fileprivate var strategy: FlattenStrategy {
    switch self {
    case .merge: .merge
    case .mergeTwo: .merge(maxConcurrent: 2)
    case .concat: .concat
    case .latest: .latest
    case .exhaust: .exhaust
    }
  }
}
