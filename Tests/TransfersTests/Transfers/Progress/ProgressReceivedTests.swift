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
}
