import Foundation
import Heliograph
import HeliographTesting
import Testing

/// Async calls of a cancelled task throw one error; disposed signals stay silent.
@Suite(.serialized) struct AsyncCancellationTests {
  @Test func aCancelledTaskThrowsAndClosesTheConnection() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/stuck") { _ in .never }
    let client = shop.client
    var fastest = Duration.seconds(60)
    // The machine may be busy, but not each time.
    for round in 1...10 where fastest >= .milliseconds(200) {
      let task = Task { try await client.failure(of: "/stuck", as: Product.self) }
      #expect(await shop.server.wait { $0.requests.count == round })
      let cancelledAt = ContinuousClock.now
      task.cancel()
      let error = try await task.value
      let thrownAt = ContinuousClock.now
      #expect(error.domain == .client && error.code == .cancelled)
      #expect(error.isCancelled && !error.isTimeout && !error.isOffline && !error.isUnauthorized)
      #expect(await shop.server.wait { $0.openConnectionCount == 0 })
      let closed = try #require(shop.server.log.connections.last)
      #expect(closed.closedBy == .client)
      let closedAt = try #require(closed.closedAt)
      fastest = min(fastest, max(thrownAt, closedAt) - cancelledAt)
    }
    #expect(fastest < .milliseconds(200))
  }

  @Test func aTaskThatIsAlreadyCancelledSendsNothing() async throws {
    let stubbed = Stubbed()
    stubbed.answer("5")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await stubbed.client.failure(of: "/x", as: Int.self)
    }
    #expect(try await task.value.isCancelled)
    #expect(stubbed.stub.requests.isEmpty)
    // Another task of the same client is not affected.
    #expect(try await stubbed.client.value(of: "/x", as: Int.self) == 5)
  }

  @Test func aDisposedSignalDeliversNoCancellation() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/stuck") { _ in .never }
    let recorders = [
      SignalRecorder(shop.client.enqueue(request: "/stuck", resultType: Product.self).map { _ in }),
      SignalRecorder(shop.client.download(request: "/stuck").map { _ in }),
      SignalRecorder(shop.client.enqueue(Request(.get, "/stuck").returning(Product.self)).map { _ in }),
    ]
    #expect(await shop.server.wait { $0.requests.count == 3 })
    for recorder in recorders { recorder.dispose() }
    #expect(await shop.server.wait { $0.openConnectionCount == 0 })
    #expect(recorders.allSatisfy { $0.events.isEmpty })
  }

  @Test func aCancelledLoopOverADownloadThrows() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/long") { _ in
      .chunked(Array(repeating: Data(count: 1_000), count: 1_000), every: .milliseconds(10))
    }
    let client = shop.client
    let task = Task { () -> (isFinished: Bool, error: NetworkError?) in
      var isFinished = false
      do throws(NetworkError) {
        for try await transfer in client.download(request: "/long").values {
          isFinished = isFinished || transfer.finished != nil
        }
        return (isFinished, nil)
      } catch {
        return (isFinished, error)
      }
    }
    #expect(await shop.server.wait { ($0.connections.first?.sentByteCount ?? 0) > 5_000 })
    task.cancel()
    let (isFinished, error) = await task.value
    #expect(!isFinished)
    #expect(error?.isCancelled == true)
    #expect(await shop.server.wait { $0.openConnectionCount == 0 })
  }

  @Test func aLoopThatHasEndedDoesNotThrowAfterwards() async throws {
    let stubbed = Stubbed()
    stubbed.answer("5")
    let task = Task {
      let iterator = stubbed.client.download(request: "/x").values.makeAsyncIterator()
      var finishedCount = 0
      while let transfer = try await iterator.next() {
        if transfer.finished != nil { finishedCount += 1 }
      }
      withUnsafeCurrentTask { $0?.cancel() }
      let next = try await iterator.next()
      return finishedCount == 1 && next == nil
    }
    #expect(try await task.value)
  }
}
