import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Synchronization
import TestSupport
import Testing

/// A page is requested when the one before it was delivered, if it is wanted.
struct PageDemandTests {
  /// Whether nothing else runs in this process.
  private let isAlone = Scale.isFull

  /// Returns how many pages a server of 100,000 has been asked for, once a later request has arrived.
  private func requested(_ server: LoopbackServer, _ client: NetworkClient) async throws -> Int {
    _ = try await client.value(of: "/marker", as: [Int].self)
    return server.log.requests(to: "/items").count
  }

  @Test("O2", arguments: ["take", "elements", "dispose", "break"])
  func fivePagesOfAHundredThousandAreFiveRequests(_ way: String) async throws {
    let shop = try Shop()
    shop.server.servePages(100_000)
    let pages = shop.client.pages(request: "/items", of: Int.self)
    switch way {
    case "take":
      let recorder = SignalRecorder(pages.signal.take(5))
      await recorder.waitForEnd()
      expectEqual(recorder.values.map(\.value), [[1], [2], [3], [4], [5]])
    case "elements":
      let recorder = SignalRecorder(pages.elements.take(5))
      await recorder.waitForEnd()
      expectEqual(recorder.values, [1, 2, 3, 4, 5])
    case "dispose":
      let bag = DisposeBag()
      let pair = AsyncStream.makeStream(of: Void.self)
      // The bag has the subscription before the first page is requested.
      let start = PublishSubject<Void, NetworkError>()
      start.signal.flatMap { pages.signal }.subscribe(
        onValue: { page in
          guard page.value == [5] else { return }
          bag.dispose()
          pair.continuation.finish()
        }, onFailure: { Issue.record($0) }
      ).disposed(by: bag)
      start.send(())
      for await _ in pair.stream {}
    default:
      for try await page in pages where page.value == [5] { break }
    }
    try await expectEqual(requested(shop.server, shop.client), 5)
  }

  /// A loop calls the closure for the next request when it requests that page, a pager when it has read one.
  @MainActor @Test func aPagerKnowsTheNextRequestBeforeItIsSent() async throws {
    let source = NumberedPages(count: 10)
    let count = Guarded(0)
    let pages = source.client.pages(request: "/items", as: [Int].self) { page in
      count.withLock { $0 += 1 }
      return page.value == [2] ? nil : Request(.get, "/items", query: ["page": 2])
    }
    var iterator = pages.makeAsyncIterator()
    _ = try await iterator.next()
    expectEqual(count.withLock { $0 }, 0)
    let pager = Pager(pages)
    await pager.refresh()
    expectEqual(count.withLock { $0 }, 1)
    expectEqual(source.requestCount, 2)
    expect(pager.hasMore)
    pager.loadMore()
    await until { !pager.isLoadingMore }
    expectEqual(pager.items, [1, 2])
    expectEqual(count.withLock { $0 }, 2)
    expect(!pager.hasMore)
  }

  @Test func aLoopAsksForOnePageEachTime() async throws {
    let source = NumberedPages(count: 10)
    var iterator = source.client.pages(request: "/items", of: Int.self).makeAsyncIterator()
    for number in 1...10 {
      expectEqual(source.requestCount, number - 1)
      try await expectEqual(iterator.next()?.value, [number])
      expectEqual(source.requestCount, number)
    }
    try await expectNil(iterator.next())
    expectEqual(source.requestCount, 10)
  }

  @Test(arguments: [false, true]) func aFullBufferPausesThePages(_ byElement: Bool) {
    let source = NumberedPages(count: 200)
    let scheduler = VirtualScheduler()
    let pages = source.client.pages(request: "/items", of: Int.self)
    let numbers = byElement ? pages.elements : pages.signal.map { $0.value.reduce(0, +) }
    let gate = CurrentValue(0)
    let recorder = SignalRecorder(numbers.observe(on: scheduler).on(value: { gate.value = $0 }))
    expect(source.requestCount <= 17)
    expect(recorder.values.isEmpty)
    while source.requestCount < 200, scheduler.pendingCount > 0 { scheduler.advance(by: .zero) }
    scheduler.advance(by: .seconds(1))
    expectEqual(recorder.values, Array(1...200))
    expect(recorder.isCompleted)
    expect(recorder.violations.isEmpty)
  }

  /// Not on the consumer's thread, which is often the main thread.
  @Test(arguments: [false, true]) func aPausedReadingContinuesOnTheProcessingScheduler(_ byElement: Bool) {
    let source = NumberedPages(count: 40)
    let (processing, consumer) = (VirtualScheduler(), VirtualScheduler())
    let pages = source.client(processing: processing).pages(request: "/items", of: Int.self)
    let numbers = byElement ? pages.elements : pages.signal.map { $0.value.reduce(0, +) }
    let recorder = SignalRecorder(numbers.observe(on: consumer))
    processing.advance()
    let count = source.requestCount
    consumer.advance()
    expectEqual(recorder.values, Array(1...16))
    expectEqual(source.requestCount, count)
    for _ in 0..<3 {
      processing.advance()
      consumer.advance()
    }
    expectEqual(recorder.values, Array(1...40))
    expect(recorder.isCompleted)
  }

  @Test func aDisposedPauseRequestsNothing() {
    let source = NumberedPages(count: 200)
    let scheduler = VirtualScheduler()
    let recorder = SignalRecorder(
      source.client.pages(request: "/items", of: Int.self).signal.observe(on: scheduler))
    let count = source.requestCount
    recorder.dispose()
    scheduler.advance(by: .seconds(1))
    expectEqual(source.requestCount, count)
    expect(recorder.events.isEmpty)
  }

  /// Stopped by another thread in the middle: nothing is requested afterwards.
  @Test func disposalRacesWithPages() async {
    for _ in 1...50 {
      let source = NumberedPages(count: 500)
      let values = Atomic<Int>(0)
      let stop = PublishSubject<Void, NetworkError>()
      let began = Atomic<Bool>(false)
      let pages = source.client.pages(request: "/items", of: Int.self)
      await together(2) { index in
        if index == 0 {
          pages.signal.take(until: stop.signal).subscribe(
            onValue: { _ in
              values.add(1, ordering: .relaxed)
              began.store(true, ordering: .releasing)
            }, onFailure: { Issue.record($0) })
        } else {
          spin { began.load(ordering: .acquiring) }
          stop.send(())
        }
      }
      let (count, delivered) = (source.requestCount, values.load(ordering: .relaxed))
      expect(count - delivered <= 1)
      expectEqual(source.requestCount, count)
    }
  }

  @Test func manyReadersReadOnTheirOwn() async {
    let source = NumberedPages(count: 50)
    let pages = source.client.pages(request: "/items", of: Int.self)
    await together(4) { _ in
      let recorder = SignalRecorder(pages.elements)
      expectEqual(recorder.values, Array(1...50))
      expect(recorder.isCompleted)
    }
    expectEqual(source.requestCount, 200)
  }

  @Test func manySynchronousPagesNeedNoStack() async throws {
    let count = isAlone ? 100_000 : 1_000
    let sums = await onSmallThread {
      let source = NumberedPages(count: count)
      let pages = source.client.pages(request: "/items", of: Int.self)
      let sum = Guarded((pages: 0, elements: 0, early: 0, late: 0))
      pages.signal.subscribe(
        onValue: { page in
          let number = page.value.reduce(0, +)
          if number == count / 5 { sum.withLock { $0.early = residentByteCount() } }
          if number == count { sum.withLock { $0.late = residentByteCount() } }
          sum.withLock { $0.pages += 1 }
        }, onFailure: { Issue.record($0) })
      pages.elements.subscribe(
        onValue: { _ in sum.withLock { $0.elements += 1 } }, onFailure: { Issue.record($0) })
      return sum.withLock { $0 }
    }
    expectEqual(sums.pages, count)
    expectEqual(sums.elements, count)
    if isAlone {
      print("synchronous pages: \(count), growth \(sums.late - sums.early) bytes")
      expect(sums.late - sums.early <= 2 << 20)
    }
  }

  /// To the end over a socket: by a loop and by a signal, in constant memory.
  @Test(arguments: [false, true])
  func manyPagesOverASocket(_ isLoop: Bool) async throws {
    let shop = try Shop()
    let count = isAlone ? 100_000 : 500
    shop.server.servePages(count)
    let pages = shop.client.pages(request: "/items", of: Int.self)
    let sum = Guarded((pages: 0, early: 0, late: 0))
    let server = shop.server
    let note: @Sendable (Response<[Int]>) -> Void = { page in
      let number = page.value.reduce(0, +)
      // The server's log grows otherwise.
      if number % 100 == 0 { server.forgetRequests() }
      if number == count / 5 { sum.withLock { $0.early = residentByteCount() } }
      if number == count { sum.withLock { $0.late = residentByteCount() } }
      sum.withLock { $0.pages += 1 }
    }
    if isLoop {
      for try await page in pages { note(page) }
    } else {
      let last = SignalRecorder(pages.signal.on(value: note).map { _ in () }.last())
      await expect(last.waitForEnd() && last.isCompleted)
    }
    let sums = sum.withLock { $0 }
    expectEqual(sums.pages, count)
    expect(shop.server.log.acceptedCount <= 2)
    if isAlone {
      print("pages over a socket: \(count), growth \(sums.late - sums.early) bytes")
      expect(sums.late - sums.early <= 2 << 20)
    }
  }
}
