import Foundation
import HeliographTestSupport
import HeliographTesting
import Observation
import TestSupport
import Testing

@testable import Heliograph
@testable import Signals

#if canImport(Combine)
import Combine
#endif

/// `load(into:on:)`.
@Suite @MainActor struct LoadTests {
  typealias Numbers = Signal<Int, NetworkError>
  private let error = NetworkError(.status(500), reason: "broken")

  @Observable final class Model {
    var number = Loadable<Int>.idle
    var other = Loadable<Int>.idle
  }

  /// A plain class that logs each change.
  final class Screen {
    var number = Loadable<Int>.idle {
      didSet {
        MainActor.assertIsolated()
        states.append(number)
        changed?()
      }
    }
    var states: [Loadable<Int>] = []
    var changed: (() -> Void)?
  }

  #if canImport(Combine)
  @MainActor final class CombineModel: ObservableObject {
    @Published var number = Loadable<Int>.idle
  }

  @Test func aPublishedPropertyIsLoadedToo() {
    let model = CombineModel()
    Numbers.just(1).load(into: \.number, on: model)
    expectEqual(model.number, .loaded(1))
  }
  #endif

  let screen = Screen()

  /// The loads of an object, without those of a deallocated one at the same address that are not yet removed.
  private func loads<Owner: AnyObject>(of owner: Owner) -> [Load<Owner, Int>] {
    LoadTable.loads.values.compactMap { $0 as? Load<Owner, Int> }.filter { $0.owner === owner }
  }

  private func loadCount(of owner: some AnyObject) -> Int { loads(of: owner).count }

  @Test func anObservableModelShowsEachState() async {
    let (model, source) = (Model(), PublishSubject<Int, NetworkError>())
    let recorder = SignalRecorder(Signal.observing { [weak model] in model?.number })
    source.signal.load(into: \.number, on: model)
    await mainQueueTurn()
    source.send(1)
    await mainQueueTurn()
    source.complete()
    await mainQueueTurn()
    expectEqual(recorder.values, [.idle, .loading(previous: nil), .loaded(1)])
    expectEqual(loadCount(of: model), 0)
  }

  @Test func aReadyEventSkipsTheLoadingState() {
    Numbers.just(1).load(into: \.number, on: screen)
    expectEqual(screen.states, [.loaded(1)])
    Numbers.fail(error).load(into: \.number, on: screen)
    expectEqual(screen.states, [.loaded(1), .failed(error, previous: 1)])
    Numbers.from([2, 3]).load(into: \.number, on: screen)
    expectEqual(screen.states.dropFirst(2), [.loaded(2), .loaded(3)])
    // An end without a value ends the failure, too.
    screen.number = .failed(error, previous: 3)
    Numbers.empty.load(into: \.number, on: screen)
    expectEqual(screen.number, .loaded(3))
    expectEqual(loadCount(of: screen), 0)
  }

  @Test func theValueShownBeforeStaysWhileLoadingAndAfterAFailure() {
    let source = PublishSubject<Int, NetworkError>()
    screen.number = .loaded(1)
    source.signal.load(into: \.number, on: screen)
    expectEqual(screen.number, .loading(previous: 1))
    source.fail(error)
    expectEqual(screen.number, .failed(error, previous: 1))
    PublishSubject<Int, NetworkError>().signal.load(into: \.number, on: screen).dispose()
    expectEqual(screen.number, .loaded(1))
  }

  /// What ends a load without a result.
  enum Silence: CaseIterable {
    case cancellation
    case completion
    case disposal
    case deallocation
  }

  @Test(arguments: Silence.allCases, [nil, 1]) func anEndWithoutAResultReturnsToTheStateBefore(
    silence: Silence, previous: Int?
  ) {
    screen.number = previous.map { .loaded($0) } ?? .idle
    var source: PublishSubject<Int, NetworkError>? = PublishSubject()
    let handle = source?.signal.load(into: \.number, on: screen)
    expectEqual(screen.number, .loading(previous: previous))
    switch silence {
    case .cancellation: source?.fail(.cancellation)
    case .completion: source?.complete()
    case .disposal: handle?.dispose()
    case .deallocation: source = nil
    }
    expectEqual(screen.number, (previous.map { .loaded($0) } ?? .idle))
    expectEqual(handle?.isDisposed, true)
    expectEqual(loadCount(of: screen), 0)
  }

  @Test func disposalOnAnotherThreadReturnsToTheStateBeforeOnTheMainActor() async {
    let source = PublishSubject<Int, NetworkError>()
    let handle = source.signal.load(into: \.number, on: screen)
    await together(1) { _ in handle.dispose() }
    await mainQueueTurn()
    expectEqual(screen.states, [.loading(previous: nil), .idle])
    expectEqual(loadCount(of: screen), 0)
  }

  @Test func aNewLoadReplacesTheOneInProgress() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .json("1").delayed(by: .seconds(3)))
    kit.stub.on(.get, "/b", .json("2").delayed(by: .seconds(1)))
    for (index, path) in (["/a", "/b"] as [RequestPath]).enumerated() {
      Signal.task { try await kit.client.value(of: Request(.get, path), as: Int.self) }
        .load(into: \.number, on: screen)
      // The task runs beside the main actor.
      await expect(kit.stub.requested(index + 1))
    }
    await until { kit.stub.cancelledCount == 1 }
    expectEqual(kit.stub.cancelledCount, 1)
    expectEqual(kit.stub.activeCount, 1)
    await kit.clock.advance(by: .seconds(5))
    await until { loadCount(of: screen) == 0 }
    expectEqual(screen.states, [.loading(previous: nil), .loaded(2)])
    expectEqual(loadCount(of: screen), 0)
  }

  @Test func anAnswerThatIsAlreadyQueuedIsNotAppliedAfterAReplacement() async {
    let (old, new) = (PublishSubject<Int, NetworkError>(), PublishSubject<Int, NetworkError>())
    old.signal.load(into: \.number, on: screen)
    // The main queue has not run yet.
    inBackground { old.send(1) }
    new.signal.load(into: \.number, on: screen)
    await mainQueueTurn()
    expectEqual(screen.states, [.loading(previous: nil)])
    new.send(2)
    expectEqual(screen.number, .loaded(2))
  }

  @Test func otherPropertiesAndObjectsAreNotReplaced() {
    let (first, second) = (Model(), Model())
    let sources = (0..<3).map { _ in PublishSubject<Int, NetworkError>() }
    sources[0].signal.load(into: \.number, on: first)
    sources[1].signal.load(into: \.other, on: first)
    sources[2].signal.load(into: \.number, on: second)
    expectEqual(loadCount(of: first), 2)
    expectEqual(loadCount(of: second), 1)
    for (index, source) in sources.enumerated() { source.send(index) }
    expectEqual(first.number, .loaded(0))
    expectEqual(first.other, .loaded(1))
    expectEqual(second.number, .loaded(2))
  }

  @Test func aLoadMayBeReplacedFromInsideItsOwnChange() {
    let source = PublishSubject<Int, NetworkError>()
    let screen = screen
    screen.changed = { [weak screen] in
      guard let screen, screen.number == .loaded(1) else { return }
      source.signal.load(into: \.number, on: screen)
    }
    Numbers.from([1, 2, 3]).load(into: \.number, on: screen)
    expectEqual(screen.states, [.loaded(1), .loading(previous: 1)])
    source.send(4)
    expectEqual(screen.number, .loaded(4))
    expectEqual(loadCount(of: screen), 1)
  }

  @Test func theCachedValueComesFirstAndStaysAfterAFailure() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .json("1"), .json("2").delayed(by: .seconds(1)), .status(500).delayed(by: .seconds(1)))
    let signal = kit.client.enqueue(request: Request(.get, "/a", cache: .cacheThenNetwork), resultType: Int.self)
    for _ in 1...3 {
      signal.map(\.value).load(into: \.number, on: screen)
      await kit.clock.advance(by: .seconds(2))
    }
    expectEqual(screen.states.map(\.value).suffix(4), [1, 2, 2, 2])
    expectEqual(screen.states.map(\.isLoading).suffix(2), [false, false], "also while the network is asked")
    expectEqual(screen.number.error?.code, .status(500))
    expectEqual(screen.number.value, 2)
    expectEqual(loadCount(of: screen), 0)
  }

  @Test("S0-34 T17") func theOwnerIsNotRetainedAndItsDeallocationCancels() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .never)
    let cancelled = PublishSubject<Void, Never>()
    let recorder = SignalRecorder(cancelled.signal)
    weak var left: Screen?
    weak var load: Load<Screen, Int>?
    do {
      let screen = Screen()
      left = screen
      kit.client.enqueue(request: "/a", resultType: Int.self).map(\.value)
        .on(dispose: { cancelled.complete() }).load(into: \.number, on: screen)
      expectEqual(kit.stub.activeCount, 1)
      expectEqual(loadCount(of: screen), 1)
      load = loads(of: screen).first
    }
    await expect(recorder.waitForEnd())
    expectNil(left)
    // The sources upstream of `on` are disposed after it, on the sweeper's thread.
    await until { kit.stub.activeCount == 0 }
    expectEqual(kit.stub.activeCount, 0)
    await until { load == nil }
    expectNil(load)
  }

  @Test func aNewObjectAtAReusedAddressLoadsOnItsOwn() async {
    let stuck = PublishSubject<Int, NetworkError>()
    var seen: Set<ObjectIdentifier> = []
    for _ in 1...100_000 {
      let screen = Screen()
      if seen.insert(ObjectIdentifier(screen)).inserted {
        stuck.signal.load(into: \.number, on: screen)
        continue
      }
      let source = PublishSubject<Int, NetworkError>()
      source.signal.load(into: \.number, on: screen)
      stuck.send(1)
      // The sweep of the old owner, and the end of its load, must leave the new one alone.
      await OwnedHandles.disposeOrphans()
      expectEqual(screen.states, [.loading(previous: nil)])
      expectEqual(loadCount(of: screen), 1)
      source.send(2)
      source.complete()
      expectEqual(screen.number, .loaded(2))
      expectEqual(loadCount(of: screen), 0)
      return
    }
    Issue.record("no address was reused")
  }

  @Test func tenThousandLoadsLeaveNothing() async {
    let (model, source) = (Model(), PublishSubject<Int, NetworkError>())
    for number in 0..<10_000 {
      switch number % 4 {
      case 0: Numbers.just(number).load(into: \.number, on: model)
      case 1: source.signal.load(into: \.number, on: model)
      case 2: source.signal.load(into: \.other, on: model).dispose()
      default: source.signal.take(1).load(into: \.number, on: model)
      }
      expect(loadCount(of: model) <= 2)
    }
    source.send(1)
    expectEqual(loadCount(of: model), 0)
    expectEqual(watchCount(of: model), 0)
  }

  @Test func responsesFromManyThreadsAreAppliedOnTheMainActor() async {
    let source = PublishSubject<Int, NetworkError>()
    source.signal.load(into: \.number, on: screen)
    await together(4) { index in for number in 0..<100 { source.send(index * 100 + number) } }
    source.send(-1)
    source.complete()
    await mainQueueTurn()
    while screen.number != .loaded(-1) { await mainQueueTurn() }
    expectEqual(screen.states.count, 402)
    expectEqual(loadCount(of: screen), 0)
  }
}

/// Runs work on another thread and waits for it, without a turn of the main queue.
private func inBackground(_ work: @escaping @Sendable () -> Void) {
  let group = DispatchGroup()  // blocks: the main thread, which is none of the pool's
  DispatchQueue.global().async(group: group, execute: work)
  group.wait()
}
