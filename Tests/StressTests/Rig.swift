import Foundation
import Signals
import Synchronization

/// Counts starts and teardowns of one source or of several.
final class Ledger: Sendable {
  let starts = Atomic<Int>(0)
  let teardowns = Atomic<Int>(0)
  private let live = Atomic<Int>(0)
  private let limit: Int
  private let isExceeded = Atomic<Bool>(false)

  /// - Parameter limit: how many may be started and not torn down at the same moment.
  init(limit: Int = .max) {
    self.limit = limit
  }

  func start() {
    starts.add(1, ordering: .acquiringAndReleasing)
    if live.add(1, ordering: .relaxed).newValue > limit { isExceeded.store(true, ordering: .relaxed) }
  }

  func tearDown() {
    // A teardown takes its time: long enough for another thread to start the next source too early.
    if limit < .max { sched_yield() }
    live.subtract(1, ordering: .relaxed)
    teardowns.add(1, ordering: .acquiringAndReleasing)
  }

  var isBalanced: Bool { starts.load(ordering: .acquiring) == teardowns.load(ordering: .acquiring) }

  var text: String { "\(starts.load(ordering: .relaxed)) starts, \(teardowns.load(ordering: .relaxed)) teardowns" }

  /// Waits until each start has its teardown, and checks the limit.
  func check(_ probe: Probe) {
    probe.eventually(isBalanced, text)
    probe.check(!isExceeded.load(ordering: .relaxed), "more than \(limit) sources at once")
  }
}

/// A source that the threads feed.
final class Tap: Sendable {
  private struct State {
    var observers: [Observer<Int, Oops>] = []
    var isAbandoned = false
  }

  let ledger: Ledger
  private let state = Guarded(State())

  init(_ ledger: Ledger = Ledger()) {
    self.ledger = ledger
  }

  /// Calls all observers, also the disposed ones, which must stay silent, and those that are added by it.
  private func each(_ body: (Observer<Int, Oops>) -> Void) {
    var position = 0
    while let observer = state.withLock({ position < $0.observers.count ? $0.observers[position] : nil }) {
      body(observer)
      position += 1
    }
  }

  var signal: Signal<Int, Oops> {
    source { observer in self.state.withLock { if !$0.isAbandoned { $0.observers.append(observer) } } }
  }

  /// Another source that is counted here.
  func source(_ work: @escaping @Sendable (Observer<Int, Oops>) -> Void) -> Signal<Int, Oops> {
    Signal { [ledger] observer in
      ledger.start()
      work(observer)
      return Disposable { ledger.tearDown() }
    }
  }

  func send(_ value: Int) { for observer in state.withLock({ $0.observers }) { observer.send(value) } }

  /// Sends a last value fused with the completion.
  func complete(with value: Int) { each { $0.complete(with: value) } }

  var input: Input {
    Input(
      send: { self.send($0) }, complete: { self.each { $0.complete() } },
      fail: { self.each { $0.fail(Oops()) } })
  }

  /// Drops all observers without an event, now and later.
  func abandon() {
    let dropped = state.withLock { state in
      state.isAbandoned = true
      let dropped = state.observers
      state.observers = []
      return dropped
    }
    withExtendedLifetime(dropped) {}
  }
}

struct Input: Sendable {
  var send: @Sendable (Int) -> Void
  var complete: @Sendable () -> Void
  var fail: @Sendable () -> Void
}

/// A signal under stress: how to subscribe to it and how to feed it.
struct Rig: Sendable {
  /// One for each of the two sending threads; they may be the same.
  var inputs: [Input]
  var taps: [Tap] = []
  var isOrdered = true
  /// How many values a subscription gets that nobody ends early, if that is certain.
  var expected: (@Sendable (_ first: Int, _ second: Int) -> Int)?
  /// Whether completing the inputs ends it.
  var completes = true
  /// Something else to race with.
  var extra: (@Sendable () -> Void)?
  /// Whether the source starts on another thread.
  var startsLater = false
  /// Whether a disposal takes effect only when the subscription notices, as with a task.
  var finishesLater = false
  /// Further checks at the end.
  var finally: (@Sendable (Probe) -> Void)?
  var start: @Sendable (Probe) -> Disposable

  init(_ signal: Signal<Int, Oops>, _ inputs: [Input], _ taps: [Tap] = []) {
    self.inputs = inputs.count == 1 ? inputs + inputs : inputs
    self.taps = taps
    start = { probe in signal.subscribe { probe.take($0) } }
  }

  /// One source that both threads feed.
  static func one(
    expecting expected: (@Sendable (Int, Int) -> Int)? = { $0 + $1 }, limit: Int = .max,
    _ build: (Signal<Int, Oops>) -> Signal<Int, Oops>
  ) -> Rig {
    let tap = Tap(Ledger(limit: limit))
    var rig = Rig(build(tap.signal), [tap.input], [tap])
    rig.expected = expected
    return rig
  }

  /// Two sources, each fed by a thread of its own, of which `limit` may run at once.
  static func two(
    expecting expected: (@Sendable (Int, Int) -> Int)? = nil, isOrdered: Bool = true, limit: Int = .max,
    _ build: (Signal<Int, Oops>, Signal<Int, Oops>) -> Signal<Int, Oops>
  ) -> Rig {
    let ledger = Ledger(limit: limit)
    let (left, right) = (Tap(ledger), Tap(ledger))
    var rig = Rig(build(left.signal, right.signal), [left.input, right.input], [left, right])
    rig.expected = expected
    rig.isOrdered = isOrdered
    return rig
  }
}

extension Signal where Failure == Never {
  /// The same, for a rig.
  var orOops: Signal<Value, Oops> { mapError { never -> Oops in never } }
}
