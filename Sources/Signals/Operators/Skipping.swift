extension Signal {
  /// Drops values for as long as they pass a test; sends the first that does not and all after it.
  ///
  /// It completes and fails with the source.
  /// - Parameter isExcluded: runs on the thread that delivers the value, up to the first value that does not pass.
  /// - Returns: a signal without the first values.
  public func skip(while isExcluded: @escaping @Sendable (Value) -> Bool) -> Signal {
    .deferred {
      let isOpen = Cell(false)
      return filter { value in
        if !isOpen.value { isOpen.value = !isExcluded(value) }
        return isOpen.value
      }
    }
  }

  /// Drops values until another signal sends one, and disposes that other then.
  ///
  /// It subscribes to the trigger first, so a trigger that is ready drops nothing. It completes with this signal. A trigger
  /// that completes without a value changes nothing, so all values are dropped; a failure of either fails it and disposes the
  /// other.
  /// - Parameter trigger: the signal whose first value opens this one.
  /// - Returns: a signal of the values after the trigger's.
  public func skip<Other: Sendable>(until trigger: Signal<Other, Failure>) -> Signal {
    .stage { downstream in
      let stage = SkipUntil(downstream)
      // The trigger's values are not kept, so it need not pause for those that wait.
      trigger.run(
        in: Downstream(
          next: { _ in stage.open() }, end: { stage.endTrigger($0) }, scope: stage.trigger,
          subscription: downstream.subscription, depth: downstream.depth))
      feed(downstream, scope: stage.source, next: { stage.next($0) }, end: { stage.end($0) })
      return nil
    }
  }

  /// Sends values up to and including the first that passes a test, then completes and disposes the source.
  ///
  /// It completes and fails with the source if that ends first.
  /// - Parameter isLast: runs on the thread that delivers the value.
  /// - Returns: a signal of the first values.
  public func take(until isLast: @escaping @Sendable (Value) -> Bool) -> Signal {
    .stage { downstream in
      let stage = StoppingStage(downstream)
      feed(
        downstream, scope: stage.source,
        next: { value in
          if stage.isOver { return }
          if isLast(value) { stage.end(.last(value)) } else { stage.next(value) }
        },
        end: { stage.end($0) })
      return nil
    }
  }

  /// Sends the latest value each time another signal sends one; each value is sent once at most.
  ///
  /// It subscribes to this signal first. It completes as soon as either signal completes; a value that has not been sampled
  /// by then is dropped (as in RxJava). The failure of either fails it and disposes the other.
  /// - Parameter sampler: the signal whose values say when; what they are does not matter.
  /// - Returns: a signal of the latest values.
  public func sample<Other: Sendable>(on sampler: Signal<Other, Failure>) -> Signal {
    .stage { downstream in
      let stage = Sampling(downstream)
      // Values that are not sampled are not kept, so the source need not pause for those that wait.
      run(
        in: Downstream(
          next: { stage.next($0) }, end: { stage.end($0) }, scope: stage.source,
          subscription: downstream.subscription, depth: downstream.depth))
      sampler.feed(downstream, scope: stage.sampler, next: { _ in stage.sample() }, end: { stage.endSampler($0) })
      return nil
    }
  }
}
