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
  public func observe(on scheduler: some Scheduler) -> Signal {
    .stage { place in
      let relay = Relay(scheduler, place)
      let sink = Sink<Value, Failure>(
        next: { relay.submit(.value($0)) }, end: { relay.submit(.end($0)) }, depth: place.sink.depth,
        pressure: relay.pressure)
      run(in: Continuation(sink: sink, scope: relay.source))
      return nil
    }
  }

  /// Starts the work on a scheduler; events are delivered wherever the work sends from.
  ///
  /// - Parameter scheduler: where the subscription runs. Disposing before its turn means it never runs.
  /// - Returns: a signal that starts there.
  public func subscribe(on scheduler: some Scheduler) -> Signal {
    .stage { place in
      // Freed by a disposal even while the scheduler still has its turn to come.
      let start = Start(signal: self, place: place)
      place.scope.hold(start)
      scheduler.schedule { start.run() }
      return nil
    }
  }

  /// Starts the work and delivers its events to main-actor closures, in order and never after a disposal on the main actor.
  ///
  /// Each event takes one turn of the main queue, also one that is sent from the main thread.
  /// - Parameters:
  ///   - onValue: receives the values.
  ///   - onFailure: receives the failure. Default: nothing happens.
  ///   - onCompletion: runs when the signal has completed. Default: nothing happens.
  /// - Returns: the handle that stops the work. Discarding it does not.
  @discardableResult
  public func subscribeOnMain(
    onValue: @escaping @MainActor @Sendable (Value) -> Void = { _ in },
    onFailure: @escaping @MainActor @Sendable (Failure) -> Void = { _ in },
    onCompletion: @escaping @MainActor @Sendable () -> Void = {}
  ) -> Disposable {
    observe(on: .main).subscribe { event in
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
    .stage { place in
      let upstream = Disposable()
      let ended = Once()
      place.scope.hold(
        Disposable {
          if ended.claim() { dispose?() }
          upstream.dispose()
        })
      start?()
      feed(
        place, scope: upstream,
        next: {
          value?($0)
          place.sink.next($0)
        },
        end: { end in
          // A last value is a value first: its handler may dispose.
          if case .last(let last) = end {
            value?(last)
            place.sink.next(last)
          }
          guard ended.claim() else { return }
          if case .failed(let problem) = end {
            failure?(problem)
            place.sink.end(.failed(problem))
          } else {
            completion?()
            place.sink.end(.completed)
          }
          terminate?()
        })
      return nil
    }
  }

  /// Gives the signal a name, for the eyes of whoever debugs: it is passed to a closure beside every event.
  ///
  /// - Parameters:
  ///   - name: what to call it.
  ///   - log: gets a line for the start, each event and the disposal. Default: prints it.
  /// - Returns: the same signal, logged.
  public func named(_ name: String, log: @escaping @Sendable (String) -> Void = { print($0) }) -> Signal {
    on(
      start: { log("\(name): started") }, value: { log("\(name): \($0)") },
      failure: { log("\(name): failed: \($0)") }, completion: { log("\(name): completed") },
      dispose: { log("\(name): disposed") })
  }

  /// Completes, and disposes the source, when a lifetime ends.
  ///
  /// - Parameter lifetime: not kept alive by the signal or its subscriptions.
  /// - Returns: a signal that ends with the trigger.
  public func take(during lifetime: Lifetime) -> Signal {
    let ending = lifetime.ending
    return take(
      until: Signal<Void, Failure> { observer in
        ending.add(Disposable { observer.complete() })
      })
  }
}

/// A subscription that waits for its turn.
private final class Start<Value: Sendable, Failure: Error>: Cancellable {
  private struct Work: Sendable {
    let signal: Signal<Value, Failure>
    let place: Continuation<Value, Failure>
  }

  private let work: Guarded<Work?>

  init(signal: Signal<Value, Failure>, place: Continuation<Value, Failure>) {
    work = Guarded(Work(signal: signal, place: place))
  }

  var isOver: Bool { work.withLock { $0 == nil } }

  func run() {
    if let work = work.withLock({ $0.take() }) { work.signal.run(in: work.place) }
  }

  func cancel() {
    let dropped = work.withLock { $0.take() }
    withExtendedLifetime(dropped) {}
  }
}

/// Something that is claimed once.
final class Once: Sendable {
  private let isClaimed = Atomic<Bool>(false)

  /// Whether this is the first claim.
  func claim() -> Bool { !isClaimed.exchange(true, ordering: .acquiringAndReleasing) }
}
