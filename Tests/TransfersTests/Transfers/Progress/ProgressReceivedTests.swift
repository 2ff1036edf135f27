import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// The progress of a body that a transport delivers only when it is complete, as a background session does.
struct ProgressReceivedTests {
  private let bench = ProgressBench()

  private func counts(_ recorder: ProgressBench.Recorder) -> [Int] { recorder.progress(.receiving).map(\.byteCount) }

  @Test func aBodyIsCountedOnceAlthoughItIsDeliveredLater() {
    let recorder = bench.download()
    for count in [100, 400, 1_000] {
      bench.clock.advance(by: .seconds(1))
      bench.transport.exchange(0).send(.received(byteCount: count, totalByteCount: 1_000))
    }
    expectEqual(counts(recorder), [100, 400, 1_000])
    expect(recorder.progress(.receiving).allSatisfy { $0.totalByteCount == 1_000 })
    bench.transport.head(0, 200, ["Content-Length": "1000"])
    bench.pieces(10, of: 100, every: .seconds(1))
    bench.transport.exchange(0).complete()
    expectEqual(counts(recorder), [100, 400, 1_000])
    expectEqual(recorder.values.last?.finished?.value.count, 1_000)
  }

  @Test func theBytesBeforeARangeCount() {
    let recorder = bench.download(["Range": "bytes=400-"])
    bench.transport.exchange(0).send(.received(byteCount: 100, totalByteCount: 600))
    expectEqual(recorder.progress(.receiving).map(\.totalByteCount), [1_000])
    bench.transport.head(0, 206, ["Content-Range": "bytes 400-999/1000"])
    bench.pieces(6, of: 100, every: .seconds(1))
    bench.transport.exchange(0).complete()
    // The first piece is not reported again.
    expectEqual(counts(recorder), [500, 600, 700, 800, 900, 1_000])
  }

  @Test func aRequestThatTheSystemSendsAgainIsReportedOnceItIsFurther() {
    let recorder = bench.download()
    for (count, total) in [(500, nil), (100, 2_000), (600, 2_000)] as [(Int, Int?)] {
      bench.clock.advance(by: .seconds(1))
      bench.transport.exchange(0).send(.received(byteCount: count, totalByteCount: total))
    }
    expectEqual(counts(recorder), [500, 600])
    expectEqual(recorder.progress(.receiving).map(\.totalByteCount), [nil, 2_000])
  }

  @Test func anyLengthIsCounted() {
    let recorder = bench.download(["Range": "bytes=5-"])
    bench.transport.exchange(0).send(.received(byteCount: .max - 1, totalByteCount: .max))
    expectEqual(counts(recorder), [.max])
  }

  private static let search = Request(
    .post, "/search", body: .data(Data(count: 100), contentType: "a/b"), cache: .timeToLive(.seconds(60)))

  private func upload(_ request: Request) -> ProgressBench.Recorder {
    SignalRecorder(bench.client.download(request: request))
  }

  private func answer(_ exchange: Int) {
    for count in [40, 100] { bench.transport.exchange(exchange).send(.sent(byteCount: count)) }
    bench.transport.head(exchange, 200, ["Content-Length": "50", "ETag": "\"a\""])
    bench.transport.exchange(exchange).send(.body(Data(count: 50)))
    bench.transport.exchange(exchange).complete()
  }

  /// Nothing is sent or received.
  @Test func aResponseFromTheCacheHasNoProgress() async {
    let first = upload(Self.search)
    answer(0)
    await first.waitForEnd()
    expectEqual(first.progress(.sending).map(\.byteCount), [40, 100])
    expectEqual(counts(first), [50])
    let second = upload(Self.search)
    await second.waitForEnd()
    expectEqual(second.values.map { $0.finished?.value.count }, [50])
    expectEqual(bench.transport.requests.count, 1)
  }

  /// The progress is that of the exchange which follows the stored response.
  @Test func theProgressAfterAStoredResponseIsReported() async {
    let first = upload(Self.search)
    answer(0)
    await first.waitForEnd()
    var request = Self.search
    request.options.cache = .cacheThenNetwork
    let second = upload(request)
    await second.wait { $0.contains { $0.value?.finished != nil } }
    answer(1)
    await second.waitForEnd()
    expectEqual(second.values.compactMap(\.finished).count, 2)
    expectEqual(second.progress(.sending).map(\.byteCount), [40, 100])
    expectEqual(counts(second), [50])
  }

  /// The body of the request is sent, but only a 304 is received.
  @Test func aConfirmedResponseIsNotReceived() async {
    var request = Request(.get, "/film", cache: .http)
    request.options.progressInterval = .zero
    let first = upload(request)
    answer(0)
    await first.waitForEnd()
    request.headers["Cache-Control"] = "no-cache"
    let second = upload(request)
    bench.transport.head(1, 304, ["ETag": "\"a\""])
    bench.transport.exchange(1).complete()
    await second.waitForEnd()
    expectEqual(second.values.last?.finished?.source, .revalidated)
    expect(second.progress(.receiving).isEmpty, "\(second.events)")
  }
}
