extension Signal {
  /// Delivers events on a scheduler, serially and in order, even if the scheduler is concurrent.
  ///
  /// Values that arrive faster than the scheduler delivers them are buffered without a limit unless the source pauses.
  /// Disposal drops buffered events and stops the upstream work immediately, without waiting for the scheduler.
  /// - Parameter scheduler: The scheduler that delivers the events.
  /// - Returns: A signal that delivers on the scheduler.
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

  /// Starts the work on a scheduler; events are delivered on the thread from which the work sends.
  ///
  /// After a pause by back-pressure, ``from(_:)`` continues on the scheduler, also inside a `flatMap`.
  /// - Parameter scheduler: The scheduler on which the work starts. If the subscription is disposed first, the work
  ///   never starts.
  /// - Returns: A signal that starts on the scheduler.
  public func subscribe(on scheduler: some SignalScheduler) -> Signal {
    .stage { downstream in
      // Disposal frees it even while the scheduler still has the start in its queue.
      let start = ScheduledStart(self, downstream, on: scheduler)
      downstream.scope.hold(start)
      scheduler.schedule { start.run() }
      return nil
    }
  }

  /// Lets work that back-pressure has paused continue on a scheduler; its start stays where it is.
  package func continuing(on scheduler: any SignalScheduler) -> Signal {
    .stage { downstream in
      run(in: downstream.continuing(on: scheduler))
      return nil
    }
  }

  /// Starts the work and delivers its events to main-actor closures.
  ///
  /// Delivery is in order, and nothing is delivered after a disposal on the main actor. An event that is sent on the
  /// main thread is delivered before the send returns, unless earlier events are pending or being delivered. An event
  /// may therefore be delivered before the handle is returned, such as the failure of a request that could not be
  /// built: set the state of a screen before it subscribes. All other events are delivered asynchronously on the main
  /// queue. One block on the queue delivers at most 256 events and takes at most about a millisecond.
  /// `observe(on: .main)` delivers every event asynchronously.
  /// - Parameters:
  ///   - onValue: Receives the values.
  ///   - onFailure: Receives the failure. It may be omitted only if the signal cannot fail.
  ///   - onCompletion: Runs when the signal has completed. Default: no action.
  /// - Returns: A handle that stops the work. Discarding it does not stop the work.
  @discardableResult
  public func subscribeOnMain(
    onValue: @escaping @MainActor @Sendable (Value) -> Void,
    onFailure: @escaping @MainActor @Sendable (Failure) -> Void,
    onCompletion: @escaping @MainActor @Sendable () -> Void = {}
  ) -> Disposable {
    observe(on: .mainImmediate).subscribe { (event: Event<Value, Failure>) in
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

  /// Performs side effects for events, which pass unchanged.
  ///
  /// The order is `start`, the values, the terminal event and then `terminate`. If the subscription is disposed before
  /// a terminal event, `dispose` runs instead.
  ///
  /// `start` runs on the subscriber's thread. `value`, `failure` and `completion` run on the delivering thread, before
  /// the subscriber receives the event; `terminate` runs there after it. `dispose` runs on the thread that disposes.
  /// - Parameters:
  ///   - start: Runs before the work starts.
  ///   - value: Runs for each value.
  ///   - failure: Runs for a failure.
  ///   - completion: Runs for the completion.
  ///   - dispose: Runs if the subscription is disposed before it has terminated.
  ///   - terminate: Runs after a terminal event has been delivered.
  /// - Returns: A signal of the same events.
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
          // A last value is delivered on its own first, because its handler may dispose.
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

  /// Logs every event with a name, for debugging.
  ///
  /// - Parameters:
  ///   - name: The prefix of each line. Default: the name of the calling function.
  ///   - log: Receives one line for the start, for each event and for the disposal. Default: prints the line.
  /// - Returns: A signal of the same events.
  public func debug(_ name: String = #function, log: @escaping @Sendable (String) -> Void = { print($0) }) -> Signal {
    on(
      start: { log("\(name): started") }, value: { log("\(name): \($0)") },
      failure: { log("\(name): failed: \($0)") }, completion: { log("\(name): completed") },
      dispose: { log("\(name): disposed") })
  }

  /// Completes when a lifetime ends, and disposes the source.
  ///
  /// The completion is delivered inside the deinit of the lifetime's owner. By then, `weak` references to the owner are
  /// `nil`, and an `unowned` reference traps. ``bound(to:)-(AnyObject)`` ends the subscription silently instead.
  /// - Parameter lifetime: The lifetime; neither the signal nor its subscriptions retain it.
  /// - Returns: A signal that completes at the end of the lifetime at the latest.
  public func take(during lifetime: Lifetime) -> Signal {
    let ending = lifetime.ending
    return take(
      until: Signal<Void, Failure> { observer in
        ending.add(Disposable { observer.complete(with: ()) })
      })
  }
}
