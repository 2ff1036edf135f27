import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Observation
import TestSupport
import Testing

/// An endless list: what its view model shows while pages come, fail and are read again.
@MainActor @Suite struct PagerTests {
  private struct Row: Codable, Sendable, Identifiable {
    let id: Int
  }

  private let kit = TestKit()

  private func page(_ numbers: String, next: Int? = nil) -> StubAnswer {
    .json(numbers, headers: next.map { ["Link": "</items?page=\($0)>; rel=\"next\""] } ?? [:])
  }

  private func serve(_ page: Int?, _ answers: StubAnswer...) {
    let left = CurrentValue(answers)
    kit.stub.on(.get, "/items", query: page.map { ["page": "\($0)"] } ?? [:]) { _ in
      left.modify { $0.count > 1 ? $0.removeFirst() : $0[0] }
    }
  }

  private func makePager() -> Pager<Int, [Int]> { Pager(kit.client.pages(request: "/items", of: Int.self)) }

  private func state(_ pager: Pager<Int, [Int]>) -> String {
    [
      "\(pager.items)", pager.isRefreshing ? "refreshing" : nil, pager.isLoadingMore ? "loading" : nil,
      pager.hasMore ? "more" : nil, pager.error.map { "\($0.code)" },
    ].compactMap(\.self).joined(separator: " ")
  }

  @Test func readsPageByPage() async {
    serve(nil, page("[1, 2]", next: 2))
    serve(2, page("[3]", next: 3))
    serve(3, page("[4]"))
    let pager = makePager()
    expectEqual(state(pager), "[] more")
    expect(kit.stub.requests.isEmpty)
    pager.beginRefresh()
    expectEqual(state(pager), "[] refreshing more")
    await kit.clock.advance()
    expectEqual(state(pager), "[1, 2] more")
    pager.loadMore(after: 1)
    expectEqual(state(pager), "[1, 2] more")
    pager.loadMore(after: 2)
    pager.loadMore()
    expectEqual(state(pager), "[1, 2] loading more")
    await kit.clock.advance()
    expectEqual(state(pager), "[1, 2, 3] more")
    expectEqual(kit.stub.requests.count, 2)
    pager.loadMore()
    await kit.clock.advance()
    expectEqual(state(pager), "[1, 2, 3, 4]")
    pager.loadMore()
    await kit.clock.advance()
    expectEqual(kit.stub.requests.count, 3)
    expect(kit.stub.unexpectedRequests.isEmpty)
  }

  @Test func aRefreshKeepsTheItemsUntilTheNewPageIsThere() async {
    serve(nil, page("[1]", next: 2), page("[0, 1]", next: 2).delayed(by: .seconds(1)))
    serve(2, .never, page("[2]"))
    let pager = makePager()
    pager.beginRefresh()
    await kit.clock.advance()
    pager.loadMore()
    await kit.clock.advance()
    pager.beginRefresh()
    expectEqual(kit.stub.cancelledCount, 1)
    pager.loadMore()
    await kit.clock.advance()
    expectEqual(state(pager), "[1] refreshing more")
    await kit.clock.advance(by: .seconds(1))
    expectEqual(state(pager), "[0, 1] more")
    pager.loadMore()
    await kit.clock.advance()
    expectEqual(state(pager), "[0, 1, 2]")
    expectEqual(kit.stub.requests.count, 4)
  }

  @Test func aFailedPageIsReadAgain() async {
    serve(nil, .status(500), page("[1]", next: 2))
    serve(2, .status(503), .offline, page("[2]"))
    let pager = makePager()
    pager.beginRefresh()
    await kit.clock.advance()
    expectEqual(state(pager), "[] more 500")
    pager.loadMore()
    expectEqual(state(pager), "[] loading more")
    await kit.clock.advance()
    expectEqual(state(pager), "[1] more")
    for code in ["503", "668"] {
      pager.loadMore()
      await kit.clock.advance()
      expectEqual(state(pager), "[1] more \(code)")
    }
    pager.loadMore()
    await kit.clock.advance()
    expectEqual(state(pager), "[1, 2]")
    expectEqual(kit.stub.requests.count, 5)
  }

  @Test func aFailedRefreshLeavesTheListWhereItWas() async {
    serve(nil, page("[1]", next: 2), .status(500))
    serve(2, page("[2]").delayed(by: .seconds(1)))
    let pager = makePager()
    pager.beginRefresh()
    await kit.clock.advance()
    pager.loadMore()
    await kit.clock.advance()
    pager.beginRefresh()
    await kit.clock.advance()
    expectEqual(state(pager), "[1] more 500")
    pager.loadMore()
    await kit.clock.advance(by: .seconds(1))
    expectEqual(state(pager), "[1, 2]")
  }

  /// The page has been received, but not delivered: no item of it may be lost.
  @Test func aPageThatIsCancelledOnItsWayIsReadAgain() async {
    serve(nil, page("[1]", next: 2), .status(500))
    serve(2, page("[2]", next: 3))
    serve(3, page("[3]"))
    let pager = makePager()
    pager.beginRefresh()
    await kit.clock.advance()
    pager.loadMore()
    // It was answered synchronously, and is on its way to the main actor.
    expectEqual(kit.stub.requests.count, 2)
    expect(pager.isLoadingMore)
    pager.beginRefresh()
    await kit.clock.advance()
    pager.loadMore()
    await kit.clock.advance()
    expectEqual(state(pager), "[1, 2] more")
  }

  @Test func aRefreshReplacesARefresh() async {
    serve(nil, .never, page("[1]"))
    let pager = makePager()
    pager.beginRefresh()
    pager.beginRefresh()
    await kit.clock.advance()
    expectEqual(state(pager), "[1]")
    expectEqual(kit.stub.cancelledCount, 1)
  }

  @Test func anEmptyPageIsFollowedByTheNextOne() async {
    serve(nil, page("[]", next: 2))
    serve(2, page("[]", next: 3))
    serve(3, page("[7]", next: 4))
    let pager = makePager()
    pager.beginRefresh()
    await kit.clock.advance()
    expectEqual(state(pager), "[7] more")
    expectEqual(kit.stub.requests.count, 3)
  }

  /// A server, or a filter of the items, may leave nothing of any page.
  @Test func emptyPagesWithoutEndAreReadTenAtATime() async {
    for number in 0...40 { serve(number == 0 ? nil : number, page("[]", next: number + 1)) }
    let pager = makePager()
    pager.beginRefresh()
    for count in [10, 20] {
      await kit.clock.advance()
      expectEqual(state(pager), "[] more")
      expectEqual(kit.stub.requests.count, count)
      pager.loadMore()
    }
    pager.beginRefresh()
    await kit.clock.advance()
    expectEqual(state(pager), "[] more")
  }

  @Test func aLoopOfPagesIsAnErrorOfTheNextOne() async {
    serve(nil, page("[1]", next: 2))
    serve(2, page("[2]", next: 2))
    let pager = makePager()
    pager.beginRefresh()
    await kit.clock.advance()
    for _ in 1...3 {
      pager.loadMore()
      await kit.clock.advance()
    }
    expectEqual(state(pager), "[1, 2] more 626")
    expectEqual(kit.stub.requests.count, 2)
  }

  @Test("T8") func a304KeepsTheItems() async {
    serve(nil, page("[1]", next: 2), .status(304))
    serve(2, page("[2]"))
    let pages = kit.client.pages(request: Request(.get, "/items", headers: ["If-None-Match": "x"]), of: Int.self)
    let pager = Pager(pages)
    pager.beginRefresh()
    await kit.clock.advance()
    pager.beginRefresh()
    await kit.clock.advance()
    expectEqual(state(pager), "[1] more")
    pager.loadMore()
    await kit.clock.advance()
    expectEqual(state(pager), "[1, 2]")
    let fresh = Pager(pages)
    fresh.beginRefresh()
    await kit.clock.advance()
    expectEqual(state(fresh), "[]")
  }

  @Test func itsRequestEndsWithIt() async {
    serve(nil, .never)
    var pager: Pager<Int, [Int]>? = makePager()
    let isThere = { [weak pager] in pager != nil }
    pager?.beginRefresh()
    await kit.clock.advance()
    expectEqual(kit.stub.activeCount, 1)
    pager = nil
    expect(!isThere())
    expectEqual(kit.stub.activeCount, 0)
    expectEqual(kit.stub.cancelledCount, 1)
  }

  @Test("P9") func anotherAccountsListIsNotContinued() async {
    let account = CurrentValue<String?>("ann")
    let kit = TestKit { $0.account = account }
    kit.stub.on(.get, "/items", .json("[1]", headers: ["Link": "</items?page=2>;rel=next"]))
    let pager = Pager(kit.client.pages(request: "/items", of: Int.self))
    pager.beginRefresh()
    await kit.clock.advance()
    account.value = "ben"
    pager.loadMore()
    await kit.clock.advance()
    expectEqual(state(pager), "[1] more 613")
    expectEqual(kit.stub.requests.count, 1)
    pager.beginRefresh()
    await kit.clock.advance()
    expectEqual(state(pager), "[1] more")
    expectEqual(kit.stub.requests.count, 2)
  }

  @Test func withoutObservationItsStateIsASignal() async {
    serve(nil, page("[1]", next: 2))
    var pager: Pager<Int, [Int]>? = makePager()
    let states = Signal<String?, Never>.observing { [weak pager] in
      pager.map { "\($0.items) \($0.isRefreshing) \($0.hasMore)" }
    }
    let recorder = SignalRecorder(states.compactMap { $0 })
    await kit.clock.advance()
    pager?.beginRefresh()
    await kit.clock.advance()
    expectEqual(recorder.values.first, "[] false true")
    expectEqual(recorder.values.last, "[1] false true")
    pager = nil
    await kit.clock.advance()
    expect(!recorder.hasEnded)
  }

  @Test func aViewThatReadsOnePropertyIsToldOfIt() async {
    serve(nil, page("[1]", next: 2))
    let pager = makePager()
    let changes = CurrentValue(0)
    withObservationTracking {
      _ = pager.items
    } onChange: {
      changes.modify { $0 += 1 }
    }
    pager.beginRefresh()
    expectEqual(changes.value, 0)
    await kit.clock.advance()
    expectEqual(changes.value, 1)
  }

  @Test func itemsMayBeAPartOfAPage() async {
    kit.stub.on(.get, "/rows", .json(#"{"rows": [{"id": 1}, {"id": 2}]}"#, headers: ["Link": "</more>;rel=next"]))
    kit.stub.on(.get, "/more", .json(#"{"rows": [{"id": 3}]}"#))
    let request = Request(.get, "/rows").returning([String: [Row]].self)
    let pager = Pager(kit.client.pages(request: request)) { $0.value["rows"] ?? [] }
    pager.beginRefresh()
    await kit.clock.advance()
    pager.loadMore(after: Row(id: 1))
    expect(!pager.isLoadingMore)
    pager.loadMore(after: Row(id: 2))
    await kit.clock.advance()
    expectEqual(pager.items.map(\.id), [1, 2, 3])
    expect(!pager.hasMore)
  }
}
