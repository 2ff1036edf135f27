import Foundation
import HeliographTesting
import Signals
import Synchronization
import Testing

extension AllStressTests {
  /// Back-pressure: a source that pauses at the high-water mark on one thread, consumers and disposals on the others.
  @Suite(.serialized) struct PressureStressTests {
    @Test func schedulers() async {
      let total = stressCount / 2
      let seed = UInt64.random(in: 0 ... .max)
      let log = Log()
      let asked = Atomic<Int>(0)
      await Crew.lead { crew in
        var random = SplitMix(state: seed)
        for index in 0..<total where log.isEmpty {
          let round = PressureRound(index, &random, log)
          crew.run { round.run($0) }
          round.check()
          asked.add(round.asker.askedCount, ordering: .relaxed)
        }
      }
      print("stress pressure: \(total) rounds, \(asked.load(ordering: .relaxed)) pauses")
      #expect(log.isEmpty, "seed \(seed): \(log.text)")
      #expect(asked.load(ordering: .relaxed) > total)
    }

    /// `whenLow` races with the delivery that reaches the low-water mark; the next delivery waits for the callback.
    @Test func questions() async {
      let log = Log()
      let total = stressCount / 2
      await Crew.lead { crew in
        for index in 0..<total where log.isEmpty {
          let round = QuestionRound(Probe("question #\(index)", log, isOrdered: true), jitter: index % 60)
          crew.run { round.run(($0 + index) % 3) }
          round.dispose()
        }
      }
      #expect(log.isEmpty, "\(log.text)")
    }

    @Test func loops() async {
      let total = stressCount / 20
      let log = Log()
      var random = SplitMix(state: UInt64.random(in: 0 ... .max))
      for index in 0..<total where log.isEmpty {
        let (count, limit) = (24 + random.below(60), random.below(2) == 0 ? Int.max : 1 + random.below(50))
        let asker = Asker(count, Probe("loop #\(index), \(count) values", log, isOrdered: true))
        var received = 0
        do throws(Oops) {
          for try await value in asker.startingSignal.values {
            asker.receive(value)
            received += 1
            if received == limit { break }
          }
        } catch {}
        asker.probe.check(received == min(count, limit), "got \(received) of \(min(count, limit))")
        asker.probe.check(Crew.spin { asker.isDone }, "the source is not resumed")
      }
      #expect(log.isEmpty, "\(log.text)")
    }
  }
}

/// Sends numbers on a thread of its own, which pauses at the high-water mark.
private final class Asker: Sendable {
  let count: Int
  let probe: Probe
  private let observer = Guarded<Observer<Int, Oops>?>(nil)
  private let sent = Atomic<Int>(0)
  private let asked = Atomic<Int>(0)
  private let told = Atomic<Int>(0)
  private let done = Atomic<Bool>(false)

  init(_ count: Int, _ probe: Probe) {
    self.count = count
    self.probe = probe
  }

  var isDone: Bool { done.load(ordering: .acquiring) }
  var askedCount: Int { asked.load(ordering: .relaxed) }

  var signal: Signal<Int, Oops> {
    Signal { observer in
      self.observer.withLock { $0 = observer }
      return nil
    }
  }

  /// The signal, whose subscription also starts the thread.
  var startingSignal: Signal<Int, Oops> { signal.on(start: { Thread.detachNewThread { self.run() } }) }

  func run() {
    Crew.spin { observer.withLock { $0 != nil } }
    defer { done.store(true, ordering: .releasing) }
    guard let observer = observer.withLock({ $0 }), let pressure = observer.pressure else {
      return probe.check(false, "no pressure")
    }
    for number in 0..<count {
      if observer.isDisposed { break }
      sent.store(number + 1, ordering: .releasing)
      observer.send(number)
      guard pressure.isHigh else { continue }
      let call = asked.add(1, ordering: .relaxed).newValue
      pressure.whenLow { self.told.add(1, ordering: .releasing) }
      guard Crew.spin(until: { told.load(ordering: .acquiring) == call }) else {
        return probe.check(false, "not resumed at \(number)")
      }
    }
    observer.complete()
  }

  func receive(_ value: Int, isDisposed: () -> Bool = { false }) {
    probe.next(value)
    let ahead = sent.load(ordering: .acquiring) - value
    // In a loop the value has been taken from the buffer already. Values after a disposal are dropped.
    probe.check(ahead <= Pressure.highCount + 1 || isDisposed(), "\(ahead) ahead, at \(value)")
  }

  func check() {
    probe.check(told.load(ordering: .relaxed) == askedCount, "told \(told.load(ordering: .relaxed)) times")
  }
}

/// One subscription over one or two schedulers, each moved by a thread of its own.
private final class PressureRound: Sendable {
  let asker: Asker
  private let clocks = [VirtualScheduler(), VirtualScheduler()]
  private let turn: Int
  private let handle = Guarded<Disposable?>(nil)
  /// Where it is disposed: by the handler at a value, or elsewhere after some turns.
  private let lastValue: Int?
  private let lastTurn: Int?

  init(_ index: Int, _ random: inout SplitMix, _ log: Log) {
    let (count, ending, isDouble) = (24 + random.below(60), random.below(3), random.below(2) == 0)
    turn = random.below(3)
    lastValue = ending == 1 ? random.below(count) : nil
    lastTurn = ending == 2 ? random.below(40) : nil
    let name = "pressure #\(index), \(count) values, \(isDouble ? "two" : "one"), ending \(ending)"
    let asker = Asker(count, Probe(name, log, isOrdered: true))
    self.asker = asker
    var signal = asker.signal.map { $0 }.observe(on: clocks[0])
    if isDouble { signal = signal.flatMap { .just($0) }.observe(on: clocks[1]) }
    let handle = signal.subscribe { [weak self] event in
      guard case .value(let value) = event else { return asker.probe.end() }
      asker.receive(value) { self?.isDisposed ?? true }
      if value == self?.lastValue { self?.dispose() }
    }
    self.handle.withLock { $0 = handle }
  }

  private var isDisposed: Bool { handle.withLock { $0?.isDisposed ?? true } }

  private func dispose() { handle.withLock { $0 }?.dispose() }

  private var isTerminated: Bool { asker.isDone && isDisposed }

  func run(_ lane: Int) {
    let part = (lane + turn) % 3
    guard part > 0 else { return asker.run() }
    var turns = 0
    let isFinished = Crew.spin {
      clocks[part - 1].advance()
      turns += 1
      if part == 2, turns - 1 == lastTurn { dispose() }
      return isTerminated
    }
    asker.probe.check(isFinished, "hangs")
  }

  func check() {
    asker.check()
    if lastValue == nil && lastTurn == nil {
      let count = asker.probe.valueCount
      asker.probe.check(count == asker.count, "\(count) values")
      asker.probe.check(asker.probe.isFinished, "did not end")
    }
  }
}

/// One value above the low-water mark, one delivery that does not wait, and one `whenLow`.
private final class QuestionRound: Sendable {
  private let clock = VirtualScheduler()
  private let probe: Probe
  private let pressure = Guarded<Pressure?>(nil)
  private let handle = Guarded<Disposable?>(nil)
  private let isNear = Atomic<Bool>(false)
  private let isTold = Atomic<Bool>(false)
  private let jitter: Int

  init(_ probe: Probe, jitter: Int) {
    self.probe = probe
    self.jitter = jitter
    let signal = Signal<Int, Oops> { observer in
      self.pressure.withLock { $0 = observer.pressure }
      for number in 0...Pressure.lowCount { observer.send(number) }
      return nil
    }
    let handle = signal.observe(on: clock).subscribe(
      onValue: { [weak self] value in
        probe.next(value)
        guard let self else { return }
        if value > 0 {
          probe.check(Crew.spin { self.isTold.load(ordering: .acquiring) }, "the source is not resumed")
        } else {
          // The other thread asks while this delivery is being counted.
          self.isNear.store(true, ordering: .releasing)
        }
      }, onFailure: { _ in })
    self.handle.withLock { $0 = handle }
    // A first question is answered at the latest one delivery later.
    probe.check(pressure.withLock { $0 }?.isHigh == false, "high, or no pressure")
  }

  func run(_ part: Int) {
    switch part {
    case 0:
      let pressure = pressure.withLock { $0 }
      var turns = 0
      while !isNear.load(ordering: .acquiring) {
        turns += 1
        if turns % 256 == 0 { sched_yield() }
      }
      for _ in 0..<jitter { _ = isNear.load(ordering: .acquiring) }
      pressure?.whenLow {
        self.probe.check(!self.isTold.exchange(true, ordering: .acquiringAndReleasing), "told twice")
      }
    case 1: clock.advance()
    default: break
    }
  }

  func dispose() { handle.withLock { $0 }?.dispose() }
}
