import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A refresh that is awaited, as `.refreshable` does.
@MainActor struct PagerRefreshTests {
  private let kit = TestKit()

  private func makePager() -> Pager<Int, [Int]> { Pager(kit.client.pages(request: "/items", of: Int.self)) }

  /// Starts a refresh that is awaited; its request has been sent, so it waits.
  private func awaitedRefresh(of pager: Pager<Int, [Int]>) async -> Task<Void, Never> {
    let task = Task { await pager.refresh() }
    await kit.stub.requested(1)
    return task
  }

  @Test func endsWithThePage() async {
    kit.stub.on(.get, "/items", .json("[1, 2]"))
    let pager = makePager()
    await pager.refresh()
    expectEqual(pager.items, [1, 2])
    expect(!pager.isRefreshing)
  }

  @Test func endsWithAFailure() async {
    kit.stub.on(.get, "/items", .status(500))
    let pager = makePager()
    await pager.refresh()
    expectEqual(pager.error?.code, .status(500))
    expect(!pager.isRefreshing)
  }

  @Test func endsWithoutAPage() async {
    kit.stub.on(.get, "/items", .status(304))
    let request = Request(.get, "/items", headers: ["If-None-Match": "x"])
    let pager = Pager(kit.client.pages(request: request, of: Int.self))
    await pager.refresh()
    expectEqual(pager.items, [])
    expect(!pager.hasMore)
  }

  @Test func withoutPagesItReturnsAtOnce() async {
    let pager = Pager<Int, [Int]>()
    await pager.refresh()
    expect(!pager.isRefreshing)
  }

  @Test func endsWhenAnotherRefreshReplacesIt() async {
    kit.stub.on(.get, "/items", .never, .json("[1]"))
    let pager = makePager()
    let task = await awaitedRefresh(of: pager)
    await pager.refresh()
    await task.value
    expectEqual(pager.items, [1])
    expectEqual(kit.stub.cancelledCount, 1)
  }

  @Test func endsWhenThePagesAreReplaced() async {
    kit.stub.on(.get, "/items", .never)
    let pager = makePager()
    let task = await awaitedRefresh(of: pager)
    pager.replace(with: nil)
    await task.value
    expect(!pager.isRefreshing)
    expectEqual(kit.stub.cancelledCount, 1)
  }

  /// SwiftUI cancels the task of `.refreshable` when the view is updated, as by the list's own change.
  @Test func aCancelledTaskEndsTheWaitAndNotTheRefresh() async {
    kit.stub.on(.get, "/items", StubAnswer.json("[1]").delayed(by: .seconds(1)))
    let pager = makePager()
    let task = await awaitedRefresh(of: pager)
    task.cancel()
    await task.value
    expect(pager.isRefreshing)
    await kit.clock.advance(by: .seconds(1))
    expectEqual(pager.items, [1])
    expectEqual(kit.stub.cancelledCount, 0)
  }

  @Test func theRequestEndsWithThePagerAfterACancelledTask() async {
    kit.stub.on(.get, "/items", .never)
    var pager: Pager<Int, [Int]>? = makePager()
    let isThere = { [weak pager] in pager != nil }
    if let pager {
      let task = await awaitedRefresh(of: pager)
      task.cancel()
      await task.value
    }
    expectEqual(kit.stub.activeCount, 1)
    pager = nil
    await until { !isThere() }
    expectEqual(kit.stub.cancelledCount, 1)
  }
}
