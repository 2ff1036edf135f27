/// A source and a trigger of which either ends both.
final class Race<Value: Sendable, Failure: Error>: Cancellable {
  let source = Disposable()
  let trigger = Disposable()
  private let place: Continuation<Value, Failure>
  private let gate = Gate<Event<Value, Failure>.Whole>()

  init(_ place: Continuation<Value, Failure>) {
    self.place = place
  }

  var isOver: Bool { gate.isClosed }

  func next(_ value: Value) {
    guard gate.enter(orKeep: .value(value)) else { return }
    place.sink.next(value)
    gate.leave { deliver($0) }
  }

  func end(_ end: End<Value, Failure>) {
    guard gate.enter(orKeep: .end(end)) else { return }
    finish(end)
  }

  func cancel() {
    gate.close()
    source.dispose()
    trigger.dispose()
  }

  private func deliver(_ event: Event<Value, Failure>.Whole) {
    switch event {
    case .value(let value): place.sink.next(value)
    case .end(let end): finish(end)
    }
  }

  private func finish(_ end: End<Value, Failure>) {
    guard gate.close() != GateState.closed else { return }
    source.dispose()
    trigger.dispose()
    place.sink.end(end)
  }
}
