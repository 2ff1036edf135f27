import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// One object sees what `on` sees, in the same order, and may replace values and failures.
struct WatchedStageTests {
  private final class Watcher: StageWatcher {
    let log: Log<String>

    init(_ log: Log<String>) { self.log = log }

    func start() { log.add("start") }

    /// Leaves negative values unchanged.
    func pass(_ value: Int) -> Int? {
      log.add("value \(value)")
      return value < 0 ? nil : value * 10
    }

    func pass(failure: Fault) -> Fault {
      log.add("failure \(failure)")
      return failure
    }

    func complete() { log.add("completion") }

    func dispose() { log.add("dispose") }
  }

  let source = Source<Int>()
  let log = Log<String>()

  private var watched: Numbers { source.signal.watched(by: Watcher(log)) }

  private func subscribe(_ signal: Numbers) -> Disposable {
    signal.subscribe(
      onValue: { [log] in log.add("got \($0)") }, onFailure: { [log] in log.add("got \($0)") },
      onCompletion: { [log] in log.add("got completed") })
  }

  @Test func aCompletionIsSeenInOrder() {
    let handle = subscribe(watched)
    source.send(1)
    source.complete()
    handle.dispose()
    expectEqual(log.entries, ["start", "value 1", "got 10", "completion", "got completed"])
  }

  @Test func aFailureIsSeenInOrder() {
    let handle = subscribe(watched)
    source.fail()
    handle.dispose()
    expectEqual(log.entries, ["start", "failure broken", "got broken"])
  }

  /// Another thread may continue with the last value at once.
  @Test func aFusedEndingIsReportedBeforeItIsDelivered() {
    _ = subscribe(watched)
    source.complete(with: 1)
    expectEqual(log.entries, ["start", "value 1", "completion", "got 10", "got completed"])
  }

  @Test func aValueThatIsNotReplacedIsDelivered() {
    _ = subscribe(watched)
    source.send(-1)
    source.complete(with: -2)
    expectEqual(log.entries, ["start", "value -1", "got -1", "value -2", "completion", "got -2", "got completed"])
  }

  @Test func aDisposalInTheHandlerOfALastValueIsTooLate() {
    let handle = Later<Disposable>()
    handle.value = watched.subscribe(onValue: { _ in handle.value?.dispose() }, onFailure: { _ in })
    source.complete(with: 1)
    expectEqual(log.entries, ["start", "value 1", "completion"])
  }

  @Test func aDisposalIsSeenOnceAndStopsTheSource() {
    let handle = subscribe(watched)
    source.send(1)
    handle.dispose()
    handle.dispose()
    source.complete()
    expectEqual(log.entries, ["start", "value 1", "got 10", "dispose"])
    expectEqual(source.teardownCount, 1)
  }

  @Test func aStageDownstreamDisposesBeforeItsLastValue() {
    _ = subscribe(watched.take(1))
    source.send(1)
    expectEqual(log.entries, ["start", "value 1", "dispose", "got 10", "got completed"])
  }

  /// The handler of the end may subscribe again, and what the first subscription holds must not outlive it.
  @Test func theSourceIsTornDownBeforeTheEndIsDelivered() {
    let observer = Later<Observer<Int, Fault>>()
    let signal = Numbers { [log] in
      observer.value = $0
      return Disposable { log.add("teardown") }
    }
    _ = subscribe(signal.watched(by: Watcher(log)))
    observer.value?.complete()
    expectEqual(log.entries, ["start", "teardown", "completion", "got completed"])
  }

  @Test func aDroppedSourceEndsSilently() {
    let handle = Numbers { _ in nil }.watched(by: Watcher(log)).subscribe { _ in }
    expectEqual(log.entries, ["start"])
    handle.dispose()
    expectEqual(log.entries, ["start", "dispose"])
  }
}
