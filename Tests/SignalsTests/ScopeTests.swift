import HeliographTesting
import Signals
import TestSupport
import Testing

private struct Failed: Error {}

/// Subscriptions in the same scope, one after the other.
final class ScopeTests: Sendable {
  private let log = Guarded<[String]>([])
  private let scope = Disposable()

  private var entries: [String] { log.withLock { $0 } }

  /// A signal that logs its start and its disposal, in each of the shapes that are subscribed to differently.
  private func signal(_ name: String, _ shape: Int) -> Signal<Int, Never> {
    let work = Signal<Int, Never> { [self] observer in
      log.withLock { $0.append("start \(name)") }
      return Disposable { [self] in
        withExtendedLifetime(observer) {}
        log.withLock { $0.append("dispose \(name)") }
      }
    }
    return [work, .deferred { work }, work.map { $0 }][shape]
  }

  @Test(arguments: 0..<3) func theFormerWorkIsDisposedBeforeTheNextStarts(_ shape: Int) {
    for name in ["a", "b"] { signal(name, shape).subscribe(in: scope) { _ in } }
    expectEqual(entries, ["start a", "dispose a", "start b"])
    scope.dispose()
    expectEqual(entries.last, "dispose b")
  }

  @Test(arguments: 0..<3) func inADisposedScopeNothingStarts(_ shape: Int) {
    scope.dispose()
    signal("a", shape).subscribe(in: scope) { _ in }
    expectEqual(entries, [])
  }

  @Test(arguments: 0..<3) func aClearedScopeIsUsedAgain(_ shape: Int) {
    signal("a", shape).subscribe(in: scope) { _ in }
    scope.clear()
    signal("b", shape).subscribe(in: scope) { _ in }
    expectEqual(entries, ["start a", "dispose a", "start b"])
    expect(!scope.isDisposed)
  }

  /// A signal that passes another one on tears it down before an operator behind it starts the next one.
  @Test(arguments: 0..<3) func whatIsPassedOnIsTornDownBeforeTheNextAttempt(_ shape: Int) throws {
    let attempts = Guarded<[Observer<Int, Failed>]>([])
    let work = Signal<Int, Failed> { [self] observer in
      log.withLock { $0.append("start") }
      attempts.withLock { $0.append(observer) }
      return Disposable { [self] in log.withLock { $0.append("end") } }
    }
    let inner = [work, .deferred { work }, work.map { $0 }][shape]
    let passing = Signal<Int, Failed> { [self] observer in
      let handle = Disposable { [self] in log.withLock { $0.append("end") } }
      return inner.subscribe(for: observer, with: handle, under: observer.pressure) { observer.send($0) }
    }
    let subscription = passing.retry(1).subscribe { _ in }
    try require(attempts.withLock { $0.first }).fail(Failed())
    expectEqual(entries, ["start", "end", "end", "start"])
    subscription.dispose()
    expectEqual(entries.count, 6)
  }

  /// Work that has ended leaves the scope to its successor, which may be subscribed to by its handler.
  @Test func theHandlerOfAnEndSubscribesToTheNext() {
    let events = Guarded<[Event<Int, Never>]>([])
    let work = { (number: Int) in
      Signal<Int, Never> { observer in
        observer.complete(with: number)
        return nil
      }
    }
    let signals = [work(1), .just(2), work(3).map { $0 }]
    @Sendable func subscribe(_ index: Int) {
      signals[index].subscribe(in: scope) { event in
        events.withLock { $0.append(event) }
        if event.isTerminal, index < 2 { subscribe(index + 1) }
      }
    }
    subscribe(0)
    expectEqual(
      events.withLock { $0 }, [.value(1), .completed, .value(2), .completed, .value(3), .completed])
    expect(!scope.isDisposed)
  }

  /// The handler disposes the scope while the work starts.
  @Test(arguments: [false, true]) func theHandlerDisposesTheScope(_ isStage: Bool) {
    let work = Signal<Int, Never> { observer in
      for number in 0..<5 { observer.send(number) }
      return nil
    }
    let values = Guarded<[Int]>([])
    (isStage ? work.map { $0 } : work).subscribe(in: scope) { [scope] event in
      if let value = event.value { values.withLock { $0.append(value) } }
      scope.dispose()
    }
    expectEqual(values.withLock { $0 }, [0])
  }
}
