extension Signal {
  /// Sends the first `count` values, then completes.
  ///
  /// The source is disposed before the last of them is delivered, so a value must not refer to what the teardown frees.
  /// `take(0)`, and a negative count, completes immediately without subscribing to the source.
  public func take(_ count: Int) -> Signal {
    guard count > 0 else { return .empty }
    return .stage { downstream in
      let stage = StoppingStage(downstream)
      let remaining = Cell(count)
      feed(
        downstream, scope: stage.source,
        next: { value in
          remaining.value -= 1
          if remaining.value > 0 { stage.next(value) } else { stage.end(.last(value)) }
        },
        end: { stage.end($0) })
      return nil
    }
  }

  /// Sends values while they satisfy a predicate, then completes; the first value that does not satisfy it is not sent.
  public func take(while isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal {
    .stage { downstream in
      let stage = StoppingStage(downstream)
      feed(
        downstream, scope: stage.source,
        next: { value in
          if stage.isTerminated { return }
          if isIncluded(value) { stage.next(value) } else { stage.end(.completed) }
        },
        end: { end in
          if stage.isTerminated { return }
          if case .last(let value) = end, !isIncluded(value) { stage.end(.completed) } else { stage.end(end) }
        })
      return nil
    }
  }

  /// Sends the first value and completes; if there is none, completes without a value.
  public func first() -> Signal { take(1) }

  /// Sends only the last value, at completion; if there is none, completes without a value.
  public func last() -> Signal {
    .stage { downstream in
      let latest = Cell<Value?>(nil)
      feed(
        downstream, next: { latest.value = $0 },
        end: { end in
          switch (end, latest.value.take()) {
          case (.completed, .some(let value)): downstream.end(.last(value))
          default: downstream.end(end)
          }
        })
      return nil
    }
  }

  /// Drops the first `count` values.
  public func skip(_ count: Int) -> Signal {
    guard count > 0 else { return self }
    return .deferred {
      let remaining = Cell(count)
      return filter { _ in
        if remaining.value == 0 { return true }
        remaining.value -= 1
        return false
      }
    }
  }

  /// Drops each value that equals the previous one.
  public func distinctUntilChanged() -> Signal where Value: Equatable {
    distinctUntilChanged(by: ==)
  }

  /// Drops each value that equals the previously sent one, as determined by a closure, which compares that one with the
  /// new one on the delivering thread.
  public func distinctUntilChanged(by areSame: @escaping @Sendable (Value, Value) -> Bool) -> Signal {
    .deferred {
      let latest = Cell<Value?>(nil)
      return filter { value in
        if let previous = latest.value, areSame(previous, value) { return false }
        latest.value = value
        return true
      }
    }
  }

  /// Sends values until another signal sends a value, then completes and disposes both signals.
  ///
  /// The returned signal subscribes to the trigger first. A trigger that sends its value synchronously therefore
  /// completes it without a value. A trigger that completes without a value has no effect. If the trigger fails, the
  /// returned signal fails.
  ///
  /// Several signals that the same value of a shared trigger completes end one after the other, the oldest first. A
  /// signal that waits for an older one, such as a request in a lane, may thus start before the value reaches it. A
  /// ``DisposeBag`` and ``take(during:)`` end the newest first, so that none of those starts.
  /// - Parameter trigger: The signal whose first value completes this one.
  /// - Returns: A signal that completes at the trigger's first value at the latest.
  public func take<Other: Sendable>(until trigger: Signal<Other, Failure>) -> Signal {
    .stage { downstream in
      let stage = Until(downstream, completes: true)
      // The trigger's values are not buffered, so it does not need to pause.
      trigger.run(
        in: Downstream(
          next: { _ in stage.deliverFromTrigger { stage.fire() } },
          end: { end in stage.deliverFromTrigger { stage.endTrigger(end) } }, scope: stage.trigger,
          subscription: stage.trigger, depth: downstream.depth))
      feed(downstream, scope: stage.source, next: { stage.next($0) }, end: { stage.end($0) })
      return nil
    }
  }
}

/// A stage that may terminate before its source: `take`, `take(while:)`, `tryMap`, `dematerialize`.
///
/// Its source has its own scope. Claiming that scope decides which thread terminates the stage.
@usableFromInline
struct StoppingStage<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let downstream: Downstream<Value, Failure>
  @usableFromInline let source: Disposable

  init(_ downstream: Downstream<Value, Failure>) {
    self.downstream = downstream
    source = downstream.child()
  }

  var isTerminated: Bool { source.isCancelled }

  /// Sends a value, unless the stage has terminated.
  func next(_ value: Value) {
    if !source.isCancelled { downstream.next(value) }
  }

  /// Disposes the source and delivers the end, unless the stage has terminated.
  func end(_ end: End<Value, Failure>) {
    if end.isUnreachable { return downstream.end(end) }
    guard source.claim() else { return }
    source.release()
    downstream.end(end)
  }
}
