/// An input of a ``Join``, without the type of its values.
protocol JoinInput: AnyObject, Sendable {
  /// The scope of the input's signal.
  var scope: Disposable { get }
  /// Frees the queued values, which get no partner any more.
  func dropQueue()
}

/// Thrown when an output is requested while an input has no value.
struct NoValue: Error {}

/// The values of one input of a ``Join``; its methods are called inside the gate of the join.
final class TypedInput<Value: Sendable>: JoinInput {
  let scope = Disposable()
  let index: Int
  // The fields are stored in this object directly, because each intermediate generic type is looked up at run time.
  /// The value for the next output; with `combineLatest`, the latest one.
  @exclusivity(unchecked) private var value: Value?
  /// The queued values after `value`, for `zip`.
  @exclusivity(unchecked) private var queue: FIFOQueue<Value>?
  @exclusivity(unchecked) private var isCompleted = false
  /// Whether the input can send no further event.
  @exclusivity(unchecked) private var isUnreachable = false

  init(at index: Int) {
    self.index = index
  }

  func add(_ value: Value, _ rule: JoinRule, _ state: Cell<JoinState>) {
    if case .none = self.value {
      state.value.emptyCount -= 1
    } else if rule == .zip {
      return state.value.hasQueues ? wait(value) : ()
    }
    self.value = .some(value)
  }

  @inline(never)
  private func wait(_ value: Value) {
    if queue == nil { queue = FIFOQueue() }
    queue?.append(value)
  }

  func complete(_ rule: JoinRule, _ state: Cell<JoinState>) {
    isCompleted = true
    state.value.openCount -= 1
    if case .none = value {
      state.value.isExhausted = true
    } else if rule == .combineLatest, state.value.openCount == 0 {
      state.value.isExhausted = true
    }
  }

  func becomeUnreachable(_ rule: JoinRule, _ state: Cell<JoinState>) {
    isUnreachable = true
    if case .none = value, rule == .zip { state.value.isStuck = true }
  }

  func dropQueue() { queue = nil }

  func take(_ rule: JoinRule, _ state: Cell<JoinState>) throws(NoValue) -> Value {
    guard let value else { throw NoValue() }
    if rule == .zip {
      self.value = queue?.popFirst()
      if case .none = self.value {
        state.value.emptyCount += 1
        if isCompleted { state.value.isExhausted = true }
        if isUnreachable { state.value.isStuck = true }
      }
    }
    return value
  }
}
