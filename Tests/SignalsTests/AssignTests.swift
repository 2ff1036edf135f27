import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// `assign(to:on:)`.
@Suite @MainActor struct AssignTests {
  private final class Screen {
    var title = "" { didSet { changed?(title) } }
    var subtitle: String?
    var changed: ((String) -> Void)?
  }

  private final class Plain {
    var number = 0
  }

  /// Not on the main actor, and not `Sendable`.
  nonisolated private final class Model {
    var number = 0
  }

  let titles = Source<String>()
  private var signal: Signal<String, Never> { titles.signal.catch { _ in .empty } }

  @Test func valuesThatAreSentOnTheMainActorAreSetAtOnce() {
    let screen = Screen()
    let handle = signal.assign(to: \.title, on: screen)
    titles.send("a")
    expectEqual(screen.title, "a")
    titles.send("b")
    expectEqual(screen.title, "b")
    handle.dispose()
    titles.send("c")
    expectEqual(screen.title, "b")
    expect(titles.isIdle)
  }

  @Test func aReadyValueIsSetBeforeItReturns() {
    let (plain, model) = (Plain(), Model())
    Signal.just(1).assign(to: \.number, on: plain)
    CurrentValue(2).signal.take(1).assign(to: \.number, on: model)
    expectEqual(plain.number, 1)
    expectEqual(model.number, 2)
  }

  @Test func anOptionalPropertyTakesValuesThatAreNot() {
    let screen = Screen()
    Signal.just("a").assign(to: \.subtitle, on: screen)
    expectEqual(screen.subtitle, "a")
    Signal<String?, Never>.just(nil).assign(to: \.subtitle, on: screen)
    expectNil(screen.subtitle)
  }

  @Test func valuesFromAnotherThreadAreSetOnTheMainActorInOrder() async {
    let (screen, log, last) = (Screen(), Log<String>(), Moment())
    screen.changed = { title in
      MainActor.assertIsolated()
      log.add(title)
      if title == "999" { last.arrive() }
    }
    let handle = signal.assign(to: \.title, on: screen)
    whileTheMainThreadWaits { [titles] in for number in 0..<1_000 { titles.send("\(number)") } }
    expect(log.entries.isEmpty)
    await expect(last.wait())
    expectEqual(log.entries, (0..<1_000).map { "\($0)" })
    handle.dispose()
  }

  @Test func theOwnerIsNotRetainedAndItsDeallocationDisposes() async {
    let disposed = Moment()
    var screen: Screen? = Screen()
    let owner = { [weak screen] in screen }
    let handle = screen.map { signal.on(dispose: { disposed.arrive() }).assign(to: \.title, on: $0) }
    titles.send("a")
    expectEqual(screen?.title, "a")
    whileTheMainThreadWaits { [titles] in titles.send("b") }
    screen = nil
    await expect(disposed.wait())
    // Not before: the sweep that looks for deallocated owners may hold it for a moment.
    expectNil(owner())
    // The sweep's thread has reported the disposal, and then goes on to the source.
    await until { titles.isIdle }
    expectEqual(handle?.isDisposed, true)
    await mainQueueTurn()
  }

  @Test(arguments: [false, true])
  func nothingIsKeptAfterTheEnd(isDisposed: Bool) {
    let census = Census()
    let screen = Screen()
    func assign() -> Disposable {
      let token = census.token()
      return signal.map { title -> String in
        token.use()
        return title
      }.assign(to: \.title, on: screen)
    }
    let handle = assign()
    expectEqual(census.alive, 1)
    if isDisposed { handle.dispose() } else { titles.complete(with: "last") }
    expectEqual(census.alive, 0)
    expect(titles.isIdle)
    expectEqual(screen.title, (isDisposed ? "" : "last"))
  }
}
