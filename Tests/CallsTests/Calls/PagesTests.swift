import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Pages that are linked or computed: their order, their end, their errors.
struct PagesTests {
  private struct Cursor: Decodable, Sendable {
    let names: [String]
    let after: String?
  }

  private struct Broken: Error {}

  private let kit = TestKit()

  private func link(_ target: String) -> HTTPHeaders { ["Link": "<\(target)>; rel=\"next\""] }

  /// Three pages, of which the second one is empty.
  private func serveThree() {
    kit.stub.on(.get, "/items", .json("[1, 2]", headers: link("/items?page=2")))
    kit.stub.on(
      .get, "/items", query: ["page": "2"], .json("[]", headers: ["ETag": "\"e\"", "Link": "<?page=3>;rel=next"]))
    kit.stub.on(.get, "/items", query: ["page": "3"], .json("[3]"))
  }

  @Test("T8") func everyPageIsAResponseAlsoAnEmptyOne() async throws {
    serveThree()
    let pages = kit.client.pages(request: "/items", of: Int.self)
    expect(kit.stub.requests.isEmpty)
    var read: [Response<[Int]>] = []
    for try await page in pages { read.append(page) }
    expectEqual(read.map(\.value), [[1, 2], [], [3]])
    expectEqual(read[1].etag, "\"e\"")
    expectEqual(read[1].links.first?.target.hasSuffix("/items?page=3"), true)
    let elements = SignalRecorder(pages.elements)
    expectEqual(elements.values, [1, 2, 3])
    expect(elements.isCompleted)
    expect(elements.violations.isEmpty)
  }

  @Test func eachReadingBeginsWithTheFirstPage() {
    serveThree()
    let pages = kit.client.pages(request: "/items", of: Int.self)
    for _ in 1...2 {
      let recorder = SignalRecorder(pages.signal)
      expectEqual(recorder.values.map(\.value), [[1, 2], [], [3]])
      expect(recorder.isCompleted)
    }
    expectEqual(kit.stub.requests.count, 6)
  }

  @Test func aClosureComputesTheNextRequest() async throws {
    kit.stub.on(.post, "/search", body: { $0.isEmpty }, .json(#"{"names": ["a"], "after": "x"}"#))
    kit.stub.on(.post, "/search", body: { !$0.isEmpty }, .json(#"{"names": ["b"]}"#))
    let pages = kit.client.pages(request: Request(.post, "/search"), as: Cursor.self) { page in
      page.value.after.map { Request(.post, "/search", headers: ["If-Match": "kept"], body: .json(["after": $0])) }
    }
    var names: [String] = []
    for try await page in pages { names += page.value.names }
    expectEqual(names, ["a", "b"])
    expectEqual(kit.stub.requests.last?.text, #"{"after":"x"}"#)
    expectEqual(kit.stub.requests.last?.headers["If-Match"], "kept")
  }

  @Test func aClosureThatThrowsFailsLikeATransform() {
    serveThree()
    for (thrown, code) in [
      (Broken() as any Error, NetworkError.Code.transformFailed), (NetworkError(.api(7)), .api(7)),
    ] {
      let pages = kit.client.pages(request: "/items", as: [Int].self) { _ in throw thrown }
      let recorder = SignalRecorder(pages.signal)
      expectEqual(recorder.values.map(\.value), [[1, 2]])
      expectEqual(recorder.failure?.code, code)
    }
  }

  @Test func aClosuresOwnErrorIsDeliveredWithoutTheMessageOfTheClient() {
    let kit = TestKit { $0.messages = [.api(7): "The client's.", .transformFailed: "The client's."] }
    kit.stub.on(.get, "/items", .json("[1]"))
    let own = NetworkError(.api(7))
    for (thrown, message) in [(own as any Error, own.message), (Broken(), "The client's.")] {
      let request = Request(.get, "/items", options: .with { $0.presentation = .silent })
      let pages = kit.client.pages(request: request, as: [Int].self) { _ in throw thrown }
      let failure = SignalRecorder(pages.signal).failure
      expectEqual(failure?.message, message)
      expectEqual(failure?.presentation, thrown is NetworkError ? own.presentation : .silent)
    }
  }

  @Test func theClosureIsNotCalledForAPageThatIsNotWanted() {
    serveThree()
    let calls = CurrentValue(0)
    let pages = kit.client.pages(request: "/items", as: [Int].self) { _ in
      calls.modify { $0 += 1 }
      return Request(.get, "/items", query: ["page": 1 + calls.value])
    }
    expect(SignalRecorder(pages.signal.take(2)).isCompleted)
    expectEqual(calls.value, 1)
    expectEqual(kit.stub.requests.count, 2)
  }

  @Test("T8") func a304EndsThePagesWithoutOne() async throws {
    kit.stub.on(.get, "/items", .status(304))
    let pages = kit.client.pages(request: Request(.get, "/items", headers: ["If-None-Match": "\"e\""]), of: Int.self)
    let recorder = SignalRecorder(pages.signal)
    expectEqual(recorder.events.count, 1)
    expect(recorder.isCompleted)
    for try await _ in pages { Issue.record("there is no page") }
    // Nobody asked: it is an error, as everywhere.
    expectEqual(SignalRecorder(kit.client.pages(request: "/items", of: Int.self).signal).failure?.code, .status(304))
    expectEqual(kit.stub.requests.count, 3)
  }

  @Test func aFailureFollowsThePagesBeforeIt() async throws {
    serveThree()
    kit.stub.on(.get, "/items", query: ["page": "3"], .status(500))
    let recorder = SignalRecorder(kit.client.pages(request: "/items", of: Int.self).signal)
    expectEqual(recorder.values.map(\.value), [[1, 2], []])
    expectEqual(recorder.failure?.code, .status(500))
    var iterator = kit.client.pages(request: "/items", of: Int.self).makeAsyncIterator()
    try await expectEqual(iterator.next()?.value, [1, 2])
    try await expectEqual(iterator.next()?.value, [])
    await #expect(throws: NetworkError.self) { _ = try await iterator.next() }
    try await expectNil(iterator.next())
    expectEqual(kit.stub.requests.count, 6)
  }

  @Test func eachPageIsRetriedOnItsOwn() {
    kit.stub.on(.get, "/items", .status(503), .json("[1]", headers: link("/items?page=2")))
    kit.stub.on(.get, "/items", query: ["page": "2"], .status(503), .json("[2]"))
    let request = Request(.get, "/items", retry: Retry(limit: 1, backoff: .none))
    let recorder = SignalRecorder(kit.client.pages(request: request, of: Int.self).signal)
    expectEqual(recorder.values.map(\.value), [[1], [2]])
    expectEqual(kit.stub.requests.count, 4)
  }

  @Test func anObjectInsteadOfAnArrayIsAnError() {
    kit.stub.on(.get, "/items", .json("[1]"))
    let recorder = SignalRecorder(kit.client.pages(request: "/items", as: Cursor.self).signal)
    expect(recorder.values.isEmpty)
    expectEqual(recorder.failure?.domain, .processing)
  }

  @Test func cacheThenNetworkReadsEachPageOnce() {
    serveThree()
    let request = Request(.get, "/items", cache: CachePolicy.cacheThenNetwork)
    for _ in 1...2 {
      let recorder = SignalRecorder(kit.client.pages(request: request, of: Int.self).signal)
      expectEqual(recorder.values.map(\.value), [[1, 2], [], [3]])
      expect(recorder.isCompleted)
    }
  }

  @Test func aCancelledTaskCancelsTheRequest() async throws {
    kit.stub.on(.get, "/items", .json("[1]", headers: link("/items?page=2")))
    kit.stub.on(.get, "/items", query: ["page": "2"], .never)
    let pages = kit.client.pages(request: "/items", of: Int.self)
    let task = Task { () -> NetworkError? in
      do throws(NetworkError) {
        for try await _ in pages {}
        return nil
      } catch {
        return error
      }
    }
    await kit.stub.requested(2)
    task.cancel()
    await expectEqual(task.value?.isCancelled, true)
    expectEqual(kit.stub.cancelledCount, 1)
    expectEqual(kit.stub.activeCount, 0)
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var iterator = pages.makeAsyncIterator()
      return try await iterator.next()
    }
    await #expect(throws: NetworkError.self) { _ = try await late.value }
    expectEqual(kit.stub.requests.count, 2)
  }

  @Test func theClientMayBeDeallocated() async throws {
    serveThree()
    var iterator = TestKit { $0.transport = kit.stub }.client.pages(request: "/items", of: Int.self).makeAsyncIterator()
    var count = 0
    while try await iterator.next() != nil { count += 1 }
    expectEqual(count, 3)
  }
}
