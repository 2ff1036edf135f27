import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// Requests that belong to an object, or to the latest text of a search field.
struct OwnerFlowTests {
  private final class Screen: Sendable {}

  @Test("S0-32 S0-34 T17 P2") func threeRequestsEndWithTheirOwner() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/stuck") { _ in .never }
    try await expectInARound {
      let count = shop.server.log.requests.count
      weak var left: Screen?
      var recorders: [SignalRecorder<Response<Product>, NetworkError>] = []
      do {
        let screen = Screen()
        left = screen
        let signal = shop.client.enqueue(request: "/stuck", resultType: Product.self).bound(to: screen)
        recorders = (0..<3).map { _ in SignalRecorder(signal) }
        await expect(shop.server.wait { $0.requests.count == count + 3 })
        withExtendedLifetime(screen) {}
      }
      let releasedAt = ContinuousClock.now
      await expect(shop.server.wait { $0.openConnectionCount == 0 })
      // Not before: the sweep that looks for deallocated owners may hold it for a moment.
      expectNil(left)
      expect(recorders.allSatisfy { $0.events.isEmpty })
      let lastClosedAt = try require(shop.server.log.connections.compactMap(\.closedAt).max())
      // 100 milliseconds are promised; the rest is for a busy machine.
      return lastClosedAt - releasedAt < .milliseconds(200)
    }
  }

  /// By a text that names the owner, as in a dictionary; those of another owner are not affected.
  @Test("S0-35") func aRequestInFlightEndsByTheKeyOfItsOwner() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/stuck") { _ in .never }
    let screens = [Screen(), Screen()]
    let recorders = screens.map { screen in
      let options = ["owner": OwnerKey(screen).rawValue]
      let key = OwnerKey(rawValue: options["owner"] ?? "")
      return SignalRecorder(shop.client.enqueue(request: "/stuck", resultType: Product.self).bound(to: key))
    }
    await expect(shop.server.wait { $0.openConnectionCount == 2 })
    OwnerKey(screens[0]).disposeAll()
    await expect(shop.server.wait { $0.openConnectionCount == 1 })
    withExtendedLifetime(screens) {}
    recorders[1].dispose()
    await expect(shop.server.wait { $0.openConnectionCount == 0 })
    expect(recorders.allSatisfy { $0.events.isEmpty })
  }

  @Test("S0-31") func ofThreeSearchesTheLastAloneIsAnswered() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/search") { $0.queryValue("q") == "lamp" ? .json("[3]") : .never }
    let texts = PublishSubject<String, NetworkError>()
    let client = shop.client
    let recorder = SignalRecorder(
      texts.signal.flatMap(.latest) { text in
        client.enqueue(request: Request(.get, "/search", query: ["q": text]), resultType: [Int].self)
      })
    for text in ["l", "la", "lamp"] {
      texts.send(text)
      await expect(shop.server.wait { $0.requests.last?.queryValue("q") == text })
    }
    texts.complete()
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.value), [[3]])
    expect(recorder.isCompleted)
    await expect(shop.server.wait { $0.openConnectionCount <= 1 })
  }
}
