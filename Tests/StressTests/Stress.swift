import Foundation
import Signals
import Synchronization
import Testing

/// All families, one at a time: each needs both processors.
@Suite(.serialized) struct AllStressTests {}

/// One interleaving: three threads run their parts at once, then the result is checked.
protocol Round: AnyObject, Sendable {
  /// Runs the part 0, 1 or 2. It must not wait for another part: the threads may reach a round far apart.
  func run(_ part: Int)
  /// Checks the result after all parts have returned.
  func check()
}

/// Interleavings per family, 400, times `HELIOGRAPH_SCALE`.
let stressCount = 400 * (ProcessInfo.processInfo.environment["HELIOGRAPH_SCALE"].flatMap { Int($0) } ?? 1)

private let interleavingsSoFar = Atomic<Int>(0)

/// Runs ``stressCount`` interleavings of a family.
///
/// - Parameters:
///   - family: names it in the output.
///   - make: makes one, with its name, its random numbers and the log of violations.
func stressRounds(_ family: String, make: @escaping @Sendable (String, inout SplitMix, Log) -> any Round) async {
  let total = stressCount
  let seed = UInt64.random(in: 0 ... .max)
  let log = Log()
  let done = Atomic<Int>(0)
  let start = ContinuousClock.now
  await Crew.lead { crew in
    var random = SplitMix(state: seed)
    var batch: [Entry] = []
    var index = 0
    while log.isEmpty {
      let (before, next) = (batch, index..<min(index + 64, total))
      let made = Guarded<[Entry]>([])
      // One thread alone prepares and checks a round.
      crew.run { lane in
        for position in before.indices where position % 3 == lane { before[position].round.check() }
        for index in next where index % 3 == lane {
          var random = SplitMix(state: seed &+ UInt64(index) &* 0x2545_F491_4F6C_DD1D)
          let turn = random.below(3)
          let entry = Entry(make("\(family) #\(index)", &random, log), turn)
          made.withLock { $0.append(entry) }
        }
      }
      batch = made.withLock { $0 }
      if batch.isEmpty { break }
      let ready = batch
      // Some batches in step, where the threads meet at each round; some apart, where one comes long after the other.
      let stride = random.below(4) == 0 ? 1 + random.below(21) : 0
      crew.run { lane in
        for position in ready.indices { ready[(position + lane * stride) % ready.count].run(lane, inStep: stride == 0) }
      }
      index += ready.count
      done.store(index, ordering: .relaxed)
    }
  }
  let seconds = (ContinuousClock.now - start) / .seconds(1)
  let count = done.load(ordering: .relaxed)
  let sum = interleavingsSoFar.add(count, ordering: .relaxed).newValue
  print("stress \(family): \(count) interleavings in \(Int(seconds * 1_000)) ms, \(sum) in all families so far")
  #expect(log.isEmpty, "seed \(seed): \(log.text)")
}

/// A family of rigs, of which each interleaving uses a random one.
func stress(_ family: String, _ variants: [(name: String, make: @Sendable () -> Rig)]) async {
  await stressSeeded(family, variants.map { variant in (variant.name, { _ in variant.make() }) })
}

/// A family of rigs that depend on a random seed.
func stressSeeded(_ family: String, _ variants: [(name: String, make: @Sendable (UInt64) -> Rig)]) async {
  await stressRounds(
    family,
    make: { name, random, log in
      let variant = variants[random.below(variants.count)]
      let rig = variant.make(random.next())
      let interleaving = Interleaving("\(name) \(variant.name)", rig, &random, log)
      interleaving.awaitStart()
      return interleaving
    })
}

/// A round in a batch.
private final class Entry: Sendable {
  let round: any Round
  private let turn: Int
  private let arrived = Atomic<Int>(0)

  init(_ round: any Round, _ turn: Int) {
    self.round = round
    self.turn = turn
  }

  func run(_ lane: Int, inStep: Bool) {
    if inStep {
      arrived.add(1, ordering: .relaxed)
      // Waits for the other threads if they are near; not for one that is not scheduled.
      for _ in 0..<8 where arrived.load(ordering: .relaxed) < 3 { sched_yield() }
    }
    // Each thread gets each part.
    round.run((lane + turn) % 3)
  }
}
