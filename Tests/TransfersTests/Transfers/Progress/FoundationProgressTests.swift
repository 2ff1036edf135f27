import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Transfers that update a `Progress`, and are cancelled by it.
struct FoundationProgressTests {
  private let bench = ProgressBench()

  private func download(_ progress: Progress, every interval: Duration = .zero) -> ProgressBench.Recorder {
    let request = Request(.get, "/film", options: .with { $0.progressInterval = interval })
    return SignalRecorder(bench.client.download(request: request).reporting(to: progress))
  }

  private func number(_ progress: Progress, _ key: ProgressUserInfoKey) -> Double? {
    (progress.userInfo[key] as? NSNumber)?.doubleValue
  }

  @Test func aDownloadCountsItsBytes() {
    let progress = Progress(totalUnitCount: -1)
    let recorder = download(progress)
    expect(progress.isCancellable)
    expectEqual(progress.kind, .file)
    bench.transport.head(0, 200, ["Content-Length": "1000"])
    bench.pieces(5, of: 100, every: .seconds(1))
    expectEqual(progress.totalUnitCount, 1000)
    expectEqual(progress.completedUnitCount, 500)
    expectEqual(progress.fractionCompleted, 0.5)
    expect(!progress.isFinished)
    expectEqual(number(progress, .throughputKey).map { abs($0 - 100) < 0.001 }, true)
    expectEqual(number(progress, .estimatedTimeRemainingKey).map { abs($0 - 5) < 0.001 }, true)
    bench.pieces(5, of: 100, every: .seconds(1))
    bench.transport.exchange(0).complete()
    expect(progress.isFinished)
    expectEqual(progress.completedUnitCount, 1000)
    expect(recorder.isCompleted)
    expectEqual(recorder.values.last?.finished?.value.count, 1000)
    expectEqual(recorder.progress(.receiving).count, 10)
  }

  @Test func anUnknownTotalIsIndeterminateUntilTheEnd() {
    let progress = Progress(totalUnitCount: 7)
    let recorder = download(progress)
    bench.transport.head(0)
    bench.pieces(5, of: 100, every: .seconds(1))
    expect(progress.isIndeterminate)
    expectEqual(progress.completedUnitCount, 500)
    expectNil(number(progress, .estimatedTimeRemainingKey))
    bench.transport.exchange(0).complete()
    expect(progress.isFinished)
    expectEqual(progress.totalUnitCount, 500)
    expectEqual(progress.fractionCompleted, 1)
    expect(recorder.isCompleted)
  }

  @Test func anEmptyBodyFinishesItToo() {
    let progress = Progress(totalUnitCount: -1)
    let recorder = download(progress)
    bench.transport.head(0, 200, ["Content-Length": "0"])
    bench.transport.exchange(0).complete()
    expect(recorder.isCompleted)
    expect(progress.isFinished)
    expectEqual(progress.fractionCompleted, 1)
  }

  @Test(arguments: [nil, .sending, .receiving] as [TransferProgress.Direction?])
  func oneDirectionIsFollowed(_ direction: TransferProgress.Direction?) {
    let progress = Progress(totalUnitCount: -1)
    let request = Request(.put, "/film", body: .data(Data(count: 100), contentType: "a/b"))
    let recorder = SignalRecorder(
      bench.client.download(request: request).reporting(to: progress, direction: direction))
    bench.transport.exchange(0).send(.sent(byteCount: 50))
    expectEqual(progress.completedUnitCount, (direction == .receiving ? 0 : 50))
    bench.transport.exchange(0).send(.sent(byteCount: 100))
    bench.transport.answer(0, "four", ["Content-Length": "4"])
    expect(recorder.isCompleted)
    expect(progress.isFinished)
    expectEqual(progress.totalUnitCount, (direction == .receiving ? 4 : 100))
  }

  @Test func aChildCountsOnceInItsParent() {
    let parent = Progress(totalUnitCount: 10)
    let progress = Progress(totalUnitCount: -1, parent: parent, pendingUnitCount: 4)
    let recorder = download(progress)
    bench.transport.head(0, 200, ["Content-Length": "1000"])
    bench.pieces(5, of: 100, every: .seconds(1))
    expect(abs(parent.fractionCompleted - 0.2) < 0.001)
    bench.pieces(5, of: 100, every: .seconds(1))
    bench.transport.exchange(0).complete()
    expect(recorder.isCompleted)
    expectEqual(parent.completedUnitCount, 4)
    expect(abs(parent.fractionCompleted - 0.4) < 0.001)
  }

  @Test func cancellingItDisposesTheTransferAndFailsTheSignal() async {
    for usesParent in [false, true] {
      let bench = ProgressBench()
      let parent = Progress(totalUnitCount: 1)
      let progress = Progress(totalUnitCount: -1, parent: parent, pendingUnitCount: 1)
      let recorder = SignalRecorder(bench.client.download(request: "/film").reporting(to: progress))
      bench.transport.head(0, 200, ["Content-Length": "1000"])
      bench.pieces(5, of: 100, every: .seconds(1))
      if usesParent { parent.cancel() } else { progress.cancel() }
      await expect(recorder.waitForEnd())
      expectEqual(recorder.failure?.isCancelled, true)
      expectEqual(bench.transport.cancelledCount, 1)
      bench.pieces(5, of: 100, every: .seconds(1))
      expectEqual(progress.completedUnitCount, 500)
      expect(recorder.violations.isEmpty)
    }
  }

  @Test func anAsyncLoopThrows() async throws {
    let kit = TestKit()
    kit.stub.on(.get, "/film", StubAnswer([.head(status: 200), .body(Data("a".utf8)), .never]))
    let progress = Progress(totalUnitCount: -1)
    let steps = kit.client.download(request: "/film").reporting(to: progress)
    let error = await #expect(throws: NetworkError.self) {
      for try await step in steps.values {
        expectEqual(step.progress?.byteCount, 1)
        progress.cancel()
      }
    }
    expectEqual(error?.isCancelled, true)
    expectEqual(kit.stub.cancelledCount, 1)
  }

  @Test func ifItIsCancelledAlreadyNothingIsSent() {
    let progress = Progress(totalUnitCount: -1)
    progress.cancel()
    let recorder = download(progress)
    expectEqual(recorder.failure?.isCancelled, true)
    expect(recorder.violations.isEmpty)
    expect(bench.transport.requests.isEmpty)
  }

  @Test func aDisposedTransferLeavesItAsItIsAndKeepsNothing() {
    let progress = Progress(totalUnitCount: -1)
    weak var kept: HandTransport?
    do {
      let bench = ProgressBench()
      let recorder = SignalRecorder(bench.client.download(request: "/film").reporting(to: progress))
      bench.transport.head(0, 200, ["Content-Length": "1000"])
      bench.pieces(1, of: 100, every: .seconds(1))
      recorder.dispose()
      kept = bench.transport
      expectEqual(bench.transport.cancelledCount, 1)
    }
    expectNil(kept)
    expectEqual(progress.completedUnitCount, 100)
    expect(!progress.isCancelled)
    expect(!progress.isFinished)
    progress.cancel()
  }

  @Test func aCompletedTransferIsReleased() {
    let progress = Progress(totalUnitCount: -1)
    weak var kept: HandTransport?
    do {
      let bench = ProgressBench()
      let recorder = SignalRecorder(bench.client.download(request: "/film").reporting(to: progress))
      bench.transport.answer(0, "four")
      expect(recorder.isCompleted)
      kept = bench.transport
    }
    expectNil(kept)
    expect(progress.isFinished)
    progress.cancel()
  }

  /// The operators after it, too, end with an owner before it.
  @Test(arguments: [true, false]) func theOwnerOfATransferEndsTheWholeSubscription(_ isLifetime: Bool) async {
    let progress = Progress(totalUnitCount: -1)
    let ended = Guarded(false)
    var owner: AnyObject? = isLifetime ? Lifetime() : Screen()
    let transfer = owner.map { bench.client.download(request: "/film").bound(to: $0).reporting(to: progress) }
    let recorder = transfer.map { transfer in
      SignalRecorder(transfer.finally { ended.withLock { $0 = true } })
    }
    bench.transport.head(0, 200, ["Content-Length": "1000"])
    bench.pieces(1, of: 100, every: .seconds(1))
    expectEqual(progress.completedUnitCount, 100)
    owner = nil
    if isLifetime { expect(ended.withLock { $0 }) }
    progress.cancel()
    await until { ended.withLock { $0 } }
    expectEqual(bench.transport.cancelledCount, 1)
    expectEqual(recorder?.events.contains { $0.isTerminal }, false)
    expectEqual(progress.completedUnitCount, 100)
  }

  @Test func aSecondSubscriptionIsCancelledByItToo() async {
    let progress = Progress(totalUnitCount: -1)
    let first = download(progress)
    bench.transport.exchange(0).fail(NetworkError(.connectionLost))
    expectEqual(first.failure?.code, .connectionLost)
    let second = download(progress)
    bench.transport.head(1, 200, ["Content-Length": "10"])
    progress.cancel()
    await expect(second.waitForEnd())
    expectEqual(second.failure?.isCancelled, true)
  }

  /// Cancelled from one thread while pieces come on another: one end, and the transfer is disposed.
  @Test func aCancellationRacesWithTheEnd() async {
    for _ in 0..<200 {
      let bench = ProgressBench()
      let progress = Progress(totalUnitCount: -1)
      let recorder = SignalRecorder(bench.client.download(request: "/film").reporting(to: progress))
      bench.transport.head(0, 200, ["Content-Length": "30"])
      await together(2) { index in
        if index == 0 { progress.cancel() } else { bench.transport.exchange(0).send(.body(Data(count: 30))) }
        if index == 1 { bench.transport.exchange(0).complete() }
      }
      await expect(recorder.waitForEnd())
      expect(recorder.violations.isEmpty)
      expect(recorder.isCompleted || recorder.failure?.isCancelled == true)
    }
  }
}
