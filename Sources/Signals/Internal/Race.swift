/// A source and a trigger of which either ends both.
final class Race<Value: Sendable, Failure: Error>: Cancellable {
  private typealias Item = Event<Value, Failure>.Whole

  let source = Disposable()
  let trigger = Disposable()
  private let place: Continuation<Value, Failure>
  private let gate = Gate()

  init(_ place: Continuation<Value, Failure>) {
    self.place = place
  }

  var isOver: Bool { gate.isClosed }

  func next(_ value: Value) {
    guard gate.enter(orKeep: Item.value(value)) else { return }
    place.sink.next(value)
    gate.leave { (item: Item) in deliver(item) }
  }

  func end(_ end: End<Value, Failure>) {
    guard gate.enter(orKeep: Item.end(end)) else { return }
    finish(end)
  }

  func cancel() {
    gate.close()
    source.dispose()
    trigger.dispose()
  }

  private func deliver(_ event: Item) {
    switch event {
    case .value(let value): place.sink.next(value)
    case .end(let end): finish(end)
    }
  }

  private func finish(_ end: End<Value, Failure>) {
    guard gate.close() != Gate.closed else { return }
    source.dispose()
    trigger.dispose()
    place.sink.end(end)
  }
}
