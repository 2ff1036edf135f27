import HeliographTesting
import Signals
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
    #expect(screen.title == "a")
    titles.send("b")
    #expect(screen.title == "b")
    handle.dispose()
    titles.send("c")
    #expect(screen.title == "b")
    #expect(titles.isIdle)
  }

  @Test func aReadyValueIsSetBeforeItReturns() {
    let (plain, model) = (Plain(), Model())
    Signal.just(1).assign(to: \.number, on: plain)
    CurrentValue(2).signal.take(1).assign(to: \.number, on: model)
    #expect(plain.number == 1)
    #expect(model.number == 2)
  }

  @Test func anOptionalPropertyTakesValuesThatAreNot() {
    let screen = Screen()
    Signal.just("a").assign(to: \.subtitle, on: screen)
    #expect(screen.subtitle == "a")
    Signal<String?, Never>.just(nil).assign(to: \.subtitle, on: screen)
    #expect(screen.subtitle == nil)
  }

  @Test func valuesFromAnotherThreadAreSetOnTheMainActorInOrder() async {
    let (screen, log, last) = (Screen(), Log<String>(), Moment())
    screen.changed = { title in
      MainActor.assertIsolated()
      log.add(title)
      if title == "999" { last.arrive() }
    }
    let handle = signal.assign(to: \.title, on: screen)
    inParallel(1) { [titles] _ in for number in 0..<1_000 { titles.send("\(number)") } }
    #expect(log.entries.isEmpty)
    #expect(await last.wait())
    #expect(log.entries == (0..<1_000).map { "\($0)" })
    handle.dispose()
  }

  @Test func theOwnerIsNotRetainedAndItsDeallocationDisposes() async {
    let disposed = Moment()
    var screen: Screen? = Screen()
    let owner = { [weak screen] in screen }
    let handle = screen.map { signal.on(dispose: { disposed.arrive() }).assign(to: \.title, on: $0) }
    titles.send("a")
    #expect(screen?.title == "a")
    inParallel(1) { [titles] _ in titles.send("b") }
    screen = nil
    #expect(owner() == nil)
    #expect(await disposed.wait())
    #expect(titles.isIdle)
    #expect(handle?.isDisposed == true)
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
    #expect(census.alive == 1)
    if isDisposed { handle.dispose() } else { titles.complete(with: "last") }
    #expect(census.alive == 0)
    #expect(titles.isIdle)
    #expect(screen.title == (isDisposed ? "" : "last"))
  }
}
