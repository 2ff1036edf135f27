import Synchronization

// The only file of these tests that knows how a stage is connected to the one below it.
@testable import Signals

/// Records what an operator sends to the bare internal downstream: second ends and events after an end too.
///
/// A subscriber cannot see those: the root of a subscription drops them.
package final class RawRecorder<Value: Sendable, Failure: Error>: Sendable {
  private struct State {
    var events: [Event<Value, Failure>] = []
    var violations: [String] = []
    var isDisposed = false
  }

  /// The recording, in an object of its own, so that the subscription does not keep the recorder.
  private final class Tape: Sendable {
    let state = Guarded(State())
    let delivering = Atomic<Int>(0)
    let scope = Disposable()
    let react: @Sendable (Event<Value, Failure>) -> Bool

    init(_ react: @escaping @Sendable (Event<Value, Failure>) -> Bool) {
      self.react = react
    }

    func add(_ event: Event<Value, Failure>) {
      let overlaps = delivering.add(1, ordering: .acquiringAndReleasing).newValue > 1
      defer { delivering.subtract(1, ordering: .acquiringAndReleasing) }
      state.withLock { state in
        if overlaps { state.violations.append("\(event) inside another delivery") }
        if state.isDisposed { state.violations.append("\(event) after the disposal") }
        if state.events.contains(where: \.isTerminal) { state.violations.append("\(event) after the end") }
        state.events.append(event)
      }
      if react(event) { dispose() }
    }

    func end(_ end: End<Value, Failure>) {
      switch end {
      case .last(let value):
        add(.value(value))
        // One call for two events: the second is not the operator's fault if the first one's handler disposed.
        if !state.withLock({ $0.isDisposed }) { add(.completed) }
      case .failed(let failure): add(.failed(failure))
      case .completed: add(.completed)
      case .abandoned, .unreachable: break
      }
    }

    func dispose() {
      state.withLock { $0.isDisposed = true }
      scope.dispose()
    }
  }

  private let tape: Tape

  /// Runs a signal.
  ///
  /// - Parameters:
  ///   - signal: what to record.
  ///   - disposes: runs for each event, inside its delivery, and says whether to dispose there. Default: never.
  package init(
    _ signal: Signal<Value, Failure>, disposingAt disposes: @escaping @Sendable (Event<Value, Failure>) -> Bool
  ) {
    let tape = Tape(disposes)
    self.tape = tape
    signal.run(
      in: Downstream(
        next: { tape.add(.value($0)) }, end: { tape.end($0) }, scope: tape.scope, subscription: tape.scope))
  }

  /// Runs a signal.
  package convenience init(_ signal: Signal<Value, Failure>) {
    self.init(signal, disposingAt: { _ in false })
  }

  package var events: [Event<Value, Failure>] { tape.state.withLock { $0.events } }

  /// Whether there was an end.
  package var hasEnded: Bool { events.contains { $0.isTerminal } }

  /// What no operator may do: second ends, events after an end or the disposal, deliveries inside others.
  package var violations: [String] { tape.state.withLock { $0.violations } }

  /// Disposes the subscription.
  package func dispose() { tape.dispose() }
}

/// The downstream of an operator that a test makes, with nothing between that would drop an event.
package struct UnguardedObserver<Value: Sendable, Failure: Error>: Sendable {
  package let send: @Sendable (Event<Value, Failure>) -> Void

  package init(send: @escaping @Sendable (Event<Value, Failure>) -> Void) {
    self.send = send
  }
}

extension Signal {
  /// A signal whose work may send whatever it likes, whenever it likes.
  package static func unguarded(
    _ start: @escaping @Sendable (UnguardedObserver<Value, Failure>) -> Disposable
  ) -> Signal {
    .stage { downstream in
      let work = start(
        UnguardedObserver { event in
          switch event {
          case .value(let value): downstream.next(value)
          case .failed(let failure): downstream.end(.failed(failure))
          case .completed: downstream.end(.completed)
          }
        })
      downstream.scope.hold(work)
      return nil
    }
  }
}
