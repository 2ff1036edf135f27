import Foundation
import Signals
import Synchronization

/// A failure; a number tells several apart.
struct Oops: Error, Hashable {
  var number = 0
}

/// The violations of a run, from any thread.
final class Log: Sendable {
  private let lines = Guarded<[String]>([])
  private let count = Atomic<Int>(0)

  func add(_ line: @autoclosure () -> String) {
    guard count.add(1, ordering: .relaxed).newValue <= 5 else { return }
    let line = line()
    lines.withLock { $0.append(line) }
  }

  var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  var text: String { lines.withLock { $0.joined(separator: "\n") } }
}

/// Watches the deliveries of one subscription, with atomics alone, so that it adds as little order between the threads
/// as possible.
final class Probe: Sendable {
  /// A value that is sent when nothing may be delivered any more.
  static let late = -1
  static let perSender = 1_000_000

  let name: String
  private let log: Log
  private let isOrdered: Bool
  private let count = Atomic<Int>(0)
  private let terminals = Atomic<Int>(0)
  private let hasFinished = Atomic<Bool>(false)
  private let inFlight = Atomic<Int>(0)
  private let last0 = Atomic<Int>(-1)
  private let last1 = Atomic<Int>(-1)

  init(_ name: String, _ log: Log, isOrdered: Bool = true) {
    self.name = name
    self.log = log
    self.isOrdered = isOrdered
  }

  /// Another probe of the same interleaving.
  func another(_ suffix: String, isOrdered: Bool = true) -> Probe {
    Probe("\(name) \(suffix)", log, isOrdered: isOrdered)
  }

  var valueCount: Int { count.load(ordering: .relaxed) }
  var terminalCount: Int { terminals.load(ordering: .relaxed) }
  var isFinished: Bool { hasFinished.load(ordering: .acquiring) }

  func take<Failure>(_ event: Event<Int, Failure>) {
    switch event {
    case .value(let value): next(value)
    case .failed, .completed: end()
    }
  }

  func next(_ value: Int) {
    enter()
    if value == Probe.late {
      log.add("\(name): delivered a value that was sent after the end")
    } else if isOrdered {
      let (sender, index) = value.quotientAndRemainder(dividingBy: Probe.perSender)
      let before = sender == 0 ? last0.exchange(index, ordering: .relaxed) : last1.exchange(index, ordering: .relaxed)
      if before >= index { log.add("\(name): \(index) of sender \(sender) came after its \(before)") }
    }
    // Lets the other threads run during this delivery, also on one processor.
    if count.add(1, ordering: .relaxed).newValue % 2 == 1 { sched_yield() }
    leave()
  }

  /// A delivery without a number, which does not give way to the other threads.
  func pass() {
    enter()
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

  func check(_ condition: Bool, _ violation: @autoclosure () -> String) {
    if !condition { log.add("\(name): \(violation())") }
  }

  /// Waits for a condition; after the first violation of the run only briefly.
  func eventually(_ condition: @autoclosure () -> Bool, _ violation: @autoclosure () -> String) {
    check(Crew.spin(limit: log.isEmpty ? .seconds(30) : .milliseconds(200), until: condition), violation())
  }
}
