import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// Nothing is kept longer than needed, though handles are held and producers leak their observers.
struct LifetimeTests {
  /// How a subscription comes to its end.
  enum Ending: CaseIterable {
    case completion
    case fusedCompletion
    case failure
    case disposal
    case disposalInHandler
    case disposalBeforeAnyEvent
  }

  let parts = Parts()
  let source = Source<Token>()

  private func subscribe(_ stage: Stage, disposesItself: Bool) -> Disposable {
    let token = parts.census.token()
    let handle = Later<Disposable>()
    let subscription = stage.apply(source.signal, parts).numbers.subscribe { _ in
      token.use()
      if disposesItself { handle.value?.dispose() }
    }
    handle.value = subscription
    return subscription
  }

  private func feed() {
    for number in 1...3 {
      source.send(parts.census.token(number))
      parts.side.send(parts.census.token(10 + number))
    }
  }

  private func end(_ ending: Ending, _ handle: Disposable) {
    // Several times: retries and replacements subscribe again.
    for _ in 1...4 {
      switch ending {
      case .completion:
        source.complete()
        parts.side.complete()
      case .fusedCompletion:
        source.complete(with: parts.census.token(4))
        parts.side.complete(with: parts.census.token(14))
      case .failure:
        source.fail()
        parts.side.fail()
      case .disposal, .disposalBeforeAnyEvent: handle.dispose()
      case .disposalInHandler: break
      }
      if ending != .disposal && ending != .disposalBeforeAnyEvent { parts.clock.run(limit: 100) }
    }
    if ending == .disposalInHandler { source.complete() }
    if ending == .disposalInHandler { parts.side.complete() }
  }

  @Test(arguments: Stage.all, Ending.allCases)
  func everyOperatorFreesWhatItHolds(stage: Stage, ending: Ending) {
    let handle = subscribe(stage, disposesItself: ending == .disposalInHandler)
    expect(parts.census.alive > 0)
    if ending != .disposalBeforeAnyEvent { feed() }
    end(ending, handle)
    expectEqual(parts.census.alive, 0)
    expect(handle.isDisposed)
    expect(source.isIdle)
    expect(parts.side.isIdle)
    withExtendedLifetime((handle, source, parts)) {}
  }

  @Test(arguments: Stage.all)
  func everyOperatorSaysSoWhenNobodyListens(stage: Stage) {
    let handle = subscribe(stage, disposesItself: false)
    expect(source.observers.allSatisfy { !$0.isDisposed })
    handle.dispose()
    expect(source.observers.allSatisfy { $0.isDisposed })
    expect(parts.side.observers.allSatisfy { $0.isDisposed })
  }

  @Test func aSubscriptionThatWaitsForItsSchedulerIsFreedOnDisposal() {
    let handle = subscribe(Stage("subscribe(on:)") { $0.subscribe(on: $1.clock) }, disposesItself: false)
    expectEqual(parts.census.alive, 1)
    handle.dispose()
    expectEqual(parts.census.alive, 0)
    parts.clock.run()
    expectEqual(source.subscriptionCount, 0)
  }

  @Test(arguments: Stage.all, [Ending.completion, .fusedCompletion])
  func everyOperatorInsideAFlatteningIsFreedWhenItHasCompleted(stage: Stage, ending: Ending) {
    let outer = Source<Int>()
    let handle = outer.signal.flatMap { [source, parts] _ in stage.apply(source.signal, parts) }.subscribe { _ in }
    outer.send(1)
    feed()
    end(ending, Disposable {})
    // The outer goes on, the inner must not stay.
    expectEqual(parts.census.alive, 0)
    expect(source.isIdle)
    expect(parts.side.isIdle)
    expect(!handle.isDisposed)
  }

  @Test(arguments: Ending.allCases, [false, true])
  func flatteningsThatARecursionHasPassedAreFreed(ending: Ending, isFused: Bool) {
    // Each level is sent by a turn of the scheduler; the levels before have nothing left to do.
    @Sendable func down(_ level: Int, _ token: Token, _ parts: Parts) -> Signal<Token, Fault> {
      Signal { [source] observer in
        if level == 10 { return source.signal.subscribe { (event: Event<Token, Fault>) in observer.send(event) } }
        return parts.clock.schedule(after: .seconds(1)) {
          if isFused { return observer.complete(with: token) }
          observer.send(token)
          observer.complete()
        }
      }
      .flatMap { [kept = parts.census.token()] (value: Token) -> Signal<Token, Fault> in
        kept.use()
        return level == 10 ? .just(value) : down(level + 1, parts.census.token(), parts)
      }
    }
    let stage = Stage("recursion") { _, parts in down(0, parts.census.token(), parts) }
    let handle = subscribe(stage, disposesItself: ending == .disposalInHandler)
    parts.clock.run()
    expectEqual(source.subscriptionCount, 1)
    // What the last level holds, and the handler.
    expect(parts.census.alive <= 4)
    if ending != .disposalBeforeAnyEvent { feed() }
    end(ending, handle)
    expectEqual(parts.census.alive, 0)
    expect(source.isIdle)
  }

  @Test func buffersAreFreedOnDisposalThoughTheSchedulerStillHasWork() {
    let handle = subscribe(Stage("observe(on:)") { $0.observe(on: $1.clock) }, disposesItself: false)
    feed()
    expectEqual(parts.clock.pendingCount, 1)
    handle.dispose()
    expectEqual(parts.census.alive, 0)
  }
}

/// Owners, bags and those who hold each other.
struct OwnerLifetimeTests {
  let census = Census()
  let source = Source<Int>()

  private final class Screen: Sendable {
    let bag = DisposeBag()
    let lifetime = Lifetime()
    let token: Token

    init(_ token: Token) {
      self.token = token
    }
  }

  private func handler() -> @Sendable (Event<Int, Fault>) -> Void {
    let token = census.token()
    return { _ in token.use() }
  }

  @Test("P2") func noCycleBetweenOwnerAndSignalThatItOwns() {
    do {
      let screen = Screen(census.token())
      source.signal.take(during: screen.lifetime).subscribe { [weak screen] _ in screen?.token.use() }
      source.signal.bound(to: screen.lifetime).subscribe { [weak screen] _ in screen?.token.use() }
      source.signal.bound(to: screen).subscribe { [weak screen] _ in screen?.token.use() }.disposed(by: screen.bag)
      source.send(1)
    }
    expectEqual(census.alive, 0)
    expect(source.isIdle)
  }

  @Test func boundToLifetimeFreesTheHandlerWithTheOwnerThoughTheHandleIsHeld() {
    var lifetime: Lifetime? = Lifetime()
    let handle = source.signal.bound(to: lifetime!).subscribe(handler())
    expectEqual(census.alive, 1)
    lifetime = nil
    expect(source.isIdle)
    expect(handle.isDisposed)
    expectEqual(census.alive, 0)
  }

  @Test func boundToObjectFreesTheHandlerWithTheOwnerThoughTheHandleIsHeld() {
    var owner: Token? = census.token()
    let handle = source.signal.bound(to: owner!).subscribe(handler())
    expectEqual(census.alive, 2)
    owner = nil
    source.send(1)
    expect(source.isIdle)
    expect(handle.isDisposed)
    expectEqual(census.alive, 0)
  }

  @Test func takeDuringFreesTheHandlerWithTheLifetime() {
    var lifetime: Lifetime? = Lifetime()
    let handle = source.signal.take(during: lifetime!).subscribe(handler())
    lifetime = nil
    expectEqual(census.alive, 0)
    expect(handle.isDisposed)
    expect(source.isIdle)
  }

  @Test("S0-33") func aLifetimeForgetsSubscriptionsThatHaveEnded() {
    let lifetime = Lifetime()
    for _ in 1...100 { source.signal.take(during: lifetime).subscribe(handler()) }
    for _ in 1...100 { source.signal.bound(to: lifetime).subscribe(handler()) }
    source.complete()
    expectEqual(census.alive, 0)
    withExtendedLifetime(lifetime) {}
  }

  @Test func aBagDropsHandlesOfSubscriptionsThatHaveEnded() {
    let bag = DisposeBag()
    for _ in 1...10_000 {
      Numbers.just(1).subscribe(handler()).disposed(by: bag)
      Numbers.stubborn(1).map { $0 }.subscribe(handler()).disposed(by: bag)
    }
    expect(bag.count <= 32)
    expectEqual(census.alive, 0)
  }

  @Test func aBagDropsHandlesWhoseOwnerIsGone() {
    let bag = DisposeBag()
    for _ in 1...1000 {
      let lifetime = Lifetime()
      source.signal.bound(to: lifetime).subscribe(handler()).disposed(by: bag)
    }
    expect(bag.count <= 32)
    expectEqual(census.alive, 0)
  }

  @Test func aBagDisposesAndFreesInItsDeinit() {
    do {
      let bag = DisposeBag()
      for _ in 1...10 { source.signal.subscribe(handler()).disposed(by: bag) }
      expectEqual(census.alive, 10)
    }
    expectEqual(census.alive, 0)
    expectEqual(source.teardownCount, 10)
  }

  @Test func theHandleDoesNotRetainTheSource() {
    func subscribe() -> Disposable {
      let token = census.token()
      return Numbers { _ in
        token.use()
        return nil
      }
      .map { $0 }.subscribe { _ in }
    }
    let handle = subscribe()
    expectEqual(census.alive, 0)
    handle.dispose()
  }

  @Test(arguments: [false, true])
  func aTeardownIsFreedOnceItHasRun(disposes: Bool) {
    func subscribe() -> (Disposable, Later<Observer<Int, Fault>>) {
      let (token, leaked) = (census.token(), Later<Observer<Int, Fault>>())
      let signal = Numbers { observer in
        leaked.value = observer
        return Disposable { token.use() }
      }
      return (signal.subscribe { _ in }, leaked)
    }
    let (handle, leaked) = subscribe()
    expectEqual(census.alive, 1)
    if disposes { handle.dispose() } else { leaked.value?.complete() }
    expectEqual(census.alive, 0)
  }

  @Test func aSubjectThatGoesAwayLetsItsSubscribersGo() {
    do {
      let subject = PublishSubject<Int, Fault>()
      subject.signal.subscribe(handler())
      subject.signal.map { $0 }.subscribe(handler())
      subject.send(1)
      expectEqual(census.alive, 2)
    }
    expectEqual(census.alive, 0)
  }

  /// A stage that may subscribe again keeps its source, and thereby the subject.
  @Test(arguments: Stage.all.filter { $0.reuse != .resubscribes })
  func aSubjectThatGoesAwayLetsItsSubscribersGoThroughOperators(stage: Stage) {
    let parts = Parts()
    func subscribe() {
      let token = parts.census.token()
      let subject = PublishSubject<Token, Fault>()
      let signal = stage.apply(subject.signal, parts)
      signal.subscribe { _ in token.use() }
    }
    subscribe()
    parts.clock.run(limit: 100)
    // Who still listens to another source is not let go.
    guard parts.side.subscriptionCount == 0, parts.clock.pendingCount == 0 else { return }
    expectEqual(parts.census.alive, 0)
  }

  @Test func endedSubjectKeepsNothingOfItsSubscribers() {
    let subject = PublishSubject<Int, Fault>()
    let handles = (1...10).map { _ in subject.signal.subscribe(handler()) }
    subject.complete()
    expectEqual(census.alive, 0)
    withExtendedLifetime((subject, handles)) {}
  }

  @Test func currentValueFreesTheValueBefore() {
    let current = CurrentValue(census.token(1))
    let handle = current.signal.subscribe { _ in }
    for number in 2...10 { current.value = census.token(number) }
    expectEqual(census.alive, 1)
    handle.dispose()
    expectEqual(census.alive, 1)
  }
}
