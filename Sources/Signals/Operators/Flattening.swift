/// What a flattening does with a new inner signal while others run.
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

  /// All run at once; values come in the order in which they are sent.
  public static let merge = FlattenStrategy(.queued, limit: .max)

  /// One after another, in the order of arrival.
  public static let concat = FlattenStrategy(.queued, limit: 1)

  /// The new one replaces the one that runs, which is disposed first.
  public static let latest = FlattenStrategy(.latest, limit: 1)

  /// The new one is ignored while one runs.
  public static let exhaust = FlattenStrategy(.exhaust, limit: 1)

  /// At most this many at once; the rest wait and start in the order of arrival.
  ///
  /// - Parameter maxConcurrent: how many may run; less than 1 counts as 1.
  /// - Returns: the strategy.
  public static func merge(maxConcurrent: Int) -> FlattenStrategy {
    FlattenStrategy(.queued, limit: max(1, maxConcurrent))
  }
}

extension Signal {
  /// Runs a signal for each value and sends what they send.
  ///
  /// It completes when this signal and all inner ones have; a failure of any fails it and disposes the others. A signal
  /// that flat-maps itself may do so a million times: no stack and no memory is used up per level.
  /// - Parameters:
  ///   - strategy: what happens to a new inner signal while others run. Default: `.merge`.
  ///   - transform: makes the inner signal, on the thread that delivers the value.
  /// - Returns: a signal of what the inner signals send.
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

  /// Sends the values of the signals that this signal sends, all at once or one after another.
  ///
  /// - Parameter strategy: what happens to a new signal while others run. Default: `.merge`.
  /// - Returns: a signal of what the inner signals send.
  @inlinable
  public func flatten<Inner: Sendable>(_ strategy: FlattenStrategy = .merge) -> Signal<Inner, Failure>
  where Value == Signal<Inner, Failure> {
    flatMap(strategy) { $0 }
  }

  /// Sends the values of the signals that this signal sends, one after another.
  @inlinable
  public func concat<Inner: Sendable>() -> Signal<Inner, Failure> where Value == Signal<Inner, Failure> {
    flatten(.concat)
  }

  /// Continues with another signal when this one has completed.
  ///
  /// A failure never starts it.
  ///
  /// - Parameter next: the signal to run then.
  /// - Returns: a signal of both, one after the other.
  @inlinable
  public func concat(_ next: Signal) -> Signal {
    Signal(.chain(Chain(self, then: next)))
  }

  /// Runs signals one after another, each when the one before has completed.
  @inlinable
  public static func concat(_ signals: [Signal]) -> Signal {
    .stage { downstream in Successors.run(signals, from: 0, in: downstream) }
  }

  /// Drops the values of this signal and runs another when it has completed.
  ///
  /// A failure never starts it.
  ///
  /// - Returns: a signal of what the other sends.
  /// - Parameter next: the signal to run then.
  public func then<Output: Sendable>(_ next: Signal<Output, Failure>) -> Signal<Output, Failure> {
    if case .empty = kind { return next }
    return .stage { downstream in
      let successor = Successor(downstream)
      feed(
        downstream, next: { _ in },
        end: { end in
          switch end {
          case .failed(let failure): downstream.end(.failed(failure))
          case .last, .completed: successor.follow { next }
          case .abandoned: downstream.end(.abandoned)
          case .unreachable: downstream.end(.unreachable)
          }
        })
      return successor.started()
    }
  }

  /// Sends values of your own before those of this signal.
  public func prepend(_ values: Value...) -> Signal {
    .stage { downstream in downstream.send(values) ? self : nil }
  }

  /// Runs signals all at once and sends what they send; any failure fails it and disposes the others.
  @inlinable
  public static func merge(_ signals: [Signal]) -> Signal {
    // Not `from`, which would pause between them when values wait downstream.
    Signal<Signal, Failure>.stage { $0.send(signals) ? .empty : nil }.flatten(.merge)
  }

  /// Runs this signal and others at once and sends what they send.
  @inlinable
  public func merge(_ others: Signal...) -> Signal { .merge([self] + others) }
}
