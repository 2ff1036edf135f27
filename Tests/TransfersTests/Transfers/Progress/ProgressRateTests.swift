import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// The rate and what follows from it, and downloads that continue at an offset.
struct ProgressRateTests {
  private func isClose(_ rate: Double?, _ expected: Double, within part: Double = 1e-9) -> Bool {
    rate.map { abs($0 - expected) <= expected * part } ?? false
  }

  @Test func aConstantRateIsExactFromItsStart() {
    for pieceDelay in [Duration.milliseconds(1), .milliseconds(100), .seconds(7)] {
      let bench = ProgressBench()
      let recorder = bench.download(every: .zero)
      bench.transport.head(0, 200, ["Content-Length": "200000"])
      bench.pieces(200, of: 1000, every: pieceDelay)
      let expected = 1000 / (pieceDelay / .seconds(1))
      let received = recorder.progress(.receiving)
      expectEqual(received.count, 200)
      // It is known after 100 ms.
      let unknownCount = pieceDelay == .milliseconds(1) ? 99 : 0
      expect(received.prefix(unknownCount).allSatisfy { $0.bytesPerSecond == nil && $0.timeRemaining == nil })
      expect(received.dropFirst(unknownCount + 1).allSatisfy { isClose($0.bytesPerSecond, expected) })
      expectEqual(received.last?.timeRemaining, .zero)
      let half = received[150]
      expect(isClose(half.timeRemaining.map { $0 / .seconds(1) }, Double(200_000 - half.byteCount) / expected))
    }
  }

  @Test func aChangeOfTheRateIsFollowedInSeconds() {
    let bench = ProgressBench()
    let recorder = bench.download()
    bench.transport.head(0, 200, ["Content-Length": "1000000000"])
    bench.pieces(100, of: 1000, every: .milliseconds(100))
    expect(isClose(recorder.progress(.receiving).last?.bytesPerSecond, 10_000))
    bench.pieces(1, of: 5000, every: .milliseconds(100))
    // A single piece moves it a little.
    expect(isClose(recorder.progress(.receiving).last?.bytesPerSecond, 10_000, within: 0.2))
    bench.pieces(150, of: 5000, every: .milliseconds(100))
    expect(isClose(recorder.progress(.receiving).last?.bytesPerSecond, 50_000, within: 0.02))
    // After a stall the next piece shows it.
    bench.pieces(1, of: 5000, every: .seconds(30))
    expectEqual(recorder.progress(.receiving).last?.bytesPerSecond.map { $0 < 300 }, true)
  }

  @Test func aWholeBodyInOneInstantHasNoRate() {
    let bench = ProgressBench()
    let recorder = bench.download(every: .zero)
    bench.transport.head(0, 200, ["Content-Length": "1000"])
    bench.pieces(10, of: 100, every: .zero)
    expect(recorder.progress(.receiving).allSatisfy { $0.bytesPerSecond == nil })
  }

  @Test func anUploadHasARate() {
    let bench = ProgressBench()
    let recorder = bench.upload(.data(Data(count: 10_000), contentType: "a/b"), every: .zero)
    for count in stride(from: 1000, through: 10_000, by: 1000) {
      bench.clock.advance(by: .milliseconds(500))
      bench.transport.exchange(0).send(.sent(byteCount: count))
    }
    let sent = recorder.progress(.sending)
    // The time before the first count is that of the connection.
    expectNil(sent.first?.bytesPerSecond)
    expect(sent.dropFirst().allSatisfy { isClose($0.bytesPerSecond, 2000) })
    expect(isClose(sent[4].timeRemaining.map { $0 / .seconds(1) }, 2.5))
  }

  @Test func aResumedDownloadContinuesAtItsOffset() {
    let bench = ProgressBench()
    let recorder = bench.download(["Range": "bytes=600-"], every: .zero)
    bench.transport.head(0, 206, ["Content-Length": "400", "Content-Range": "bytes 600-999/1000"])
    bench.pieces(4, of: 100, every: .seconds(1))
    bench.transport.exchange(0).complete()
    let received = recorder.progress(.receiving)
    expectEqual(received.map(\.byteCount), [700, 800, 900, 1000])
    expect(received.allSatisfy { $0.totalByteCount == 1000 })
    // Only of this run.
    expect(received.allSatisfy { isClose($0.bytesPerSecond, 100) })
    expect(isClose(received[1].timeRemaining.map { $0 / .seconds(1) }, 2))
  }

  @Test(
    arguments: [
      // A part in the middle is counted alone.
      (["Content-Length": "400", "Content-Range": "bytes 100-499/1000"], [[100, 400], [400, 400]]),
      // The total is not known.
      (["Content-Length": "400", "Content-Range": "bytes 100-499/*"], [[200, nil], [500, 500]]),
      (["Transfer-Encoding": "chunked", "Content-Range": "bytes 600-999/1000"], [[700, 1000], [1000, 1000]]),
      // The offset is one of compressed bytes.
      (["Content-Encoding": "br", "Content-Range": "bytes 600-999/1000"], [[100, nil], [400, 400]]),
      (["Content-Encoding": "identity", "Content-Range": "bytes 600-999/1000"], [[700, 1000], [1000, 1000]]),
      (["Content-Length": "400", "Content-Range": "bytes 9-1/3"], [[100, 400], [400, 400]]),
      // Such an offset plus what comes is more than any number.
      (
        ["Content-Range": "bytes 9223372036854775800-9223372036854775805/9223372036854775806"],
        [[.max, 9_223_372_036_854_775_806], [.max, .max]]
      ),
    ] as [([String: String], [[Int?]])])
  func aPartCountsAsItsFieldsSay(_ fields: [String: String], _ expected: [[Int?]]) {
    let bench = ProgressBench()
    let recorder = bench.download(["Range": "bytes=600-"], every: .seconds(60))
    bench.transport.head(0, 206, HTTPHeaders(fields.map { HTTPHeaders.Field(name: $0.key, value: $0.value) }))
    bench.pieces(4, of: 100, every: .seconds(1))
    bench.transport.exchange(0).complete()
    expectEqual(
      recorder.progress(.receiving).map { [$0.byteCount, $0.totalByteCount] }, expected, "\(recorder.events)")
  }

  @Test func whatIsUnknownIsNil() {
    let unknown = TransferProgress(.receiving, byteCount: 5, bytesPerSecond: 10)
    expectNil(unknown.fractionCompleted)
    expectNil(unknown.timeRemaining)
    for rate in [nil, 0, -1, .nan, 1e-12, -.infinity] as [Double?] {
      let progress = TransferProgress(.receiving, byteCount: 5, totalByteCount: 10, bytesPerSecond: rate)
      expectNil(progress.timeRemaining, "\(String(describing: rate))")
      expectEqual(progress.fractionCompleted, 0.5)
    }
    let whole = TransferProgress(.receiving, byteCount: 10, totalByteCount: 10, bytesPerSecond: 2)
    expectEqual(whole.timeRemaining, .zero)
    expectEqual(whole.fractionCompleted, 1)
    let half = TransferProgress(.receiving, byteCount: 5, totalByteCount: 10, bytesPerSecond: 2)
    expectEqual(half.timeRemaining, .milliseconds(2500))
  }
}
