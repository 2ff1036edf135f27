extension Signal {
  /// Sends each value and the failure as a `Result`; the returned signal completes after a failure and never fails.
  public func asResult() -> Signal<Result<Value, Failure>, Never> {
    .stage { downstream in
      feed(
        downstream, next: { downstream.next(.success($0)) },
        end: { end in downstream.end(end.map { .success($0) }.catchFailure { .last(.failure($0)) }) })
      return nil
    }
  }

  /// Replaces a failure with a value and completes; values sent before the failure are not affected.
  public func replaceFailure(with value: Value) -> Signal<Value, Never> {
    .stage { downstream in
      feed(downstream, next: downstream.next, end: { end in downstream.end(end.catchFailure { _ in .last(value) }) })
      return nil
    }
  }

  /// Runs a closure once when the subscription completes, fails or is disposed.
  ///
  /// The closure runs on the delivering thread after a terminal event has been delivered, or on the disposing thread
  /// after the source has been disposed. A subscription that terminates silently, because a subject or an owner was
  /// deallocated, counts as disposed. If an operator downstream subscribes again, the next attempt may begin before the
  /// closure runs. Of two in a chain, the later one runs first at a terminal event, and the earlier one at a disposal.
  /// - Parameter action: Runs once for each subscription and is then freed.
  /// - Returns: A signal of the same events.
  public func finally(_ action: @escaping @Sendable () -> Void) -> Signal {
    .stage { downstream in
      let source = Disposable()
      let ended = Once()
      downstream.scope.hold(
        Disposable {
          source.dispose()
          if ended.claim() { action() }
        })
      feed(
        downstream, scope: source, next: downstream.next,
        end: { end in
          if end.isSilent { return downstream.end(end) }
          let isFirst = ended.claim()
          downstream.end(end)
          if isFirst { action() }
        })
      return nil
    }
  }

  /// Subscribes again after each completion until a value satisfies a predicate, then completes.
  ///
  /// All values are sent, including the one that satisfies the predicate. The source is disposed before that one. A
  /// failure is forwarded and stops the polling. Each attempt is torn down before the next one, with the exceptions of
  /// `concat`. Disposing the subscription cancels a pending delay. Neither stack nor memory grows with the number of
  /// attempts.
  /// - Parameters:
  ///   - interval: The delay between a completion and the next subscription.
  ///   - isLast: The predicate. It runs on the delivering thread.
  ///   - scheduler: The clock of the delay. Each new attempt starts on it, or on the thread that is still starting the
  ///     delay. Default: `.global`.
  /// - Returns: A signal of the values of all attempts.
  public func poll(
    every interval: Duration, until isLast: @escaping @Sendable (Value) -> Bool,
    on scheduler: some SignalScheduler = .global
  ) -> Signal {
    repeated(every: interval, on: scheduler).take(until: isLast)
  }

  private func repeated(every interval: Duration, on scheduler: any SignalScheduler) -> Signal {
    concat(
      Signal<Void, Failure>.timer(after: interval, on: scheduler)
        .then(.deferred { repeated(every: interval, on: scheduler) }))
  }
}
