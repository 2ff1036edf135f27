/// A source of a sequence's elements that pauses under back-pressure.
@usableFromInline
struct PausingSequence<Value: Sendable, Failure: Error>: Sendable {
  // Used by one thread at a time: the next run begins after the previous one has paused.
  private let element: Cell<() -> Value?>
  private let downstream: Downstream<Value, Failure>
  private let pressure: Pressure

  /// Creates a source of the elements that `element` returns, until it returns `nil`.
  @usableFromInline
  init(_ downstream: Downstream<Value, Failure>, _ pressure: Pressure, _ element: @escaping () -> Value?) {
    self.element = Cell(element)
    self.downstream = downstream
    self.pressure = pressure
  }

  @usableFromInline
  func run() {
    while !downstream.scope.isCancelled {
      guard let value = element.value() else { return downstream.end(.completed) }
      downstream.next(value)
      if pressure.isHigh { return pressure.whenLow { run() } }
    }
  }
}
