import Synchronization

/// Counts down inside the deliveries of one subscription; an atomic, so that it costs no lock and needs no trust.
final class Countdown: Sendable {
  private let left: Atomic<Int>

  init(_ count: Int) {
    left = Atomic(count)
  }

  /// What is left after this step; negative when nothing was.
  func step() -> Int {
    let rest = left.load(ordering: .relaxed) - 1
    left.store(rest, ordering: .relaxed)
    return rest
  }
}

extension Signal {
  /// Sends the first `count` values, then completes and disposes the source.
  ///
  /// `take(0)` completes at once, without subscribing.
  public func take(_ count: Int) -> Signal {
    guard count > 0 else { return .empty }
    return .stage { place in
      let upstream = place.child()
      let countdown = Countdown(count)
      let deliver: @Sendable (Value) -> Void = { value in
        let rest = countdown.step()
        if rest > 0 { return place.sink.next(value) }
        guard rest == 0 else { return }
        upstream.dispose()
        place.sink.end(.last(value))
      }
      feed(
        place, scope: upstream, next: deliver,
        end: { end in if !upstream.isCancelled { place.sink.end(end) } })
      return nil
    }
  }

  /// Sends values for as long as they pass a test; the first that does not completes the signal and is not sent.
  public func take(while isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal {
    .stage { place in
      let upstream = place.child()
      let passes: @Sendable (Value) -> Bool = { value in
        guard !upstream.isCancelled else { return false }
        if isIncluded(value) { return true }
        upstream.dispose()
        place.sink.end(.completed)
        return false
      }
      feed(
        place, scope: upstream, next: { if passes($0) { place.sink.next($0) } },
        end: { end in
          if case .last(let value) = end, !passes(value) { return }
          if !upstream.isCancelled { place.sink.end(end) }
        })
      return nil
    }
  }

  /// Sends the first value and completes; completes empty if there is none.
  public func first() -> Signal { take(1) }

  /// Sends only the last value, when the signal completes; completes empty if there is none.
  public func last() -> Signal {
    .stage { place in
      let latest = Cell<Value?>(nil)
      feed(
        place, next: { latest.value = $0 },
        end: { end in
          switch (end, latest.value.take()) {
          case (.completed, .some(let value)): place.sink.end(.last(value))
          default: place.sink.end(end)
          }
        })
      return nil
    }
  }

  /// Drops the first `count` values.
  public func skip(_ count: Int) -> Signal {
    guard count > 0 else { return self }
    return .deferred {
      let countdown = Countdown(count)
      return filter { _ in countdown.step() < 0 }
    }
  }

  /// Drops each value that equals the one before it.
  public func distinctUntilChanged() -> Signal where Value: Equatable {
    distinctUntilChanged(by: ==)
  }

  /// Drops each value that is the same as the one sent before it, by a test of your own.
  ///
  /// - Parameter areSame: compares the value sent last with the new one, on the thread that delivers it.
  /// - Returns: a signal without repeats.
  public func distinctUntilChanged(by areSame: @escaping @Sendable (Value, Value) -> Bool) -> Signal {
    .deferred {
      let latest = Cell<Value?>(nil)
      return filter { value in
        if let before = latest.value, areSame(before, value) { return false }
        latest.value = value
        return true
      }
    }
  }

  /// Sends values until another signal sends one or completes; then completes and disposes both.
  ///
  /// It subscribes to the trigger first, so a trigger that is ready completes it without a value. A trigger that fails
  /// fails it.
  /// - Parameter trigger: what ends this signal.
  /// - Returns: a signal that ends with the trigger.
  public func take<Other: Sendable>(until trigger: Signal<Other, Failure>) -> Signal {
    .stage { place in
      let race = Race(place)
      place.scope.hold(race)
      trigger.run(
        in: Continuation(
          sink: Sink(
            next: { _ in race.end(.completed) },
            end: { end in
              if case .failed(let failure) = end { race.end(.failed(failure)) } else { race.end(.completed) }
            },
            // The trigger's values go nowhere, so it must not pause for those that wait.
            depth: place.sink.depth, pressure: nil),
          scope: race.trigger))
      feed(place, scope: race.source, next: { race.next($0) }, end: { race.end($0) })
      return nil
    }
  }
}
