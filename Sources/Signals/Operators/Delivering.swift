import Synchronization

extension Signal {
  /// Delivers events on a scheduler, one at a time and in order, also if the scheduler is concurrent.
  ///
  /// Values that come faster than the scheduler takes them wait, without bound unless the source pauses. Events that wait
  /// are dropped when the subscription is disposed, and the work upstream is stopped at once, not when the queue gets to
  /// it.
  /// - Parameter scheduler: where events are delivered.
  /// - Returns: a signal that is delivered there.
  @inlinable
  public func observe(on scheduler: some SignalScheduler) -> Signal {
    .stage { downstream in
      let relay = Relay(scheduler, downstream)
      run(
        in: Downstream(
          next: { relay.next($0) }, end: { relay.end($0) }, scope: relay.source, subscription: downstream.subscription,
          depth: downstream.depth, pressure: relay.pressure))
      return nil
    }
  }

  /// Starts the work on a scheduler; events are delivered wherever the work sends from.
  ///
  /// - Parameter scheduler: where the subscription runs. Disposing before its turn means it never runs.
  /// - Returns: a signal that starts there.
  public func subscribe(on scheduler: some SignalScheduler) -> Signal {
    .stage { downstream in
      // Freed by a disposal even while the scheduler still has its turn to come.
      let start = ScheduledStart(self, downstream)
      downstream.scope.hold(start)
      scheduler.schedule { start.run() }
      return nil
    }
  }

  /// Starts the work and delivers its events to main-actor closures, in order and never after a disposal on the main actor.
  ///
  /// Events wait for a turn of the main queue, even those that are sent from the main thread; a turn delivers up to 256 of
  /// them, and ends after a millisecond.
  /// - Parameters:
  ///   - onValue: receives the values.
  ///   - onFailure: receives the failure. Only a signal that cannot fail may leave it out.
  ///   - onCompletion: runs when the signal has completed. Default: nothing happens.
  /// - Returns: the handle that stops the work. Discarding it does not.
  @discardableResult
  public func subscribeOnMain(
    onValue: @escaping @MainActor @Sendable (Value) -> Void,
    onFailure: @escaping @MainActor @Sendable (Failure) -> Void,
    onCompletion: @escaping @MainActor @Sendable () -> Void = {}
  ) -> Disposable {
    observe(on: .main).subscribe { (event: Event<Value, Failure>) in
      // The main queue is the main actor's executor.
      MainActor.assumeIsolated {
        switch event {
        case .value(let value): onValue(value)
        case .failed(let failure): onFailure(failure)
        case .completed: onCompletion()
        }
      }
    }
  }

  /// Runs closures beside the events, which pass unchanged.
  ///
  /// The order is: `start`, the values, the ending, and then `terminate`; or `dispose` if the subscription is disposed
  /// before an ending. Each closure runs where the event is delivered, before the subscriber sees it; `dispose` runs on the
  /// thread that disposes.
  /// - Parameters:
  ///   - start: runs when the work is about to start.
  ///   - value: runs for each value.
  ///   - failure: runs for a failure.
  ///   - completion: runs for the completion.
  ///   - dispose: runs if the subscription is disposed before it has ended.
  ///   - terminate: runs after an ending has been delivered.
  /// - Returns: the same signal, watched.
  public func on(
    start: (@Sendable () -> Void)? = nil, value: (@Sendable (Value) -> Void)? = nil,
    failure: (@Sendable (Failure) -> Void)? = nil, completion: (@Sendable () -> Void)? = nil,
    dispose: (@Sendable () -> Void)? = nil, terminate: (@Sendable () -> Void)? = nil
  ) -> Signal {
    .stage { downstream in
      let source = Disposable()
      let ended = Once()
      downstream.scope.hold(
        Disposable {
          if ended.claim() { dispose?() }
          source.dispose()
        })
      start?()
      feed(
        downstream, scope: source,
        next: {
          value?($0)
          downstream.next($0)
        },
        end: { end in
          if end.isSilent { return downstream.end(end) }
          // A last value is a value first: its handler may dispose.
          if case .last(let last) = end {
            value?(last)
            downstream.next(last)
          }
          guard ended.claim() else { return }
          if case .failed(let problem) = end {
            failure?(problem)
            downstream.end(.failed(problem))
          } else {
            completion?()
            downstream.end(.completed)
          }
          terminate?()
        })
      return nil
    }
  }

  /// Logs every event under a name, for debugging.
  ///
  /// - Parameters:
  ///   - name: what to call it.
  ///   - log: gets a line for the start, each event and the disposal. Default: prints it.
  /// - Returns: the same signal, logged.
  public func debug(_ name: String, log: @escaping @Sendable (String) -> Void = { print($0) }) -> Signal {
    on(
      start: { log("\(name): started") }, value: { log("\(name): \($0)") },
      failure: { log("\(name): failed: \($0)") }, completion: { log("\(name): completed") },
      dispose: { log("\(name): disposed") })
  }

  /// Completes, and disposes the source, when a lifetime ends.
  ///
  /// The completion is delivered inside the deinit of the lifetime's owner, whose `weak` references are `nil` by then; an
  /// `unowned` one traps. ``bound(to:)`` ends silently instead.
  /// - Parameter lifetime: not kept alive by the signal or its subscriptions.
  /// - Returns: a signal that ends with the trigger.
  public func take(during lifetime: Lifetime) -> Signal {
    let ending = lifetime.ending
    return take(
      until: Signal<Void, Failure> { observer in
        ending.add(Disposable { observer.complete(with: ()) })
      })
  }
}

extension Signal where Failure == Never {
  /// Starts the work of a signal that cannot fail and delivers its events to main-actor closures; see
  /// ``subscribeOnMain(onValue:onFailure:onCompletion:)``.
  ///
  /// - Parameters:
  ///   - onValue: receives the values.
  ///   - onCompletion: runs when the signal has completed. Default: nothing happens.
  /// - Returns: the handle that stops the work. Discarding it does not.
  @discardableResult
  public func subscribeOnMain(
    onValue: @escaping @MainActor @Sendable (Value) -> Void,
    onCompletion: @escaping @MainActor @Sendable () -> Void = {}
  ) -> Disposable {
    subscribeOnMain(onValue: onValue, onFailure: { _ in }, onCompletion: onCompletion)
  }
}
