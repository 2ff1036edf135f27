extension Signal {
  /// Drops values while they satisfy a predicate, then sends the first value that does not satisfy it and all later
  /// ones.
  ///
  /// The returned signal completes or fails with the source.
  /// - Parameter isExcluded: The predicate. It runs on the delivering thread, up to the first value that does not
  ///   satisfy it.
  /// - Returns: A signal without the leading values that satisfy the predicate.
  public func skip(while isExcluded: @escaping @Sendable (Value) -> Bool) -> Signal {
    .deferred {
      let isOpen = Cell(false)
      return filter { value in
        if !isOpen.value { isOpen.value = !isExcluded(value) }
        return isOpen.value
      }
    }
  }

  /// Drops values until another signal sends a value, then disposes that signal.
  ///
  /// The returned signal subscribes to the trigger first, so no value is dropped if the trigger sends synchronously. It
  /// completes with this signal. A trigger that completes without a value has no effect, so all values are dropped. If
  /// either signal fails, the returned signal fails and the other is disposed.
  /// - Parameter trigger: The signal whose first value lets values pass.
  /// - Returns: A signal of the values after the trigger's value.
  public func skip<Other: Sendable>(until trigger: Signal<Other, Failure>) -> Signal {
    .stage { downstream in
      let stage = Until(downstream, completes: false)
      // The trigger's values are not buffered, so it does not need to pause.
      trigger.run(
        in: Downstream(
          next: { _ in stage.fire() }, end: { stage.endTrigger($0) }, scope: stage.trigger,
          subscription: downstream.subscription, depth: downstream.depth))
      feed(downstream, scope: stage.source, next: { stage.next($0) }, end: { stage.end($0) })
      return nil
    }
  }

  /// Sends values up to and including the first that satisfies a predicate, then completes.
  ///
  /// The source is disposed before the last of them is delivered. If the source terminates first, the returned signal
  /// completes or fails with it.
  /// - Parameter isLast: The predicate. It runs on the delivering thread.
  /// - Returns: A signal of the first values.
  public func take(until isLast: @escaping @Sendable (Value) -> Bool) -> Signal {
    .stage { downstream in
      let stage = StoppingStage(downstream)
      feed(
        downstream, scope: stage.source,
        next: { value in
          if stage.isTerminated { return }
          if isLast(value) { stage.end(.last(value)) } else { stage.next(value) }
        },
        end: { stage.end($0) })
      return nil
    }
  }

  /// Sends the latest value whenever another signal sends a value; each value is sent at most once.
  ///
  /// The returned signal subscribes to this signal first. It completes as soon as either signal completes; a value that
  /// has not been sampled is dropped, as in RxJava. If either signal fails, the returned signal fails and the other is
  /// disposed.
  /// - Parameter sampler: The signal that triggers the sampling. Its values are ignored.
  /// - Returns: A signal of the latest values.
  public func sample<Other: Sendable>(on sampler: Signal<Other, Failure>) -> Signal {
    .stage { downstream in
      let stage = Sampling(downstream)
      // Only the latest value is kept, so the source does not need to pause.
      run(
        in: Downstream(
          next: { stage.next($0) }, end: { stage.end($0) }, scope: stage.source,
          subscription: downstream.subscription, depth: downstream.depth))
      sampler.feed(downstream, scope: stage.sampler, next: { _ in stage.sample() }, end: { stage.endSampler($0) })
      return nil
    }
  }
}
