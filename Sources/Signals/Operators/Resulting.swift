extension Signal {
  /// Sends each value, and a failure too, as a result; it completes after a failure and never fails.
  public func asResult() -> Signal<Result<Value, Failure>, Never> {
    .stage { downstream in
      feed(
        downstream, next: { downstream.next(.success($0)) },
        end: { end in
          switch end {
          case .last(let value): downstream.end(.last(.success(value)))
          case .failed(let failure): downstream.end(.last(.failure(failure)))
          case .completed: downstream.end(.completed)
          case .abandoned: downstream.end(.abandoned)
          case .unreachable: downstream.end(.unreachable)
          }
        })
      return nil
    }
  }

  /// Sends a value in place of the failure and completes; it never fails.
  ///
  /// - Parameter value: the value to send. Values that were sent before the failure stay sent.
  /// - Returns: a signal that cannot fail.
  public func replaceFailure(with value: Value) -> Signal<Value, Never> {
    .stage { downstream in
      feed(
        downstream, next: downstream.next,
        end: { end in
          switch end {
          case .last(let value): downstream.end(.last(value))
          case .failed: downstream.end(.last(value))
          case .completed: downstream.end(.completed)
          case .abandoned: downstream.end(.abandoned)
          case .unreachable: downstream.end(.unreachable)
          }
        })
      return nil
    }
  }

  /// Runs a closure once when the subscription completes, fails or is disposed.
  ///
  /// It runs after the end has been delivered, on the thread that delivered it; or after the source has been disposed, on the
  /// thread that disposed. A subscription that ends silently, because a subject or an owner was deallocated, counts as
  /// disposed. When an operator downstream subscribes again, the next attempt may begin before the closure runs.
  /// - Parameter action: runs once for each subscription, and is freed then.
  /// - Returns: the same signal.
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

  /// Subscribes again after each completion, until a value passes a test; then completes and disposes the source.
  ///
  /// All values are sent, the one that passes last. A failure passes and ends the polling. Each attempt is torn down before
  /// the next; disposing the subscription cancels a pending delay. Neither stack nor memory grows with the number of
  /// attempts.
  /// - Parameters:
  ///   - interval: the delay between a completion and the next subscription.
  ///   - isLast: runs on the thread that delivers the value.
  ///   - scheduler: whose clock times the delay, and where the signal is subscribed to again. Default: `.global`.
  /// - Returns: a signal of the values of all attempts.
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
