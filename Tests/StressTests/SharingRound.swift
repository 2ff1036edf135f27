import Signals
import Synchronization

/// A shared signal that two threads join and leave while its source sends.
///
/// At most one upstream runs at a time. Each subscriber gets a part of one sequence, without a gap.
final class SharingRound: Round {
  enum Kind: CaseIterable {
    case share
    case replay
    case lazily
  }

  /// What the third thread does besides joining and leaving.
  enum Interference: CaseIterable {
    case nothing
    case send
    case complete
    case fail
  }

  private let probe: Probe
  private let tap: Tap
  private let kind: Kind
  private let interference: Interference
  private let shared: Signal<Int, Oops>
  private let keeper: Member?
  private let members = Guarded<[Member]>([])
  private let seed: UInt64

  init(_ name: String, _ random: inout SplitMix, _ log: Log) {
    (kind, interference, seed) = (random.pick(), random.pick(), random.next())
    // A source that ends by itself is torn down by its own thread: nobody who leaves meanwhile can wait for that.
    tap = Tap(Ledger(limit: interference == .complete || interference == .fail ? .max : 1))
    let isKept = random.oneIn(2)
    probe = Probe("\(name) (\(kind), \(interference)\(isKept ? ", kept" : ""))", log)
    shared =
      switch kind {
      case .share: tap.signal.share()
      case .replay: tap.signal.share(replay: 2)
      case .lazily: tap.signal.replayLazily()
      }
    keeper = isKept ? Member(shared, probe.another("keeper")) : nil
  }

  func run(_ part: Int) {
    if part == 0 {
      for value in 0..<4 { tap.send(value) }
      return
    }
    var random = SplitMix(state: seed &+ UInt64(part))
    for index in 0..<1 + random.below(3) {
      let member = Member(shared, probe.another("member \(part).\(index)"))
      if random.oneIn(2) { member.leave() }
      members.withLock { $0.append(member) }
    }
    guard part == 2 else { return }
    switch interference {
    case .nothing: break
    case .send: for index in 0..<2 { tap.send(Probe.perSender + index) }
    case .complete: tap.input.complete()
    case .fail: tap.input.fail()
    }
  }

  func check() {
    let members = members.withLock { $0 }
    if let keeper {
      let all = keeper.values
      for member in members { check(member, in: all) }
    } else {
      for member in members { checkSenders(member.values) }
    }
    keeper?.leave()
    for member in members { member.leave() }
    tap.send(Probe.late)
    tap.ledger.check(probe)
  }

  /// With a keeper one upstream has run all the time, so that its sequence contains all others.
  private func check(_ member: Member, in all: [Int]) {
    let values = member.values
    let text = { "\(member.probe.name): \(values) of \(all)" }
    guard let first = values.first else {
      let isRight = member.hasLeft || kind == .share || all.isEmpty
      return probe.check(isRight, "nothing is replayed, \(text())")
    }
    guard let start = all.firstIndex(of: first) else { return probe.check(false, text()) }
    probe.check(values == Array(all[start...].prefix(values.count)), "a gap, \(text())")
    if kind == .lazily { probe.check(start == 0, "not from the start, \(text())") }
    if !member.hasLeft { probe.check(start + values.count == all.count, "not to the end, \(text())") }
  }

  /// Without one the upstream may have been restarted; what one thread sends is still without a gap.
  private func checkSenders(_ values: [Int]) {
    for sender in 0...1 {
      let own = values.filter { $0 / Probe.perSender == sender }
      probe.check(zip(own, own.dropFirst()).allSatisfy { $1 == $0 + 1 }, "a gap, \(values)")
    }
  }
}

/// One subscriber of a shared signal.
final class Member: Sendable {
  let probe: Probe
  private let received: Recording
  private let handle: Disposable
  private let left = Flag()

  init<Failure>(_ signal: Signal<Int, Failure>, _ probe: Probe) {
    let received = Recording()
    (self.probe, self.received) = (probe, received)
    handle = signal.subscribe { event in
      if case .value(let value) = event { received.add(value) }
      probe.take(event)
    }
  }

  var values: [Int] { received.values }
  var hasLeft: Bool { left.isSet }

  func leave() {
    left.set()
    handle.dispose()
  }
}

private final class Recording: Sendable {
  private let list = Guarded<[Int]>([])
  var values: [Int] { list.withLock { $0 } }
  func add(_ value: Int) { list.withLock { $0.append(value) } }
}
