import Synchronization

/// One inner signal while it runs.
@usableFromInline
final class Inner<Input: Sendable, Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let scope = Disposable()
  @usableFromInline let parent: FlatMap<Input, Value, Failure>
  // Its place in the parent's list; guarded by the parent's lock.
  nonisolated(unsafe) var index = 0

  @usableFromInline
  init(_ parent: FlatMap<Input, Value, Failure>) {
    self.parent = parent
  }

  @inlinable
  func end(_ end: End<Value, Failure>) {
    guard !scope.isCancelled else { return }
    switch end {
    case .last(let value):
      parent.deliver(value, from: self)
      parent.innerCompleted(self)
    case .failed(let failure): parent.finish(.failed(failure))
    case .completed: parent.innerCompleted(self)
    }
  }
}

/// Signals that wait for their turn, first in, first out.
@usableFromInline
struct Waiting<Element: Sendable>: Sendable {
  private var elements: [Element?] = []
  private var head = 0

  @usableFromInline init() {}

  @usableFromInline var isEmpty: Bool { head == elements.count }
  @usableFromInline var count: Int { elements.count - head }

  @usableFromInline
  mutating func append(_ element: Element) { elements.append(element) }

  @usableFromInline
  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    defer {
      elements[head] = nil
      head += 1
      // Moving what is left is paid for by the pops before it.
      if head > 32, head * 2 > elements.count {
        elements.removeFirst(head)
        head = 0
      }
    }
    return elements[head]
  }

  @usableFromInline
  mutating func removeAll() { self = Waiting() }
}

extension FlatMap {
  /// Takes in an inner: it starts now, waits, takes the place of another or is dropped, as the strategy says.
  @usableFromInline
  func admit(_ inner: Inners) {
    var replaced: [Inner<Input, Value, Failure>] = []
    let mayStart = state.withLock { state in
      guard !state.isOver else { return false }
      switch strategy.kind {
      case .latest:
        replaced = state.inners
        state.inners = []
        state.waiting.removeAll()
        state.waiting.append(inner)
      case .exhaust:
        if state.inners.isEmpty && state.waiting.isEmpty { state.waiting.append(inner) }
      case .queued: state.waiting.append(inner)
      }
      count(state)
      return !isTooDeep
    }
    for inner in replaced { inner.scope.dispose() }
    if mayStart { startNext() }
  }

  /// At the depth limit inners wait until their outer has been started; asked inside the lock, so that none is missed.
  private var isTooDeep: Bool { !handover.isStarted && depth >= FlatMap.depthLimit }

  private func count(_ state: State) {
    pendingCount.store(state.inners.count + state.waiting.count, ordering: .releasing)
  }

  /// Starts waiting inners while there is room; one thread at a time and in a loop, so that synchronous inners do not
  /// nest.
  private func startNext() {
    var isFirst = true
    while let (inner, signal) = takeNext(isFirst: isFirst) {
      isFirst = false
      signal.run(
        in: Continuation(
          sink: Sink(
            next: { inner.parent.deliver($0, from: inner) }, end: { inner.end($0) },
            shortcut: { inner.parent.shortcut() }, depth: place.sink.depth + 1),
          scope: inner.scope))
    }
  }

  /// The next inner that may run; if there is none and nothing is left to wait for, completes.
  private func takeNext(isFirst: Bool) -> (Inner<Input, Value, Failure>, Inners)? {
    var isComplete = false
    let next = state.withLock { state -> (Inner<Input, Value, Failure>, Inners)? in
      if state.isOver || (isFirst && state.isStarting) { return nil }
      guard state.inners.count < strategy.limit, let signal = state.waiting.popFirst() else {
        state.isStarting = false
        isComplete = state.isOuterDone && state.inners.isEmpty && state.waiting.isEmpty
        return nil
      }
      state.isStarting = true
      let inner = Inner(self)
      inner.index = state.inners.count
      state.inners.append(inner)
      return (inner, signal)
    }
    if isComplete { finish(.completed) }
    return next
  }

  @usableFromInline
  func innerCompleted(_ inner: Inner<Input, Value, Failure>) {
    state.withLock { state in
      guard inner.index < state.inners.count, state.inners[inner.index] === inner else { return }
      let moved = state.inners.removeLast()
      if moved !== inner {
        moved.index = inner.index
        state.inners[inner.index] = moved
      }
      count(state)
    }
    startNext()
  }

  @usableFromInline
  func outerCompleted() {
    let mayFinish = state.withLock { state in
      state.isOuterDone = true
      return !isTooDeep
    }
    if mayFinish { startNext() }
  }

  /// At the depth limit, once the outer has been started: starts what had to wait, an only one as our tail.
  @usableFromInline
  func startWaiting() -> Inners? {
    let only = state.withLock { state -> Inners? in
      guard state.isOuterDone, state.inners.isEmpty, state.waiting.count == 1 else { return nil }
      return state.waiting.popFirst()
    }
    if only == nil { startNext() }
    return only
  }

  /// Moves on past flattenings around us that have nothing left to do; only in the outer's delivery, while alone.
  @usableFromInline
  func shorten() {
    guard place.sink.shortcut != nil, handover.isStarted else { return }
    let shorter = place.shortened
    guard shorter.scope !== place.scope else { return }
    place = shorter
    shorter.scope.hold(self)
  }

  /// What lies beyond us, if our outer is done and one inner is left: it may then write there directly.
  func shortcut() -> Continuation<Value, Failure>? {
    guard handover.isStarted, gate.isIdle else { return nil }
    let isLast = state.withLock { state in
      state.isOuterDone && state.inners.count == 1 && state.waiting.isEmpty && !state.isOver
    }
    return isLast ? place : nil
  }
}
