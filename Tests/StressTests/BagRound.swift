import Signals

/// Captured by a handler; its deinit uses the bag, as user code may.
private final class Visitor: Sendable {
  private let census: Census
  nonisolated(unsafe) private weak var bag: DisposeBag?

  init(_ census: Census, _ bag: DisposeBag?) {
    self.census = census
    self.bag = bag
    census.arrive()
  }

  deinit {
    bag?.add(Disposable {})
    census.leave()
  }

  func touch() { _ = bag?.isDisposed }
}

/// A bag to which handles are added while it is disposed or deallocated and while their subscriptions end.
final class BagRound: Round {
  enum Ending: CaseIterable {
    case dispose
    case disposeTwice
    case release
    case add
  }

  private let probe: Probe
  private let tap = Tap()
  private let ending: Ending
  private let census = Census()
  private let bags: Guarded<[DisposeBag?]> = Guarded([])
  private let seed: UInt64

  init(_ name: String, _ random: inout SplitMix, _ log: Log) {
    (ending, seed) = (random.pick(), random.next())
    probe = Probe("\(name) (\(ending))", log)
    let bag = DisposeBag()
    bags.withLock { $0 = [bag, bag, bag] }
    // Just below the count at which a bag drops ended handles.
    for _ in 0..<9 { bag.add(Disposable {}) }
    for _ in 0..<5 + random.below(2) { add(to: bag, isStaged: random.oneIn(2)) }
  }

  private func add(to bag: DisposeBag, isStaged: Bool) {
    let visitor = Visitor(census, bag)
    let signal = isStaged ? tap.signal.map { $0 } : tap.signal
    signal.subscribe { [probe] event in
      visitor.touch()
      if case .value(Probe.late) = event { probe.check(false, "a value after the disposal") }
    }
    .disposed(by: bag)
  }

  func run(_ part: Int) {
    guard let bag = bags.withLock({ $0[part] }) else { return }
    var random = SplitMix(state: seed)
    switch part {
    case 0:
      for _ in 0..<3 { add(to: bag, isStaged: random.oneIn(2)) }
    case 1:
      tap.send(1)
      if random.oneIn(2) { tap.input.complete() }
    default:
      switch ending {
      case .dispose: bag.dispose()
      case .disposeTwice: for _ in 0..<2 { bag.dispose() }
      case .release: break
      case .add: for _ in 0..<2 { add(to: bag, isStaged: random.oneIn(2)) }
      }
    }
    if ending == .release { bags.withLock { $0[part] = nil } }
  }

  func check() {
    let bag = bags.withLock { bags in
      defer { bags = [] }
      return bags[0]
    }
    if ending == .add { bag?.dispose() }
    if let bag { probe.check(bag.isDisposed, "the bag is not disposed") }
    tap.send(Probe.late)
    probe.check(census.alive == 0, "\(census.alive) handlers are alive")
    tap.ledger.check(probe)
  }
}
