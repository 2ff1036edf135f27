/// The rule of a join: values by position, or the latest values.
enum JoinRule {
  case zip
  case combineLatest
}

/// The stage of `zip` and `combineLatest` for signals of different types: joins its inputs into a signal of tuples.
///
/// All work runs inside one gate, so that the buffers need no lock and an end from inside a source cannot deadlock. Each
/// input has a typed buffer of its own; only making a tuple visits all of them.
final class TupleJoin<Output: Sendable, Failure: Error>: Sendable {
  let gate: Gate<Output, Failure>
  let rule: JoinRule
  let state: Cell<JoinState>
  /// Makes the next tuple from the inputs' buffers, which do not refer to the stage.
  private let makeTuple: @Sendable () -> Output?

  init(
    _ rule: JoinRule, _ state: Cell<JoinState>, _ scopes: [Disposable], _ downstream: Downstream<Output, Failure>,
    _ makeTuple: @escaping @Sendable () -> Output?
  ) {
    self.rule = rule
    self.state = state
    self.makeTuple = makeTuple
    gate = Gate(next: downstream.next, end: downstream.end)
    gate.hold(Disposable { for scope in scopes { scope.dispose() } })
    downstream.scope.hold(gate)
  }

  /// Runs an input's signal, unless the stage has terminated.
  func start<Value>(
    _ signal: Signal<Value, Failure>, _ buffer: TupleBuffer<Value>, _ downstream: Downstream<Output, Failure>
  ) {
    if gate.isDisposed { return }
    signal.feed(
      downstream, scope: buffer.scope, next: { self.next($0, buffer) },
      end: { end in
        self.gate.run { self.accept(end, buffer) }
        if !end.isUnreachable { buffer.scope.dispose() }
      })
  }

  private func next<Value>(_ value: Value, _ buffer: TupleBuffer<Value>) {
    guard gate.enter() else {
      return gate.enqueue {
        buffer.add(value, self.rule, self.state)
        self.send()
      }
    }
    buffer.add(value, rule, state)
    send()
    gate.leave()
  }

  private func accept<Value>(_ end: End<Value, Failure>, _ buffer: TupleBuffer<Value>) {
    state.value.runningCount -= 1
    switch end {
    case .failed(let failure): return gate.finish(.failed(failure))
    case .unreachable: break
    case .completed: buffer.complete(rule, state)
    case .abandoned:
      state.value.isAbandoned = true
      buffer.complete(rule, state)
    case .last(let value):
      buffer.add(value, rule, state)
      buffer.complete(rule, state)
      return send()
    }
    finishIfOver()
  }

  /// Sends the next tuple, if every input has a value, fused with the end if no further tuple is possible.
  private func send() {
    if state.value.emptyCount == 0, let tuple = makeTuple() {
      if state.value.isExhausted, !state.value.isAbandoned { return gate.finish(.last(tuple)) }
      gate.send(tuple)
    }
    finishIfOver()
  }

  private func finishIfOver() {
    if state.value.isExhausted {
      gate.finish(state.value.isAbandoned ? .abandoned : .completed)
    } else if state.value.runningCount == 0 {
      gate.finish(.unreachable)
    }
  }
}

/// The progress of a join's inputs: values received, and inputs that have ended.
struct JoinState {
  /// The inputs that have no value for the next tuple.
  var emptyCount: Int
  /// The inputs that have not completed.
  var openCount: Int
  /// The inputs that can still send events.
  var runningCount: Int
  /// Whether no further tuple is possible.
  var isExhausted = false
  /// Whether an input was abandoned, which makes the end silent.
  var isAbandoned = false

  init(count: Int) {
    (emptyCount, openCount, runningCount) = (count, count, count)
  }
}

/// The buffer of one input of a ``TupleJoin``, with the input's scope.
struct TupleBuffer<Value: Sendable>: Sendable {
  private struct Contents {
    /// The values that wait for the others, for `zip`.
    var waiting = FIFOQueue<Value>()
    /// The latest value, for `combineLatest`.
    var latest: Value?
    var isCompleted = false
  }

  /// Thrown when a tuple is requested while an input has no value.
  struct Empty: Error {}

  let scope = Disposable()
  private let contents = Cell(Contents())

  func add(_ value: Value, _ rule: JoinRule, _ state: Cell<JoinState>) {
    if rule == .zip {
      if contents.value.waiting.isEmpty { state.value.emptyCount -= 1 }
      contents.value.waiting.append(value)
    } else {
      if case .none = contents.value.latest { state.value.emptyCount -= 1 }
      contents.value.latest = .some(value)
    }
  }

  func complete(_ rule: JoinRule, _ state: Cell<JoinState>) {
    contents.value.isCompleted = true
    state.value.openCount -= 1
    if rule == .zip {
      if contents.value.waiting.isEmpty { state.value.isExhausted = true }
    } else if case .none = contents.value.latest {
      state.value.isExhausted = true
    } else if state.value.openCount == 0 {
      state.value.isExhausted = true
    }
  }

  /// Returns the value for the next tuple.
  func take(_ rule: JoinRule, _ state: Cell<JoinState>) throws(Empty) -> Value {
    if rule == .combineLatest {
      if let latest = contents.value.latest { return latest }
      throw Empty()
    }
    guard let value = contents.value.waiting.popFirst() else { throw Empty() }
    if contents.value.waiting.isEmpty {
      state.value.emptyCount += 1
      if contents.value.isCompleted { state.value.isExhausted = true }
    }
    return value
  }
}

extension Signal {
  /// Joins signals by a rule; it subscribes in the order of the parameters.
  static func joined<each Input: Sendable>(
    _ rule: JoinRule, _ signals: repeat Signal<each Input, Failure>
  ) -> Signal where Value == (repeat each Input) {
    let signals = (repeat each signals)
    return .stage { downstream in
      let buffers = (repeat TupleBuffer<each Input>(for: each signals))
      var scopes: [Disposable] = []
      for buffer in repeat each buffers { scopes.append(buffer.scope) }
      let state = Cell(JoinState(count: scopes.count))
      let join = TupleJoin<Value, Failure>(rule, state, scopes, downstream) {
        try? (repeat (each buffers).take(rule, state))
      }
      repeat join.start(each signals, each buffers, downstream)
      return nil
    }
  }
}

extension TupleBuffer {
  /// Creates the buffer of a signal's values.
  fileprivate init(for _: Signal<Value, some Error>) {
    self.init()
  }
}
