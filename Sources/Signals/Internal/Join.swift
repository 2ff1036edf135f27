/// Two sources joined into one: `zip`, `combineLatest` and `withLatest(from:)`.
///
/// Everything happens inside the gate, so that the buffers need no lock and an end from inside a source cannot deadlock.
final class Join<Left: Sendable, Right: Sendable, Failure: Error>: Cancellable {
  enum Rule {
    case zip
    case combineLatest
    case withLatest
  }

  enum Item: Sendable {
    case left(Left)
    case right(Right)
    case leftDone
    case rightDone
    case failed(Failure)
  }

  private struct Buffers {
    var left = Waiting<Left>()
    var right = Waiting<Right>()
    var latestLeft: Left?
    var latestRight: Right?
    var isLeftDone = false
    var isRightDone = false
  }

  let left = Disposable()
  let right = Disposable()
  private let rule: Rule
  private let place: Continuation<(Left, Right), Failure>
  private let gate = Gate()
  private let buffers = Cell<Buffers?>(Buffers())

  init(_ rule: Rule, _ place: Continuation<(Left, Right), Failure>) {
    self.rule = rule
    self.place = place
    place.scope.hold(self)
  }

  var isOver: Bool { gate.isClosed }

  func submit(_ item: Item) {
    guard gate.enter(orKeep: item) else { return }
    accept(item)
    if !gate.leave({ (item: Item) in accept(item) }) { buffers.value = nil }
  }

  func endLeft(_ end: End<Left, Failure>) {
    switch end {
    case .last(let value):
      submit(.left(value))
      submit(.leftDone)
    case .failed(let failure): submit(.failed(failure))
    case .completed: submit(.leftDone)
    }
  }

  func endRight(_ end: End<Right, Failure>) {
    switch end {
    case .last(let value):
      submit(.right(value))
      submit(.rightDone)
    case .failed(let failure): submit(.failed(failure))
    case .completed: submit(.rightDone)
    }
  }

  func cancel() {
    // A busy gate's buffers are freed by the thread that leaves it.
    if gate.close() == Gate.idle { buffers.value = nil }
    left.dispose()
    right.dispose()
  }

  private func accept(_ item: Item) {
    if case .failed(let failure) = item { return finish(.failed(failure)) }
    guard let pair = store(item) else {
      if isComplete { finish(.completed) }
      return
    }
    if isComplete { finish(.last(pair)) } else { place.sink.next(pair) }
  }

  private func finish(_ end: End<(Left, Right), Failure>) {
    guard gate.close() != Gate.closed else { return }
    buffers.value = nil
    left.dispose()
    right.dispose()
    place.sink.end(end)
  }

  /// Keeps what came, and gives the pair that it makes.
  private func store(_ item: Item) -> (Left, Right)? {
    guard var kept = buffers.value.take() else { return nil }
    defer { buffers.value = kept }
    switch item {
    case .left(let value) where rule == .zip: kept.left.append(value)
    case .left(let value): kept.latestLeft = value
    case .right(let value) where rule == .zip: kept.right.append(value)
    case .right(let value): kept.latestRight = value
    case .leftDone: kept.isLeftDone = true
    case .rightDone: kept.isRightDone = true
    case .failed: break
    }
    switch (rule, item) {
    case (.zip, _):
      guard !kept.left.isEmpty, !kept.right.isEmpty, let left = kept.left.popFirst(),
        let right = kept.right.popFirst()
      else { return nil }
      return (left, right)
    case (.combineLatest, .left), (.combineLatest, .right), (.withLatest, .left):
      guard let left = kept.latestLeft, let right = kept.latestRight else { return nil }
      return (left, right)
    default: return nil
    }
  }

  /// Whether no further pair is possible.
  private var isComplete: Bool {
    guard let kept = buffers.value else { return false }
    switch rule {
    case .zip: return (kept.isLeftDone && kept.left.isEmpty) || (kept.isRightDone && kept.right.isEmpty)
    case .combineLatest:
      return (kept.isLeftDone && (kept.isRightDone || kept.latestLeft == nil))
        || (kept.isRightDone && kept.latestRight == nil)
    case .withLatest: return kept.isLeftDone || (kept.isRightDone && kept.latestRight == nil)
    }
  }
}
