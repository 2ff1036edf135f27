/// The rule for a new inner signal that arrives while other inner signals run.
public struct FlattenStrategy: Sendable, Hashable {
  @usableFromInline
  enum Kind: Sendable, Hashable {
    case queued
    case latest
    case exhaust
  }

  @usableFromInline let kind: Kind
  @usableFromInline let limit: Int

  private init(_ kind: Kind, limit: Int) {
    self.kind = kind
    self.limit = limit
  }

  /// Runs all inner signals concurrently and sends their values in the order of arrival.
  public static let merge = FlattenStrategy(.queued, limit: .max)

  /// Runs inner signals one after another, in the order of arrival.
  public static let concat = FlattenStrategy(.queued, limit: 1)

  /// Disposes the running inner signal and replaces it with the new one.
  public static let latest = FlattenStrategy(.latest, limit: 1)

  /// Ignores new inner signals while one runs.
  ///
  /// A value that a subject, a ``CurrentValue`` or a shared signal sends while the inner signal is being started, from
  /// a handler or another thread, arrives when the start has returned. So behind them, an inner signal that ends
  /// during its start, such as a stored response, ignores nothing.
  public static let exhaust = FlattenStrategy(.exhaust, limit: 1)

  /// Runs at most `maxConcurrent` inner signals, at least 1, concurrently; the others are queued and start in the order
  /// of arrival.
  public static func merge(maxConcurrent: Int) -> FlattenStrategy {
    FlattenStrategy(.queued, limit: max(1, maxConcurrent))
  }
}

extension Signal {
  /// Transforms each value into an inner signal and sends the values of the inner signals.
  ///
  /// The returned signal completes when this signal and all inner signals have completed. If one of them fails, the
  /// returned signal fails and the others are disposed. A signal may flat-map itself a million levels deep without
  /// using stack or memory, if the recursive signal is the last one of each level and no level is bound to an owner.
  /// - Parameters:
  ///   - strategy: The rule for a new inner signal while others run. Default: `.merge`.
  ///   - transform: Returns the inner signal, on the delivering thread when the value arrives, also if the inner signal
  ///     has to wait for others; `.deferred` defers work to its start.
  /// - Returns: A signal of the values of the inner signals.
  @inlinable
  public func flatMap<Output: Sendable>(
    _ strategy: FlattenStrategy = .merge, _ transform: @escaping @Sendable (Value) -> Signal<Output, Failure>
  ) -> Signal<Output, Failure> {
    switch kind {
    case .ready(let value): .deferred { transform(value) }
    case .empty: .empty
    case .failed(let failure): .fail(failure)
    default: .stage { downstream in FlatMap(downstream, strategy, transform).start(self, in: downstream) }
    }
  }

  /// Flattens a signal of signals into a signal of their values; see ``flatMap(_:_:)``.
  @inlinable
  public func flatten<Inner: Sendable>(_ strategy: FlattenStrategy = .merge) -> Signal<Inner, Failure>
  where Value == Signal<Inner, Failure> {
    flatMap(strategy) { $0 }
  }

  /// Flattens a signal of signals into a signal of their values, one inner signal after another.
  @inlinable
  public func concat<Inner: Sendable>() -> Signal<Inner, Failure> where Value == Signal<Inner, Failure> {
    flatten(.concat)
  }

  /// Continues with another signal when this one has completed.
  ///
  /// If this signal fails, the other one does not start. Otherwise it starts after the teardown of this signal, but it
  /// does not wait for a start on a scheduler (``subscribe(on:)``), or of a shared source by an earlier subscriber: if
  /// this signal completes during such a start, the teardown runs afterwards.
  /// - Parameter next: The signal to run next.
  /// - Returns: A signal of the values of both signals, one after the other.
  @inlinable
  public func concat(_ next: Signal) -> Signal {
    Signal(.chain(Chain(self, then: next) { $0.run(in: $1) }))
  }

  /// Concatenates signals: each one starts when the previous one has completed.
  @inlinable
  public static func concat(_ signals: [Signal]) -> Signal {
    .stage { downstream in Successors.run(signals, in: downstream) }
  }

  /// Drops the values of this signal and runs another signal when it has completed.
  ///
  /// If this signal fails, the other one does not start. Otherwise it starts after the teardown of this signal, with
  /// the exceptions of `concat`.
  /// - Parameter next: The signal to run next.
  /// - Returns: A signal of the values of the other signal.
  public func then<Output: Sendable>(_ next: Signal<Output, Failure>) -> Signal<Output, Failure> {
    if case .empty = kind { return next }
    return .stage { downstream in
      let successor = Successor(downstream)
      feed(
        downstream, next: { _ in },
        end: { end in
          switch end {
          case .last, .completed: successor.follow { next }
          default: end.withoutValue().map(downstream.end)
          }
        })
      return successor.takeTailCall()
    }
  }

  /// Sends additional values before those of this signal.
  public func prepend(_ values: Value...) -> Signal {
    .stage { downstream in downstream.send(values) ? self : nil }
  }

  /// Merges signals, which run concurrently; if one fails, the merged signal fails and the others are disposed.
  @inlinable
  public static func merge(_ signals: [Signal]) -> Signal {
    // Not `from`, which would pause between signals while values are buffered downstream.
    Signal<Signal, Failure>.stage { $0.send(signals) ? .empty : nil }.flatten(.merge)
  }

  /// Merges this signal with others, which run concurrently.
  @inlinable
  public func merge(_ other: Signal, _ others: Signal...) -> Signal { .merge([self, other] + others) }

  /// `flatMap` without specialized code: slower, for work whose speed does not matter.
  @inline(never)
  package func sharedFlatMap<Output: Sendable>(
    _ strategy: FlattenStrategy = .merge, _ transform: @escaping @Sendable (Value) -> Signal<Output, Failure>
  ) -> Signal<Output, Failure> {
    flatMap(strategy, transform)
  }
}
