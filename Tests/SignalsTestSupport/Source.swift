import Signals

/// What goes wrong in these tests.
package enum Fault: Error, Hashable {
  case broken
  case late
  case number(Int)
}

package typealias Numbers = Signal<Int, Fault>

/// A source that a test feeds.
///
/// It keeps every observer for good, as a careless producer does.
package final class Source<Value: Sendable>: Sendable {
  private struct State {
    var observers: [Observer<Value, Fault>] = []
    var teardownCount = 0
  }

  private let state = Guarded(State())

  package init() {}

  package var signal: Signal<Value, Fault> {
    Signal { [self] observer in
      state.withLock { $0.observers.append(observer) }
      return Disposable { [self] in state.withLock { $0.teardownCount += 1 } }
    }
  }

  package var observers: [Observer<Value, Fault>] { state.withLock { $0.observers } }
  package var subscriptionCount: Int { observers.count }
  package var teardownCount: Int { state.withLock { $0.teardownCount } }

  /// Whether every subscription there was has been torn down once.
  package var isIdle: Bool { state.withLock { $0.observers.count == $0.teardownCount } }

  package func send(_ value: Value) { for observer in observers { observer.send(value) } }
  package func fail(_ fault: Fault = .broken) { for observer in observers { observer.fail(fault) } }
  package func complete() { for observer in observers { observer.complete() } }
  package func complete(with value: Value) { for observer in observers { observer.complete(with: value) } }
}

/// Holds what comes later, such as the handle that a handler is to dispose.
package final class Later<Value: Sendable>: Sendable {
  private let state = Guarded<Value?>(nil)

  package init() {}

  package var value: Value? {
    get { state.withLock { $0 } }
    set {
      let before = state.withLock { state in
        let before = state
        state = newValue
        return before
      }
      withExtendedLifetime(before) {}
    }
  }
}

/// Runs a closure when it goes away.
package final class Farewell: Sendable {
  private let action: @Sendable () -> Void

  package init(_ action: @escaping @Sendable () -> Void) {
    self.action = action
  }

  deinit { action() }
}

extension Signal where Value == Int, Failure == Fault {
  /// Sends numbers and completes, without fusing, and without asking whether anybody listens.
  package static func stubborn(_ values: Int...) -> Signal {
    Signal { observer in
      for value in values { observer.send(value) }
      observer.complete()
      return nil
    }
  }

  /// Sends a last number fused with the completion, from work of its own.
  package static func fused(_ value: Int) -> Signal {
    Signal { observer in
      observer.complete(with: value)
      return nil
    }
  }

  /// 0, 1, 2 and so on, without an end.
  package static var endless: Signal { .from(0...) }
}
