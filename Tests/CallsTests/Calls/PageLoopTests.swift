import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

/// A server, or a closure, whose pages lead back to an earlier one.
struct PageLoopTests {
  private func read(_ next: @escaping @Sendable (Int) -> Int?) -> (pages: [Int], NetworkError?, requestCount: Int) {
    let source = NumberedPages(next)
    let recorder = SignalRecorder(source.client.pages(request: "/items?page=1", of: Int.self).elements)
    return (recorder.values, recorder.failure, source.requestCount)
  }

  @Test(arguments: Scale.isMedium ? [1, 2, 3, 900, 1_024] : [1, 3, 1_024], Scale.isMedium ? [1, 2, 900] : [2])
  func aLoopAmongTheFirstPagesIsFoundBeforeItIsSent(_ last: Int, _ target: Int) {
    let (pages, failure, count) = read { $0 < last ? $0 + 1 : min(target, last) }
    expectEqual(pages, Array(1...last))
    expectEqual(failure?.code, .pageLoop)
    expectEqual(failure?.reason.contains("/items"), true)
    expectEqual(count, last)
  }

  private static let laterLoops = [(1_100, 1_050), (1_026, 1_025), (1_500, 1_500), (3_000, 1_100), (2_000, 1_025)]

  @Test(arguments: Scale.isMedium ? laterLoops : Array(laterLoops.prefix(2)))
  func aLaterLoopIsFoundWithinThreeRounds(_ last: Int, _ target: Int) {
    let (pages, failure, count) = read { $0 < last ? $0 + 1 : target }
    expectEqual(failure?.code, .pageLoop)
    expectEqual(Array(pages.prefix(last)), Array(1...last))
    expect(count <= 3 * last)
  }

  @Test func aLongListIsNoLoop() {
    let (pages, failure, count) = read { $0 < 5_000 ? $0 + 1 : nil }
    expectEqual(pages.count, 5_000)
    expectNil(failure)
    expectEqual(count, 5_000)
  }

  @Test func theFirstPageIsRecognizedByItsAddress() {
    let kit = TestKit()
    kit.stub.on(.get, "/items", .json("[1]", headers: ["Link": "<https://api.example.com/items?q=1#top>;rel=next"]))
    let recorder = SignalRecorder(
      kit.client.pages(request: Request(.get, "/items", query: ["q": 1]), of: Int.self).signal)
    expectEqual(recorder.failure?.code, .pageLoop)
    expectEqual(kit.stub.requests.count, 1)
    // Also after a redirect.
    kit.stub.on(.get, "/old", .status(301, headers: ["Location": "/items?q=1"]))
    let moved = SignalRecorder(kit.client.pages(request: "/old", of: Int.self).signal)
    expectEqual(moved.failure?.code, .pageLoop)
    expectEqual(kit.stub.requests.count, 3)
  }

  @Test func aClosureIsComparedByTheWholeRequest() {
    let kit = TestKit()
    kit.stub.on(.post, "/items", .json("[1]"))
    let count = CurrentValue(0)
    func read(_ next: @escaping @Sendable (Int) -> Request?) -> SignalRecorder<Response<[Int]>, NetworkError> {
      count.value = 0
      let pages = kit.client.pages(request: Request(.post, "/items"), as: [Int].self) { _ in
        next(
          count.modify { number in
            number += 1
            return number
          })
      }
      return SignalRecorder(pages.signal)
    }
    let kinds: [@Sendable (Int) -> Request] = [
      { Request(.post, "/items", query: ["n": $0]) }, { Request(.post, "/items", parameters: ["n": $0]) },
      { Request(.post, "/items", body: .json(["n": $0])) }, { Request(.post, "/items", headers: ["N": "\($0)"]) },
      { Request(.post, "/items", body: .form(["n": $0])) },
      { Request(.post, "/items", body: .data(Data("\($0)".utf8), contentType: "a/b")) },
      { Request(.post, "/items", body: .json(["n": $0], coding: JSONCoding())) },
      { Request(.post, "/items", body: .multipart([.text("n", "\($0)")])) },
    ]
    // What differs may follow much that is equal.
    let filter = String(repeating: "a", count: 100)
    let long: [@Sendable (Int) -> Request] = [
      { Request(.post, "/items", query: ["a": filter, "n": $0]) },
      { Request(.post, "/items", parameters: ["a": filter, "n": $0]) },
      { Request(.post, "/items", body: .json(["a": filter, "n": "\($0)"])) },
      { Request(.post, "/items", body: .form(["a": filter, "n": $0])) },
      { Request(.post, "/items", body: .data(Data("\(filter)\($0)".utf8), contentType: "a/b")) },
      { Request(.post, "/items", body: .multipart([.text("n", "\(filter)\($0)")])) },
    ]
    for kind in kinds + long {
      let end = read { $0 < 4 ? kind($0) : nil }
      expectEqual(end.values.count, 4)
      expect(end.isCompleted)
      let loop = read { kind($0 % 3 + 1) }
      expectEqual(loop.values.count, 4)
      expectEqual(loop.failure?.code, .pageLoop)
    }
    expectEqual(read { _ in Request(.post, "/items") }.values.count, 1)
    // Streams are compared by their identity.
    let streams = (1...3).map { _ in BodyStream { { .empty } } }
    let kind: @Sendable (Int) -> Request = { Request(.post, "/items", body: .stream(streams[$0], contentType: "a/b")) }
    expect(read { $0 < 4 ? kind($0 - 1) : nil }.isCompleted)
    expectEqual(read { kind($0 % 3) }.failure?.code, .pageLoop)
  }

  @MainActor @Test func itsErrorHasTheMessageAndThePresentationOfTheApp() async {
    let kit = TestKit { $0.messages = [.pageLoop: "The list repeats."] }
    kit.stub.on(.get, "/items", .json("[1]", headers: ["Link": "</items>;rel=next"]))
    let request = Request(.get, "/items", options: .with { $0.presentation = .silent })
    let pages = kit.client.pages(request: request, of: Int.self)
    var failures = [SignalRecorder(pages.signal).failure]
    do throws(NetworkError) { for try await _ in pages {} } catch { failures.append(error) }
    let pager = Pager(pages)
    await pager.refresh()
    pager.loadMore()
    await until { pager.error != nil }
    failures.append(pager.error)
    expectEqual(failures.map { $0?.code }, Array(repeating: .pageLoop, count: 3))
    expectEqual(failures.map { $0?.message }, Array(repeating: "The list repeats.", count: 3))
    expectEqual(failures.map { $0?.presentation }, Array(repeating: .silent, count: 3))
  }

  @Test func theHistoryIsBounded() {
    var history = PageHistory()
    for number in 0..<100_000 {
      guard let url = URL(string: "https://a.example/?\(number)") else { return }
      let isNew = history.add(PageFingerprint(url))
      expect(isNew)
    }
    expectEqual(MemoryLayout<PageFingerprint>.size, 16)
  }
}
