import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// A pager whose request follows a text, over pages with a total count.
@MainActor @Suite struct PagedSearchTests {
  private struct Found: Codable, Sendable {
    var total = 0
    var names: [String] = []
    var next: String?
  }

  private let kit = TestKit()

  private func pages(_ text: String, _ client: NetworkClient) -> Pages<Found> {
    client.pages(request: Request(.get, "/search", query: ["q": text]).returning(Found.self)) { page in
      page.value.next.map { Request(.get, "/search", query: ["q": text, "cursor": $0]) }
    }
  }

  private func serve(_ text: String, after cursor: String? = nil, _ answer: StubAnswer) {
    var query = ["q": text]
    query["cursor"] = cursor
    kit.stub.on(.get, "/search", query: query, answer)
  }

  private func found(_ total: Int, _ names: [String], next: String? = nil) -> StubAnswer {
    .json(Found(total: total, names: names, next: next))
  }

  private func makePager(debounce: Duration = .zero) -> Pager<String, Found> {
    let lane = debounce == .zero ? nil : Lane(.latestWins(debounce: debounce), scheduler: kit.clock)
    return Pager(in: lane) { $0.value.names }
  }

  private func state(_ pager: Pager<String, Found>) -> String {
    [
      pager.items.isEmpty ? nil : pager.items.joined(separator: ","), pager.page.map { "of \($0.value.total)" },
      pager.isRefreshing ? "refreshing" : nil, pager.isLoadingMore ? "loading" : nil, pager.hasMore ? "more" : nil,
      pager.error.map { "\($0.code)" },
    ].compactMap(\.self).joined(separator: " ")
  }

  @Test func aPageHasItsOwnFields() async {
    serve("lamp", found(3, ["a", "b"], next: "x"))
    serve("lamp", after: "x", found(4, ["c"]))
    let pager = makePager()
    expectEqual(state(pager), "")
    pager.beginRefresh()
    pager.loadMore()
    expect(kit.stub.requests.isEmpty, "there are no pages yet")
    pager.replace(with: pages("lamp", kit.client))
    await kit.clock.advance()
    expectEqual(state(pager), "a,b of 3 more")
    pager.loadMore()
    await kit.clock.advance()
    expectEqual(state(pager), "a,b,c of 4")
    pager.replace(with: nil)
    expectEqual(state(pager), "")
    expectEqual(kit.stub.requests.count, 2)
  }

  @Test func theNextPageOfAFormerTextIsNeverShown() async {
    serve("lamp", found(3, ["a"], next: "x"))
    serve("lamp", after: "x", found(3, ["b"]).delayed(by: .seconds(1)))
    serve("chair", found(2, ["c"], next: "y").delayed(by: .seconds(2)))
    serve("chair", after: "y", found(2, ["d"]))
    let pager = makePager()
    pager.replace(with: pages("lamp", kit.client))
    await kit.clock.advance()
    pager.loadMore()
    await kit.clock.advance()
    pager.replace(with: pages("chair", kit.client))
    expectEqual(kit.stub.cancelledCount, 1)
    pager.loadMore()
    await kit.clock.advance(by: .seconds(1))
    expectEqual(state(pager), "a of 3 refreshing more")
    await kit.clock.advance(by: .seconds(1))
    expectEqual(state(pager), "c of 2 more")
    pager.loadMore()
    await kit.clock.advance()
    expectEqual(state(pager), "c,d of 2")
  }

  @Test func theItemsOfAFormerTextGoWithTheFailureOfTheNext() async {
    serve("lamp", found(3, ["a"], next: "x"))
    kit.stub.on(.get, "/search", query: ["q": "chair"], .status(503), found(1, ["c"]))
    let pager = makePager()
    pager.replace(with: pages("lamp", kit.client))
    await kit.clock.advance()
    pager.replace(with: pages("chair", kit.client))
    await kit.clock.advance()
    expectEqual(state(pager), "more 503")
    pager.loadMore()
    await kit.clock.advance()
    expectEqual(state(pager), "c of 1")
  }

  @Test func ofTextsTypedQuicklyTheLastAloneIsSent() async {
    serve("lamp", found(1, ["a"]))
    let pager = makePager(debounce: .milliseconds(300))
    for text in ["l", "la", "lamp"] { pager.replace(with: pages(text, kit.client)) }
    expectEqual(state(pager), "refreshing more")
    await kit.clock.advance(by: .milliseconds(300))
    expectEqual(state(pager), "a of 1")
    expectEqual(kit.stub.requests.count, 1)
    // Emptied during the pause.
    pager.replace(with: pages("x", kit.client))
    pager.replace(with: nil)
    await kit.clock.advance(by: .milliseconds(300))
    expectEqual(state(pager), "")
    expectEqual(kit.stub.requests.count, 1)
  }

  /// Over a real socket the connection of a former text is closed.
  @Test func theRequestOfAFormerTextIsCancelled() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/search") { request in
      request.query.contains { $0.value == "chair" } ? .json(#"{"total":1,"names":["c"]}"#) : .never
    }
    let pager = makePager()
    pager.replace(with: pages("lamp", shop.client))
    await expect(shop.server.wait { $0.requests.count == 1 })
    pager.replace(with: pages("chair", shop.client))
    await expect(shop.server.wait { $0.connections.first?.isClosedByClient == true })
    await until { !pager.isRefreshing }
    expectEqual(state(pager), "c of 1")
  }
}
