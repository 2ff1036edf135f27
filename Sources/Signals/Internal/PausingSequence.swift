/// The elements of a sequence, sent while few values wait downstream.
@usableFromInline
struct PausingSequence<Value: Sendable, Failure: Error>: Sendable {
  // Used by one thread at a time: the next turn begins when the one before has paused.
  private let element: Cell<() -> Value?>
  private let downstream: Downstream<Value, Failure>
  private let pressure: Pressure

  /// Sends what `element` gives, one after another.
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
