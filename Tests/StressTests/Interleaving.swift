import Foundation
import Signals
import Synchronization
import Testing

/// One subscription, and what three threads do to it at once.
final class Interleaving: Sendable {
  /// What the third thread does while the other two send.
  enum Ending: Int, CaseIterable {
    /// Nothing, so that everything must arrive.
    case afterwards
    case dispose
    case disposeTwice
    case complete
    case completeBoth
    case fail
    case extra
    case subscribe
    case subscribeAndDispose
  }

  private let rig: Rig
  private let ending: Ending
  private let counts: [Int]
  private let turn: Int
  private let probe: Probe
  private let arrived = Atomic<Int>(0)
  private let handle = Guarded<Disposable?>(nil)

  init(_ name: String, _ index: Int, _ rig: Rig, _ random: inout SplitMix, _ log: Log) {
    self.rig = rig
    var ending = Ending.allCases[random.below(Ending.allCases.count)]
    if ending == .extra && rig.extra == nil { ending = .dispose }
    self.ending = ending
    counts = [1 + random.below(3), 1 + random.below(3)]
    turn = random.below(3)
    probe = Probe("\(name) #\(index) (\(ending))", log, isOrdered: rig.isOrdered)
    if ending != .subscribe && ending != .subscribeAndDispose { subscribe() }
  }

  private func subscribe() {
    let handle = rig.start(probe)
    self.handle.withLock { $0 = handle }
  }

  private func dispose() { handle.withLock { $0 }?.dispose() }

  /// A task subscribes when it gets round to it.
  func awaitStart() {
    guard rig.finishesLater, handle.withLock({ $0 }) != nil, let tap = rig.taps.first else { return }
    probe.check(Crew.spin { tap.starts.load(ordering: .acquiring) > 0 }, "never started")
  }

  /// Lets the three threads meet here, if they are near: one that is not running is not waited for.
  func meet() {
    arrived.add(1, ordering: .relaxed)
    for _ in 0..<8 where arrived.load(ordering: .relaxed) < 3 { sched_yield() }
  }

  func run(_ lane: Int) {
    // So that each thread gets each part.
    let part = (lane + turn) % 3
    guard part == 2 else {
      for index in 0..<counts[part] { rig.inputs[part].send(part * Probe.perSender + index) }
      return
    }
    switch ending {
    case .afterwards: break
    case .dispose: dispose()
    case .disposeTwice: for _ in 0..<2 { dispose() }
    case .complete: rig.inputs[0].complete()
    case .completeBoth: for input in rig.inputs { input.complete() }
    case .fail: rig.inputs[1].fail()
    case .extra: rig.extra?()
    case .subscribe: subscribe()
    case .subscribeAndDispose:
      subscribe()
      dispose()
    }
  }

  /// When the threads have met again.
  func check() {
    if ending == .afterwards { checkNothingIsLost() }
    dispose()
    dispose()
    if rig.finishesLater { probe.check(Crew.spin { probe.hasFinished.load(ordering: .acquiring) }, "the task hangs") }
    for input in rig.inputs {
      input.send(Probe.late)
      input.complete()
      input.fail()
    }
    for tap in rig.taps {
      // A start that is under way on a scheduler's thread is torn down there.
      let isEven = Crew.spin { tap.starts.load(ordering: .acquiring) == tap.teardowns.load(ordering: .acquiring) }
      probe.check(isEven, tap.balance)
    }
  }

  private func checkNothingIsLost() {
    guard rig.completes else { return }
    for input in rig.inputs { input.complete() }
    probe.check(Crew.spin { probe.hasFinished.load(ordering: .acquiring) }, "did not end")
    guard let expected = rig.expected?(counts[0], counts[1]) else { return }
    let count = probe.count.load(ordering: .relaxed)
    probe.check(count == expected, "\(count) values of \(expected), sent \(counts)")
  }
}

/// How many interleavings of a family the environment asks for.
let stressCount = ProcessInfo.processInfo.environment["HELIOGRAPH_STRESS"].flatMap { Int($0) } ?? 2_000

/// Runs as many interleavings of a family as that.
func stress(_ family: String, _ variants: [(name: String, make: @Sendable () -> Rig)]) async {
  let total = stressCount
  let seed = UInt64.random(in: 0 ... .max)
  let log = Log()
  let start = ContinuousClock.now
  await Crew.lead { crew in
    var random = SplitMix(state: seed)
    var batch: [Interleaving] = []
    var index = 0
    while log.count.load(ordering: .relaxed) == 0 {
      let (before, next) = (batch, index..<min(index + 64, total))
      let made = Guarded<[Interleaving]>([])
      // What one thread looks back at and prepares is nobody else's.
      crew.run { lane in
        for position in before.indices where position % 3 == lane { before[position].check() }
        for index in next where index % 3 == lane {
          var random = SplitMix(state: seed &+ UInt64(index) &* 0x2545_F491_4F6C_DD1D)
          let variant = variants[random.below(variants.count)]
          let one = Interleaving("\(family).\(variant.name)", index, variant.make(), &random, log)
          one.awaitStart()
          made.withLock { $0.append(one) }
        }
      }
      batch = made.withLock { $0 }
      if batch.isEmpty { break }
      let ready = batch
      // Some batches in step, where the threads meet at each one; some apart, where one comes long after the other.
      let stride = random.below(4) == 0 ? 1 + random.below(21) : 0
      crew.run { lane in
        for position in ready.indices {
          let one = ready[(position + lane * stride) % ready.count]
          if stride == 0 { one.meet() }
          one.run(lane)
        }
      }
      index += ready.count
    }
  }
  let seconds = (ContinuousClock.now - start) / .seconds(1)
  print("stress \(family): \(total) interleavings in \(Int(seconds * 1_000)) ms, \(Int(Double(total) / seconds)) per s")
  #expect(log.count.load(ordering: .relaxed) == 0, "seed \(seed): \(log.text)")
}
