import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// The samples on ownership of the document ViewModels.
@MainActor
struct ViewModelOwnershipSamples {
  // sample: view-models-lifetime
  @MainActor final class Player {
    private(set) var title = ""
    private let lifetime = Lifetime()

    func follow(_ titles: Signal<String, Never>) {
      titles.bound(to: lifetime).subscribeOnMain(onValue: { [weak self] in self?.title = $0 })
    }
  }
  // end sample

  @MainActor final class Screen { var title = "" }

  private let titles = PublishSubject<String, Never>()

  @Test func aSubscriptionEndsWithItsOwner() async {
    let titles = titles.signal
    let received = CurrentValue<[String]>([])
    let log: @Sendable (String) -> Void = { title in received.modify { $0.append(title) } }
    var screen: Screen? = Screen()
    if let screen {
      // sample: view-models-bound
      titles.assign(to: \.title, on: screen)  // sets a property
      titles.bound(to: screen).subscribe(onValue: { log($0) })  // anything else
      // end sample
      self.titles.send("one")
      await mainQueueTurn()
      expectEqual(screen.title, "one")
    }
    screen = nil
    self.titles.send("two")
    expectEqual(received.value, ["one"])
  }

  @Test func aLifetimeEndsExactly() async {
    let ended = CurrentValue(false)
    var player: Player? = Player()
    player?.follow(titles.signal.on(dispose: { ended.value = true }))
    titles.send("one")
    await mainQueueTurn()
    expectEqual(player?.title, "one")
    expect(!ended.value)
    player = nil
    expect(ended.value)
  }

  @Test func anOwnerHasAKey() {
    let screen = Screen()
    let titles = titles.signal
    let received = CurrentValue<[String]>([])
    let log: @Sendable (String) -> Void = { title in received.modify { $0.append(title) } }
    // sample: view-models-key
    let options = ["owner": OwnerKey(screen).rawValue]  // "Screen#17"
    let key = OwnerKey(rawValue: options["owner"] ?? "")
    titles.bound(to: key).subscribe(onValue: { log($0) })
    // end sample
    expectEqual(key, OwnerKey(screen))
    expect(key.rawValue.hasPrefix("Screen#"))
    self.titles.send("one")
    key.disposeAll()
    self.titles.send("two")
    expectEqual(received.value, ["one"])
  }

  @Test func whatOutlivedItsOwnerIsListed() {
    // Disabled, as by default: other tests count its entries.
    // sample: view-models-log
    for entry in OwnershipLog.outlived { print(entry) }  // "GET /search of a deallocated SearchModel, …"
    // end sample
    expect(OwnershipLog.outlived.allSatisfy { $0.ownerType != "Player" })
  }
}

/// Waits until the main queue has run what it has now.
@MainActor
private func mainQueueTurn() async { await TestClock().advance() }
