import Foundation
import Signals
import Synchronization

struct Oops: Error, Hashable {}

/// The violations of a run, wherever they happen.
final class Log: Sendable {
  private let lines = Guarded<[String]>([])
  let count = Atomic<Int>(0)

  func add(_ line: @autoclosure () -> String) {
    guard count.add(1, ordering: .relaxed).newValue <= 5 else { return }
    let line = line()
    lines.withLock { $0.append(line) }
  }

  var text: String { lines.withLock { $0.joined(separator: "\n") } }
}

/// Watches the deliveries of one subscription, by atomics alone, so that it does not itself order the threads more than
/// it must.
final class Probe: Sendable {
  /// A value that is sent when nothing may be delivered any more.
  static let late = -1
  static let perSender = 1_000_000

  let name: String
  let log: Log
  let isOrdered: Bool
  let count = Atomic<Int>(0)
  let terminals = Atomic<Int>(0)
  let hasFinished = Atomic<Bool>(false)
  private let inFlight = Atomic<Int>(0)
  private let last0 = Atomic<Int>(-1)
  private let last1 = Atomic<Int>(-1)

  init(_ name: String, _ log: Log, isOrdered: Bool) {
    self.name = name
    self.log = log
    self.isOrdered = isOrdered
  }

  func take(_ event: Event<Int, Oops>) {
    switch event {
    case .value(let value): next(value)
    case .failed, .completed: end()
    }
  }

  func next(_ value: Int) {
    enter()
    if value == Probe.late {
      log.add("\(name): delivered what was sent after the end")
    } else if isOrdered {
      let (sender, index) = value.quotientAndRemainder(dividingBy: Probe.perSender)
      let before = sender == 0 ? last0.exchange(index, ordering: .relaxed) : last1.exchange(index, ordering: .relaxed)
      if before >= index { log.add("\(name): \(index) of sender \(sender) came after its \(before)") }
    }
    // Lets the others run while this delivery is under way, also on one processor.
    if count.add(1, ordering: .relaxed).newValue % 2 == 1 { sched_yield() }
    leave()
  }

  func end() {
    enter()
    if terminals.add(1, ordering: .relaxed).newValue > 1 { log.add("\(name): a second terminal event") }
    leave()
    hasFinished.store(true, ordering: .releasing)
  }

  private func enter() {
    if inFlight.add(1, ordering: .relaxed).newValue > 1 { log.add("\(name): two deliveries at once") }
    if hasFinished.load(ordering: .relaxed) { log.add("\(name): an event after the end") }
  }

  private func leave() { inFlight.subtract(1, ordering: .relaxed) }

  func check(_ condition: Bool, _ what: @autoclosure () -> String) {
    if !condition { log.add("\(name): \(what())") }
  }
}

/// A source that the threads feed; it counts how often it was started and torn down.
final class Tap: Sendable {
  private let observers = Guarded<[Observer<Int, Oops>]>([])
  let starts = Atomic<Int>(0)
  let teardowns = Atomic<Int>(0)

  /// Calls all, also those that are over, which must stay silent, and those that come of it.
  private func each(_ body: (Observer<Int, Oops>) -> Void) {
    var position = 0
    while let observer = observers.withLock({ position < $0.count ? $0[position] : nil }) {
      body(observer)
      position += 1
    }
  }

  var balance: String {
    "\(starts.load(ordering: .relaxed)) starts, \(teardowns.load(ordering: .relaxed)) teardowns"
  }

  var signal: Signal<Int, Oops> {
    Signal { observer in
      self.starts.add(1, ordering: .relaxed)
      self.observers.withLock { $0.append(observer) }
      return Disposable { self.teardowns.add(1, ordering: .relaxed) }
    }
  }

  var input: Input {
    Input(
      send: { value in for observer in self.observers.withLock({ $0 }) { observer.send(value) } },
      complete: { self.each { $0.complete() } },
      fail: { self.each { $0.fail(Oops()) } })
  }
}

struct Input: Sendable {
  var send: @Sendable (Int) -> Void
  var complete: @Sendable () -> Void
  var fail: @Sendable () -> Void
}

/// What is under stress: how to subscribe to it and how to feed it.
struct Rig: Sendable {
  /// One for each of the two sending threads; they may be the same.
  var inputs: [Input]
  var taps: [Tap] = []
  var isOrdered = true
  /// How many values a subscription that nobody cuts short gets, if that is certain.
  var expected: (@Sendable (_ first: Int, _ second: Int) -> Int)?
  /// Whether completing the inputs ends it.
  var completes = true
  /// Something else to race with.
  var extra: (@Sendable () -> Void)?
  /// Whether a disposal takes effect only when the subscription notices, as with a task.
  var finishesLater = false
  var start: @Sendable (Probe) -> Disposable

  init(_ signal: Signal<Int, Oops>, _ inputs: [Input], _ taps: [Tap] = []) {
    self.inputs = inputs.count == 1 ? inputs + inputs : inputs
    self.taps = taps
    start = { probe in signal.subscribe { probe.take($0) } }
  }

  /// One source that both threads feed.
  static func one(
    expecting expected: (@Sendable (Int, Int) -> Int)? = { $0 + $1 },
    _ build: (Signal<Int, Oops>) -> Signal<Int, Oops>
  ) -> Rig {
    let tap = Tap()
    var rig = Rig(build(tap.signal), [tap.input], [tap])
    rig.expected = expected
    return rig
  }

  /// Two sources, each fed by a thread of its own.
  static func two(
    expecting expected: (@Sendable (Int, Int) -> Int)? = nil, isOrdered: Bool = true,
    _ build: (Signal<Int, Oops>, Signal<Int, Oops>) -> Signal<Int, Oops>
  ) -> Rig {
    let (left, right) = (Tap(), Tap())
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
