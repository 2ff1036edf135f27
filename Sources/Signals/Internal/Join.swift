/// The stage of `zip`, `combineLatest` and `withLatest(from:)`: joins two signals into one.
///
/// All work runs inside one gate, so that the buffers need no lock and an end from inside a source cannot deadlock.
struct Join<Left: Sendable, Right: Sendable, Failure: Error>: Sendable {
  enum Rule {
    case zip
    case combineLatest
    case withLatest
  }

  struct State {
    /// The values without a partner, for `zip`.
    var lefts = Waiting<Left>()
    var rights = Waiting<Right>()
    /// The latest values, for the other rules.
    var latestLeft: Left?
    var latestRight: Right?
    var left = InputPhase.running
    var right = InputPhase.running
  }

  let left = Disposable()
  let right = Disposable()
  let rule: Rule
  let gate: Gate<(Left, Right), Failure>
  private let state = Cell(State())

  init(_ rule: Rule, _ downstream: Downstream<(Left, Right), Failure>) {
    self.rule = rule
    gate = Gate(next: downstream.next, end: downstream.end)
    gate.hold(DisposablePair(left, right))
    downstream.scope.hold(gate)
  }

  func sendLeft(_ value: Left) {
    guard gate.enter() else { return gate.later { acceptLeft(value) } }
    acceptLeft(value)
    gate.leave()
  }

  func sendRight(_ value: Right) {
    guard gate.enter() else { return gate.later { acceptRight(value) } }
    acceptRight(value)
    gate.leave()
  }

  func endLeft(_ end: End<Left, Failure>) {
    gate.run {
      if case .last(let value) = end { acceptLeft(value, .completed) } else { accept(end.withoutValue(), \.left) }
    }
    if !end.isUnreachable { left.dispose() }
  }

  func endRight(_ end: End<Right, Failure>) {
    gate.run {
      if case .last(let value) = end { acceptRight(value, .completed) } else { accept(end.withoutValue(), \.right) }
    }
    if !end.isUnreachable { right.dispose() }
  }

  private func acceptLeft(_ value: Left, _ phase: InputPhase = .running) {
    state.value.left = phase
    if rule == .zip { state.value.lefts.append(value) } else { state.value.latestLeft = value }
    send()
  }

  private func acceptRight(_ value: Right, _ phase: InputPhase = .running) {
    state.value.right = phase
    if rule == .zip { state.value.rights.append(value) } else { state.value.latestRight = value }
    if rule == .withLatest { finishIfOver() } else { send() }
  }

  private func accept(_ end: End<(Left, Right), Failure>?, _ input: WritableKeyPath<State, InputPhase>) {
    switch end {
    case .failed(let failure): return gate.finish(.failed(failure))
    case .abandoned: state.value[keyPath: input] = .abandoned
    case .unreachable: state.value[keyPath: input] = .unreachable
    default: state.value[keyPath: input] = .completed
    }
    finishIfOver()
  }

  /// Sends the next pair, if any, fused with the end if no further pair is possible.
  private func send() {
    guard let pair = state.value.takePair(rule) else { return finishIfOver() }
    if case .completed? = state.value.end(rule) { return gate.finish(.last(pair)) }
    gate.send(pair)
    finishIfOver()
  }

  private func finishIfOver() {
    if let end = state.value.end(rule) { gate.finish(end) }
  }
}

extension Join.State {
  mutating func takePair(_ rule: Join.Rule) -> (Left, Right)? {
    guard rule == .zip else {
      guard let latestLeft, let latestRight else { return nil }
      return (latestLeft, latestRight)
    }
    guard !lefts.isEmpty, !rights.isEmpty, let left = lefts.popFirst(), let right = rights.popFirst() else {
      return nil
    }
    return (left, right)
  }

  /// Returns the end of the join, if no further event is possible.
  func end(_ rule: Join.Rule) -> End<(Left, Right), Failure>? {
    let (isLeftDone, isRightDone) = (left.isDone, right.isDone)
    let isComplete =
      switch rule {
      case .zip: (isLeftDone && lefts.isEmpty) || (isRightDone && rights.isEmpty)
      case .combineLatest:
        (isLeftDone && (isRightDone || latestLeft == nil)) || (isRightDone && latestRight == nil)
      case .withLatest: isLeftDone || (isRightDone && latestRight == nil)
      }
    if isComplete { return left == .abandoned || right == .abandoned ? .abandoned : .completed }
    return left != .running && right != .running ? .unreachable : nil
  }
}
