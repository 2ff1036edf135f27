import Signals
import Synchronization

/// A current value that is set by one or two threads while others subscribe.
///
/// The first value of a subscriber is at least as new as the one that it read before it subscribed; then it gets every
/// change.
final class CurrentRound: Round {
  private struct Visit {
    let read: Int
    let member: Member
  }

  private let probe: Probe
  private let current = CurrentValue(-1)
  private let hasTwoSenders: Bool
  private let visits = Guarded<[Visit]>([])
  private let seed: UInt64
  private let reader = Guarded<Disposable?>(nil)

  init(_ name: String, _ random: inout SplitMix, _ log: Log) {
    let isReentrant = random.oneIn(4)
    (seed, hasTwoSenders) = (random.next(), random.oneIn(3))
    probe = Probe("\(name) (\(hasTwoSenders ? "two senders" : "one sender")\(isReentrant ? ", re-entrant" : ""))", log)
    guard isReentrant else { return }
    // Subscribes in a handler, during a delivery.
    let handle = current.signal.subscribe(onValue: { [weak self] value in if value == 2 { self?.visit() } })
    reader.withLock { $0 = handle }
  }

  private func visit() {
    let read = current.value
    let member = Member(current.signal.filter { $0 >= 0 }, probe.another("member", isOrdered: true))
    visits.withLock { $0.append(Visit(read: read, member: member)) }
  }

  private func send(_ sender: Int) { for index in 0..<4 { current.send(sender * Probe.perSender + index) } }

  func run(_ part: Int) {
    switch part {
    case 0: send(0)
    case 1 where hasTwoSenders: send(1)
    default:
      var random = SplitMix(state: seed &+ UInt64(part))
      for _ in 0..<1 + random.below(2) { visit() }
    }
  }

  func check() {
    let last = current.value
    for visit in visits.withLock({ $0 }) {
      let values = visit.member.values
      check(values, since: visit.read)
      probe.check(values.last == last, "\(values) does not end with \(last)")
      visit.member.leave()
    }
    reader.withLock { $0.take() }?.dispose()
  }

  private func check(_ values: [Int], since read: Int) {
    guard let first = values.first else { return probe.check(false, "no value") }
    if read >= 0 && read / Probe.perSender == first / Probe.perSender {
      probe.check(first >= read, "\(first) first, although \(read) was read before")
    }
    for sender in 0...1 {
      let own = values.filter { $0 / Probe.perSender == sender }
      probe.check(zip(own, own.dropFirst()).allSatisfy { $1 == $0 + 1 }, "a gap, \(values)")
    }
  }
}
