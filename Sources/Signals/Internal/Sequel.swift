/// Signals one after another, as `a.concat(b).concat(c)` piles them up: a list from the last to the first.
///
/// Persistent, so that a prefix can be shared; freed in a loop, because 100,000 nested releases need more stack than a
/// thread has.
@usableFromInline
final class Chain<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let signal: Signal<Value, Failure>
  /// The very first signal, in the link after it: a pair is one link.
  @usableFromInline let first: Signal<Value, Failure>?
  // Written once at init; taken apart only by deinit, when nobody else can see it.
  nonisolated(unsafe) private var before: Chain?
  private let count: Int
  private let row = Guarded<[Signal<Value, Failure>]?>(nil)

  @usableFromInline
  init(_ signal: Signal<Value, Failure>, after before: Chain) {
    self.signal = signal
    self.before = before
    first = nil
    count = before.count + 1
  }

  @usableFromInline
  init(_ first: Signal<Value, Failure>, then signal: Signal<Value, Failure>) {
    self.signal = signal
    self.first = first
    count = 2
  }

  deinit {
    var rest = before.take()
    // No second reference may be held while asking, or the answer is no and the release recurses.
    while rest != nil, isKnownUniquelyReferenced(&rest) { rest = rest?.takeBefore() }
  }

  private func takeBefore() -> Chain? { before.take() }

  /// The signals from the first to the last, put together at the first subscription.
  ///
  /// Complexity: O(n), later O(1).
  @usableFromInline var signals: [Signal<Value, Failure>] {
    if let known = row.withLock({ $0 }) { return known }
    var result: [Signal<Value, Failure>] = []
    result.reserveCapacity(count)
    var link: Chain? = self
    while let current = link {
      result.append(current.signal)
      if let first = current.first { result.append(first) }
      link = current.before
    }
    result.reverse()
    row.withLock { $0 = result }
    return result
  }
}

/// One signal of a row that is running; when it completes, the row goes on.
@usableFromInline
final class Sequel<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let signals: [Signal<Value, Failure>]
  @usableFromInline let following: Int
  @usableFromInline let place: Continuation<Value, Failure>
  @usableFromInline let handover = Handover()

  @inlinable
  init(_ signals: [Signal<Value, Failure>], _ following: Int, _ place: Continuation<Value, Failure>) {
    self.signals = signals
    self.following = following
    self.place = place
  }

  /// Runs the signals from an index on.
  ///
  /// Ready ones are sent in this loop; the last one is returned as the tail.
  @inlinable
  static func run(
    _ signals: [Signal<Value, Failure>], from start: Int, in place: Continuation<Value, Failure>
  ) -> Signal<Value, Failure>? {
    guard start < signals.count else { return .empty }
    let last = signals.count - 1
    let (scope, next) = (place.scope, place.sink.next)
    var index = start
    while index < last {
      if scope.isCancelled { return nil }
      let signal = signals[index].settled()
      index += 1
      switch signal.kind {
      case .ready(let value): next(value)
      case .empty: continue
      case .failed: return signal
      default:
        let sequel = Sequel(signals, index, place)
        signal.feed(place, next: next, end: { sequel.end($0) })
        guard sequel.handover.hasTail() else { return nil }
      }
    }
    return signals[last]
  }

  /// Runs two signals, the second as the tail.
  @inlinable
  static func run(
    _ first: Signal<Value, Failure>, then second: Signal<Value, Failure>, in place: Continuation<Value, Failure>
  ) -> Signal<Value, Failure>? {
    let signal = first.settled()
    switch signal.kind {
    case .ready(let value): place.sink.next(value)
    case .empty: break
    case .failed: return signal
    default: return run([signal, second], from: 0, in: place)
    }
    return second
  }

  @inlinable
  func end(_ end: End<Value, Failure>) {
    switch end {
    case .last(let value): place.sink.next(value)
    case .failed: return place.sink.end(end)
    case .completed: break
    }
    if handover.leaveToStarter() { return }
    let (signals, following, place) = (signals, following, place)
    Signal.stage { Sequel.run(signals, from: following, in: $0) }.run(in: place)
  }
}
