import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A client whose exchanges are answered by hand, in virtual time.
struct ProgressBench {
  let clock = VirtualScheduler()
  let transport = HandTransport()
  let client: NetworkClient

  init(_ configure: (inout NetworkClient.Configuration) -> Void = { _ in }) {
    var configuration = NetworkClient.Configuration(
      baseURL: URL(string: "https://api.example.com"), transport: transport)
    configuration.scheduler = clock
    configuration.processing = .immediate
    configure(&configuration)
    client = NetworkClient(configuration)
  }

  typealias Recorder = SignalRecorder<Transfer<Response<Data>>, NetworkError>

  func download(_ headers: HTTPHeaders = [], every interval: Duration? = nil) -> Recorder {
    var request = Request(.get, "/film", headers: headers)
    if let interval { request.options.progressInterval = interval }
    return SignalRecorder(client.download(request: request))
  }

  func upload(_ body: RequestBody, every interval: Duration? = nil) -> Recorder {
    var request = Request(.put, "/film", body: body)
    if let interval { request.options.progressInterval = interval }
    return SignalRecorder(client.download(request: request))
  }

  /// Sends pieces of zeros, each after a delay.
  func pieces(_ count: Int, of byteCount: Int, every delay: Duration, exchange: Int = 0) {
    for _ in 0..<count {
      clock.advance(by: delay)
      transport.exchange(exchange).send(.body(Data(count: byteCount)))
    }
  }
}

/// When progress is reported.
struct ProgressIntervalTests {
  @Test("S0-21") func atMostOneInAnIntervalButTheFirstAndTheLastAlways() {
    let bench = ProgressBench()
    let recorder = bench.download()
    bench.transport.head(0, 200, ["Content-Length": "1000"])
    bench.pieces(100, of: 10, every: .milliseconds(10))
    let received = recorder.progress(.receiving)
    expectEqual(received.map(\.byteCount), [10, 110, 210, 310, 410, 510, 610, 710, 810, 910, 1000])
    expect(received.allSatisfy { $0.totalByteCount == 1000 })
    bench.transport.exchange(0).complete()
    expectEqual(recorder.progress(.receiving).count, received.count)
    expectEqual(recorder.values.last?.finished?.value.count, 1000)
    expect(recorder.isCompleted)
    // Nothing was scheduled: an event comes with a piece, or not at all.
    expectEqual(bench.clock.pendingCount, 0)
  }

  @Test func theLastCountOfAFailureIsReported() {
    let bench = ProgressBench { $0.retry = .never }
    let recorder = bench.download(every: .seconds(60))
    bench.transport.head(0, 200, ["Content-Length": "1000"])
    bench.pieces(5, of: 10, every: .milliseconds(10))
    expectEqual(recorder.progress(.receiving).map(\.byteCount), [10])
    bench.transport.exchange(0).fail(NetworkError(.connectionLost))
    expectEqual(recorder.progress(.receiving).map(\.byteCount), [10, 50])
    expectEqual(recorder.progress(.receiving).last?.totalByteCount, 1000)
    expectEqual(recorder.failure?.code, .connectionLost)
  }

  @Test func theIntervalIsThatOfTheRequest() {
    for (interval, expected) in [(Duration.milliseconds(250), [10, 60, 110, 160, 200]), (.seconds(60), [10, 200])] {
      let bench = ProgressBench()
      let recorder = bench.download(every: interval)
      bench.transport.head(0, 200, ["Content-Length": "200"])
      bench.pieces(20, of: 10, every: .milliseconds(50))
      expectEqual(recorder.progress(.receiving).map(\.byteCount), expected)
    }
    expectEqual(RequestOptions().progressInterval, .milliseconds(100))
    let own = RequestOptions.with { $0.progressInterval = .zero }
    expectEqual("\(own)", "RequestOptions(progressInterval: 0.0 seconds)")
  }

  @Test func anIntervalOfZeroReportsEachPiece() {
    let bench = ProgressBench()
    let recorder = bench.download(every: .zero)
    bench.transport.head(0, 200, ["Content-Length": "500"])
    bench.pieces(50, of: 10, every: .zero)
    expectEqual(recorder.progress(.receiving).map(\.byteCount), Array(stride(from: 10, through: 500, by: 10)))
  }

  @Test func theLastCountOfAnUnknownLengthComesBeforeTheResult() {
    let bench = ProgressBench()
    let recorder = bench.download()
    bench.transport.head(0)
    bench.pieces(7, of: 10, every: .milliseconds(20))
    expectEqual(recorder.progress(.receiving).map(\.byteCount), [10, 60])
    expect(recorder.progress(.receiving).allSatisfy { $0.totalByteCount == nil && $0.timeRemaining == nil })
    bench.transport.exchange(0).complete()
    expectEqual(recorder.progress(.receiving).last?.byteCount, 70)
    expectEqual(recorder.progress(.receiving).last?.fractionCompleted, 1)
    expectEqual(recorder.values.dropLast().last?.progress?.byteCount, 70)
    expect(recorder.values.last?.finished != nil)
  }

  @Test func theLastCountOfAnUploadComesBeforeThatOfTheResponse() {
    let bench = ProgressBench()
    let recorder = bench.upload(.data(Data(count: 1000), contentType: "a/b"))
    for count in stride(from: 100, through: 1000, by: 100) { bench.transport.exchange(0).send(.sent(byteCount: count)) }
    expectEqual(recorder.progress(.sending).map(\.byteCount), [100, 1000])
    bench.transport.answer(0, "ok")
    expectEqual(recorder.values.compactMap(\.progress).map(\.direction), [.sending, .sending, .receiving, .receiving])
  }

  @Test func anUploadThatIsAnsweredEarlyEndsWithWhatWasSent() {
    for status in [200, 413] {
      let bench = ProgressBench()
      let recorder = bench.upload(.data(Data(count: 1000), contentType: "a/b"))
      for count in [100, 200, 300] { bench.transport.exchange(0).send(.sent(byteCount: count)) }
      bench.transport.head(0, status)
      expectEqual(recorder.progress(.sending).map(\.byteCount), [100, 300])
      expect(recorder.progress(.sending).allSatisfy { $0.totalByteCount == 1000 })
    }
  }

  /// After a 2xx the upload may continue.
  @Test func aStreamOfUnknownLengthIsWholeWithItsResultAndNotWhenItIsRefused() {
    let stream = BodyStream { BodyStream.pieces(of: []) }
    for (status, counts, totals) in [(200, [100, 200, 300], [nil, nil, 300]), (413, [100, 200], [nil, nil])] {
      let bench = ProgressBench { $0.retry = .never }
      let recorder = bench.upload(.stream(stream, contentType: "a/b"))
      for count in [100, 200] { bench.transport.exchange(0).send(.sent(byteCount: count)) }
      bench.transport.head(0, status)
      expectEqual(recorder.progress(.sending).map(\.byteCount), [100, 200])
      if status == 200 { bench.transport.exchange(0).send(.sent(byteCount: 300)) }
      bench.transport.body(0, "ok")
      expect(recorder.progress(.sending).allSatisfy { $0.totalByteCount == nil })
      bench.transport.exchange(0).complete()
      expectEqual(recorder.progress(.sending).map(\.byteCount), counts)
      expectEqual(recorder.progress(.sending).map(\.totalByteCount), totals)
    }
  }

  @Test func theLastCountOfAnUploadThatIsAnsweredEarlyIsReported() {
    let bench = ProgressBench()
    let recorder = bench.upload(.data(Data(count: 1000), contentType: "a/b"))
    bench.transport.exchange(0).send(.sent(byteCount: 100))
    bench.transport.head(0)
    for count in [200, 300] { bench.transport.exchange(0).send(.sent(byteCount: count)) }
    bench.transport.exchange(0).complete()
    expectEqual(recorder.progress(.sending).map { [$0.byteCount, $0.totalByteCount] }, [[100, 1000], [300, 1000]])
  }

  @Test func aBodyThatIsSentAtOnceIsWholeWhenItIsAnsweredAndNotWhenItIsRefused() {
    for (status, expected) in [(200, [1000]), (413, [])] {
      let bench = ProgressBench()
      let recorder = bench.upload(.data(Data(count: 1000), contentType: "a/b"))
      bench.transport.head(0, status)
      expectEqual(recorder.progress(.sending).map(\.byteCount), expected)
    }
  }

  @Test func aRetryIsReportedOnceItExceedsTheAttemptBefore() {
    let bench = ProgressBench { $0.retry = Retry(limit: 1) }
    let recorder = bench.download(every: .zero)
    bench.transport.head(0, 200, ["Content-Length": "1000"])
    bench.pieces(3, of: 100, every: .seconds(1))
    bench.transport.exchange(0).fail(NetworkError(.connectionLost))
    bench.clock.advance(by: .seconds(60))
    bench.transport.head(1, 200, ["Content-Length": "1000"])
    bench.pieces(10, of: 100, every: .seconds(1), exchange: 1)
    bench.transport.exchange(1).complete()
    expectEqual(recorder.progress(.receiving).map(\.byteCount), Array(stride(from: 100, through: 1000, by: 100)))
    // The pause between the attempts is not a part of the rate.
    expectEqual(recorder.progress(.receiving).last?.bytesPerSecond.map { abs($0 - 100) < 0.001 }, true)
  }

  @Test func aShorterBodyAfterALongerOneEndsAtTheCountOfThatOne() {
    let bench = ProgressBench { $0.retry = Retry(limit: 1) }
    let recorder = bench.download(every: .zero)
    bench.transport.head(0, 200, ["Content-Length": "1000"])
    bench.pieces(6, of: 100, every: .zero)
    bench.transport.exchange(0).fail(NetworkError(.connectionLost))
    bench.clock.advance(by: .seconds(60))
    bench.transport.head(1, 200, ["Content-Length": "200"])
    bench.pieces(2, of: 100, every: .zero, exchange: 1)
    bench.transport.exchange(1).complete()
    expectEqual(recorder.progress(.receiving).map(\.byteCount), [100, 200, 300, 400, 500, 600, 600])
    expectEqual(recorder.progress(.receiving).last?.fractionCompleted, 1)
    expectEqual(recorder.values.last?.finished?.value.count, 200)
  }

  @Test func theBodyOfAnErrorIsNotCounted() {
    let bench = ProgressBench { $0.retry = Retry(limit: 1) }
    let recorder = bench.download()
    bench.transport.head(0, 503, ["Content-Length": "4000"])
    bench.pieces(4, of: 1000, every: .seconds(1))
    bench.transport.exchange(0).complete()
    bench.clock.advance(by: .seconds(60))
    bench.transport.answer(1, "film", ["Content-Length": "4"])
    expectEqual(
      recorder.progress(.receiving).map { [$0.byteCount, $0.totalByteCount] }, [[4, 4]], "\(recorder.events)")
  }

  @Test func nothingIsReportedOfAnEmptyBody() {
    let bench = ProgressBench()
    let recorder = bench.download()
    bench.transport.head(0, 200, ["Content-Length": "0"])
    bench.transport.exchange(0).complete()
    expectEqual(recorder.values.count, 1)
    expect(recorder.values[0].finished != nil)
    expect(recorder.isCompleted)
  }

  @Test func nothingFollowsADisposal() {
    let bench = ProgressBench()
    let recorder = bench.download(every: .zero)
    bench.transport.head(0, 200, ["Content-Length": "1000"])
    bench.pieces(3, of: 100, every: .zero)
    recorder.dispose()
    bench.pieces(7, of: 100, every: .seconds(1))
    expectEqual(recorder.events.count, 3)
    expectEqual(bench.transport.cancelledCount, 1)
  }
}
