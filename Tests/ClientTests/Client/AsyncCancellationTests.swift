import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Async calls of a cancelled task throw one error; disposed signals stay silent.
@Suite(.serialized) struct AsyncCancellationTests {
  @Test func aCancelledTaskThrowsAndClosesTheConnection() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/stuck") { _ in .never }
    let client = shop.client
    try await expectInARound {
      let count = shop.server.log.requests.count
      let task = Task { try await client.failure(of: "/stuck", as: Product.self) }
      await expect(shop.server.wait { $0.requests.count == count + 1 })
      let cancelledAt = ContinuousClock.now
      task.cancel()
      let error = try await task.value
      expectEqual(error.code, .cancelled)
      expect(error.isCancelled)
      expect(!error.isTimeout)
      expect(!error.isOffline)
      expect(!error.isUnauthorized)
      await expect(shop.server.wait { $0.openConnectionCount == 0 })
      let closed = try require(shop.server.log.connections.last)
      expectEqual(closed.isClosedByClient, true)
      return try require(closed.closedAt) - cancelledAt < .milliseconds(200)
    }
  }

  @Test func aTaskThatIsAlreadyCancelledSendsNothing() async throws {
    let stubbed = Stubbed()
    stubbed.answer("5")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await stubbed.client.failure(of: "/x", as: Int.self)
    }
    try await expect(task.value.isCancelled)
    expect(stubbed.stub.requests.isEmpty)
    // Another task of the same client is not affected.
    try await expectEqual(stubbed.client.value(of: "/x", as: Int.self), 5)
  }

  @Test func aDisposedSignalDeliversNoCancellation() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/stuck") { _ in .never }
    let recorders = [
      SignalRecorder(shop.client.enqueue(request: "/stuck", resultType: Product.self).map { _ in }),
      SignalRecorder(shop.client.download(request: "/stuck").map { _ in }),
      SignalRecorder(shop.client.enqueue(request: Request(.get, "/stuck").returning(Product.self)).map { _ in }),
    ]
    await expect(shop.server.wait { $0.requests.count == 3 })
    for recorder in recorders { recorder.dispose() }
    await expect(shop.server.wait { $0.openConnectionCount == 0 })
    expect(recorders.allSatisfy { $0.events.isEmpty })
  }

  @Test func aCancelledLoopOverADownloadThrows() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/long") { _ in
      .chunked(Array(repeating: Data(count: 1_000), count: 30_000), every: .milliseconds(10))
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
    await expect(shop.server.wait { ($0.connections.first?.sentByteCount ?? 0) > 5_000 })
    task.cancel()
    let (isFinished, error) = await task.value
    expect(!isFinished)
    expectEqual(error?.isCancelled, true)
    await expect(shop.server.wait { $0.openConnectionCount == 0 })
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
    try await expect(task.value)
  }
}
