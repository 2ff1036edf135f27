import Signals

/// A lifetime that all three threads own: they subscribe for its length, dispose and release it.
final class LifetimeRound: Round {
  private let probe: Probe
  private let tap = Tap()
  private let owners: Guarded<[Lifetime]>
  private let probes = Guarded<[Probe]>([])
  private let script: UInt64

  init(_ name: String, _ random: inout SplitMix, _ log: Log) {
    script = random.next()
    probe = Probe("\(name) lifetime", log)
    let lifetime = Lifetime()
    owners = Guarded([lifetime, lifetime, lifetime])
  }

  func run(_ part: Int) {
    guard let lifetime = owners.withLock({ $0.popLast() }) else { return }
    var random = SplitMix(state: script &+ UInt64(part))
    for index in 0..<random.below(4) {
      let isBound = random.oneIn(2)
      let probe = probe.another(isBound ? "bound" : "during")
      let signal = isBound ? tap.signal.bound(to: lifetime) : tap.signal.take(during: lifetime)
      let handle = signal.subscribe { probe.take($0) }
      if random.oneIn(3) { handle.dispose() } else if !isBound { probes.withLock { $0.append(probe) } }
      if part == 0 { tap.send(index) }
    }
  }

  func check() {
    for probe in probes.withLock({ $0 }) { probe.check(probe.terminalCount == 1, "\(probe.terminalCount) endings") }
    probe.check(tap.ledger.isBalanced, "after the lifetime: \(tap.ledger.text)")
    tap.send(Probe.late)
    tap.input.complete()
    tap.ledger.check(probe)
  }
}
