/// Two signals joined into one: `zip`, `combineLatest` and `withLatest(from:)`.
///
/// Everything happens inside the gate, so that the buffers need no lock and an end from inside a source cannot deadlock.
struct Join<Left: Sendable, Right: Sendable, Failure: Error>: Sendable {
  enum Rule {
    case zip
    case combineLatest
    case withLatest
  }

  struct State {
    let downstream: Downstream<(Left, Right), Failure>
    /// The values without a partner, for `zip`.
    var lefts = Waiting<Left>()
    var rights = Waiting<Right>()
    /// For the others.
    var latestLeft: Left?
    var latestRight: Right?
    var left = InputPhase.running
    var right = InputPhase.running
  }

  let left = Disposable()
  let right = Disposable()
  let rule: Rule
  let gate: Gate<State>

  init(_ rule: Rule, _ downstream: Downstream<(Left, Right), Failure>) {
    self.rule = rule
    gate = Gate(State(downstream: downstream))
    gate.resources.add(left)
    gate.resources.add(right)
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
    if case .abandoned = end {} else { left.dispose() }
  }

  func endRight(_ end: End<Right, Failure>) {
    gate.run {
      if case .last(let value) = end { acceptRight(value, .completed) } else { accept(end.withoutValue(), \.right) }
    }
    if case .abandoned = end {} else { right.dispose() }
  }

  private func acceptLeft(_ value: Left, _ phase: InputPhase = .running) {
    gate.state?.left = phase
    if rule == .zip { gate.state?.lefts.append(value) } else { gate.state?.latestLeft = value }
    send()
  }

  private func acceptRight(_ value: Right, _ phase: InputPhase = .running) {
    gate.state?.right = phase
    if rule == .zip { gate.state?.rights.append(value) } else { gate.state?.latestRight = value }
    if rule == .withLatest { finishIfOver() } else { send() }
  }

  private func accept(_ end: End<(Left, Right), Failure>?, _ input: WritableKeyPath<State, InputPhase>) {
    guard let end, let downstream = gate.state?.downstream else { return }
    switch end {
    case .failed: return gate.finish(end, downstream)
    case .abandoned: gate.state?[keyPath: input] = .abandoned
    default: gate.state?[keyPath: input] = .completed
    }
    finishIfOver()
  }

  /// Sends the pair that is there, if any; with it the end, if no other is possible.
  private func send() {
    guard let pair = takePair(), let state = gate.state else { return finishIfOver() }
    guard let end = state.end(rule) else { return state.downstream.next(pair) }
    guard case .completed = end else {
      state.downstream.next(pair)
      return finishIfOver()
    }
    gate.finish(.last(pair), state.downstream)
  }

  private func finishIfOver() {
    if let state = gate.state, let end = state.end(rule) { gate.finish(end, state.downstream) }
  }

  private func takePair() -> (Left, Right)? {
    guard rule == .zip else {
      guard let state = gate.state, let left = state.latestLeft, let right = state.latestRight else { return nil }
      return (left, right)
    }
    guard gate.state?.lefts.isEmpty == false, gate.state?.rights.isEmpty == false,
      let left = gate.state?.lefts.popFirst(), let right = gate.state?.rights.popFirst()
    else { return nil }
    return (left, right)
  }
}

extension Join.State {
  /// How the join ends, if nothing more can come.
  func end(_ rule: Join.Rule) -> End<(Left, Right), Failure>? {
    let (isLeftDone, isRightDone) = (left == .completed, right == .completed)
    let isComplete =
      switch rule {
      case .zip: (isLeftDone && lefts.isEmpty) || (isRightDone && rights.isEmpty)
      case .combineLatest:
        (isLeftDone && (isRightDone || latestLeft == nil)) || (isRightDone && latestRight == nil)
      case .withLatest: isLeftDone || (isRightDone && latestRight == nil)
      }
    if isComplete { return .completed }
    return left != .running && right != .running ? .abandoned : nil
  }
}
