extension Signal {
  /// Pairs the values of two signals by position: the first with the first, the second with the second.
  ///
  /// It subscribes to this signal first. Values are buffered until their partner arrives, so memory grows with the lead
  /// of one signal over the other. It completes as soon as no further pair is possible. A failure of either signal
  /// fails it and disposes the other signal.
  /// - Parameter other: the signal of the second element of each pair.
  /// - Returns: a signal of pairs.
  public func zip<Other: Sendable>(_ other: Signal<Other, Failure>) -> Signal<(Value, Other), Failure> {
    join(.zip, other)
  }

  /// Pairs the latest values of two signals whenever either sends a value and both have sent one.
  ///
  /// It completes when both signals have completed, or when one completes without a value. A failure of either signal
  /// fails it and disposes the other signal.
  /// - Parameter other: the signal of the second element of each pair.
  /// - Returns: a signal of pairs.
  public func combineLatest<Other: Sendable>(_ other: Signal<Other, Failure>) -> Signal<(Value, Other), Failure> {
    join(.combineLatest, other)
  }

  /// Pairs each value of this signal with the latest value of another signal.
  ///
  /// Values before the first value of the other signal are dropped. It subscribes to the other signal first. It
  /// completes with this signal, or when the other signal completes without a value. A failure of either signal fails
  /// it.
  /// - Parameter other: the signal that provides the latest value.
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
        // Only the latest value of `other` is kept and none is buffered, so `other` does not need to pause.
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

  /// Combines the values of three signals by position; the rules are those for two signals.
  public func zip<B: Sendable, C: Sendable>(
    _ b: Signal<B, Failure>, _ c: Signal<C, Failure>
  ) -> Signal<(Value, B, C), Failure> {
    zip(b).zip(c).map { ($0.0, $0.1, $1) }
  }

  /// Combines the values of four signals by position; the rules are those for two signals.
  public func zip<B: Sendable, C: Sendable, D: Sendable>(
    _ b: Signal<B, Failure>, _ c: Signal<C, Failure>, _ d: Signal<D, Failure>
  ) -> Signal<(Value, B, C, D), Failure> {
    zip(b, c).zip(d).map { ($0.0, $0.1, $0.2, $1) }
  }

  /// Combines the values of five signals by position; the rules are those for two signals.
  public func zip<B: Sendable, C: Sendable, D: Sendable, E: Sendable>(
    _ b: Signal<B, Failure>, _ c: Signal<C, Failure>, _ d: Signal<D, Failure>, _ e: Signal<E, Failure>
  ) -> Signal<(Value, B, C, D, E), Failure> {
    zip(b, c, d).zip(e).map { ($0.0, $0.1, $0.2, $0.3, $1) }
  }

  /// Combines the values of six signals by position; the rules are those for two signals.
  public func zip<B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable>(
    _ b: Signal<B, Failure>, _ c: Signal<C, Failure>, _ d: Signal<D, Failure>, _ e: Signal<E, Failure>,
    _ f: Signal<F, Failure>
  ) -> Signal<(Value, B, C, D, E, F), Failure> {
    zip(b, c, d, e).zip(f).map { ($0.0, $0.1, $0.2, $0.3, $0.4, $1) }
  }

  /// Combines the latest values of three signals; the rules are those for two signals.
  public func combineLatest<B: Sendable, C: Sendable>(
    _ b: Signal<B, Failure>, _ c: Signal<C, Failure>
  ) -> Signal<(Value, B, C), Failure> {
    combineLatest(b).combineLatest(c).map { ($0.0, $0.1, $1) }
  }

  /// Combines the latest values of four signals; the rules are those for two signals.
  public func combineLatest<B: Sendable, C: Sendable, D: Sendable>(
    _ b: Signal<B, Failure>, _ c: Signal<C, Failure>, _ d: Signal<D, Failure>
  ) -> Signal<(Value, B, C, D), Failure> {
    combineLatest(b, c).combineLatest(d).map { ($0.0, $0.1, $0.2, $1) }
  }

  /// Combines the latest values of five signals; the rules are those for two signals.
  public func combineLatest<B: Sendable, C: Sendable, D: Sendable, E: Sendable>(
    _ b: Signal<B, Failure>, _ c: Signal<C, Failure>, _ d: Signal<D, Failure>, _ e: Signal<E, Failure>
  ) -> Signal<(Value, B, C, D, E), Failure> {
    combineLatest(b, c, d).combineLatest(e).map { ($0.0, $0.1, $0.2, $0.3, $1) }
  }

  /// Combines the latest values of six signals; the rules are those for two signals.
  public func combineLatest<B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable>(
    _ b: Signal<B, Failure>, _ c: Signal<C, Failure>, _ d: Signal<D, Failure>, _ e: Signal<E, Failure>,
    _ f: Signal<F, Failure>
  ) -> Signal<(Value, B, C, D, E, F), Failure> {
    combineLatest(b, c, d, e).combineLatest(f).map { ($0.0, $0.1, $0.2, $0.3, $0.4, $1) }
  }
}
