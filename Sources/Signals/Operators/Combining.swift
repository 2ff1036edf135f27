extension Signal {
  /// Pairs the values of two signals: the first with the first, the second with the second.
  ///
  /// It subscribes to this signal first. Values wait for their partner, so memory grows with how far one signal is
  /// ahead. It completes as soon as no further pair is possible; a failure of either fails it and disposes the other.
  /// - Parameter other: the signal that the second half of each pair comes from.
  /// - Returns: a signal of pairs.
  public func zip<Other: Sendable>(_ other: Signal<Other, Failure>) -> Signal<(Value, Other), Failure> {
    join(.zip, other)
  }

  /// Pairs the latest values of two signals, whenever either sends one and both have.
  ///
  /// It completes when both have, or when one completes without a value; a failure of either fails it and disposes the
  /// other.
  /// - Parameter other: the signal that the second half of each pair comes from.
  /// - Returns: a signal of pairs.
  public func combineLatest<Other: Sendable>(_ other: Signal<Other, Failure>) -> Signal<(Value, Other), Failure> {
    join(.combineLatest, other)
  }

  /// Pairs each value of this signal with the latest of another; values before the other's first are dropped.
  ///
  /// It subscribes to the other first. It completes with this signal, or when the other completes without a value; a
  /// failure of either fails it.
  /// - Parameter other: the signal whose latest value is taken.
  /// - Returns: a signal of pairs.
  public func withLatest<Other: Sendable>(from other: Signal<Other, Failure>) -> Signal<(Value, Other), Failure> {
    join(.withLatest, other)
  }

  private func join<Other: Sendable>(
    _ rule: Join<Value, Other, Failure>.Rule, _ other: Signal<Other, Failure>
  ) -> Signal<(Value, Other), Failure> {
    .stage { downstream in
      let join = Join<Value, Other, Failure>(rule, downstream)
      let runOther = {
        // The latest of another is kept and not buffered, so it need not pause for what waits downstream.
        other.run(
          in: Downstream<Other, Failure>(
            next: { join.sendRight($0) }, end: { join.endRight($0) }, scope: join.right,
            subscription: downstream.subscription, depth: downstream.depth,
            pressure: rule == .withLatest ? nil : downstream.pressure))
      }
      if rule == .withLatest { runOther() }
      feed(downstream, scope: join.left, next: { join.sendLeft($0) }, end: { join.endLeft($0) })
      if rule != .withLatest { runOther() }
      return nil
    }
  }

  /// Pairs the values of three signals; as of two signals.
  public func zip<B: Sendable, C: Sendable>(
    _ b: Signal<B, Failure>, _ c: Signal<C, Failure>
  ) -> Signal<(Value, B, C), Failure> {
    zip(b).zip(c).map { ($0.0, $0.1, $1) }
  }

  /// Pairs the values of four signals; as of two signals.
  public func zip<B: Sendable, C: Sendable, D: Sendable>(
    _ b: Signal<B, Failure>, _ c: Signal<C, Failure>, _ d: Signal<D, Failure>
  ) -> Signal<(Value, B, C, D), Failure> {
    zip(b, c).zip(d).map { ($0.0, $0.1, $0.2, $1) }
  }

  /// Pairs the values of five signals; as of two signals.
  public func zip<B: Sendable, C: Sendable, D: Sendable, E: Sendable>(
    _ b: Signal<B, Failure>, _ c: Signal<C, Failure>, _ d: Signal<D, Failure>, _ e: Signal<E, Failure>
  ) -> Signal<(Value, B, C, D, E), Failure> {
    zip(b, c, d).zip(e).map { ($0.0, $0.1, $0.2, $0.3, $1) }
  }

  /// Pairs the values of six signals; as of two signals.
  public func zip<B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable>(
    _ b: Signal<B, Failure>, _ c: Signal<C, Failure>, _ d: Signal<D, Failure>, _ e: Signal<E, Failure>,
    _ f: Signal<F, Failure>
  ) -> Signal<(Value, B, C, D, E, F), Failure> {
    zip(b, c, d, e).zip(f).map { ($0.0, $0.1, $0.2, $0.3, $0.4, $1) }
  }

  /// Combines the latest values of three signals; as of two signals.
  public func combineLatest<B: Sendable, C: Sendable>(
    _ b: Signal<B, Failure>, _ c: Signal<C, Failure>
  ) -> Signal<(Value, B, C), Failure> {
    combineLatest(b).combineLatest(c).map { ($0.0, $0.1, $1) }
  }

  /// Combines the latest values of four signals; as of two signals.
  public func combineLatest<B: Sendable, C: Sendable, D: Sendable>(
    _ b: Signal<B, Failure>, _ c: Signal<C, Failure>, _ d: Signal<D, Failure>
  ) -> Signal<(Value, B, C, D), Failure> {
    combineLatest(b, c).combineLatest(d).map { ($0.0, $0.1, $0.2, $1) }
  }

  /// Combines the latest values of five signals; as of two signals.
  public func combineLatest<B: Sendable, C: Sendable, D: Sendable, E: Sendable>(
    _ b: Signal<B, Failure>, _ c: Signal<C, Failure>, _ d: Signal<D, Failure>, _ e: Signal<E, Failure>
  ) -> Signal<(Value, B, C, D, E), Failure> {
    combineLatest(b, c, d).combineLatest(e).map { ($0.0, $0.1, $0.2, $0.3, $1) }
  }

  /// Combines the latest values of six signals; as of two signals.
  public func combineLatest<B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable>(
    _ b: Signal<B, Failure>, _ c: Signal<C, Failure>, _ d: Signal<D, Failure>, _ e: Signal<E, Failure>,
    _ f: Signal<F, Failure>
  ) -> Signal<(Value, B, C, D, E, F), Failure> {
    combineLatest(b, c, d, e).combineLatest(f).map { ($0.0, $0.1, $0.2, $0.3, $0.4, $1) }
  }
}
