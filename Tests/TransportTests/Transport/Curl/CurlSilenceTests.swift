import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Pauses, in either direction, and what follows them.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct CurlSilenceTests {
  let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
  }

  /// A stream whose second and last piece comes when it is told to.
  private func stream(_ second: CurrentValue<Bool>) -> BodyStream {
    BodyStream {
      let count = Guarded(0)
      return {
        return
          switch count.withLock({ count in
            count += 1
            return count
          })
        {
        case 1: .just(Data("first".utf8))
        case 2:
          Signal { observer in
            second.signal.subscribe { if case .value(true) = $0 { observer.complete(with: Data("second".utf8)) } }
          }
        default: .empty
        }
      }
    }
  }

  /// The check for silence falls into the pause: it has to be made again afterwards.
  @Test func silenceAfterAPausedUploadEnds() async throws {
    server.route("POST", "/a") { _ in .never }
    let second = CurrentValue(false)
    let recorder = SignalRecorder(
      try CurlTransport().send(
        HTTPRequest(
          method: .post, url: server.url("/a"), body: .stream(stream(second)), idleTimeout: .milliseconds(300))))
    await recorder.wait { !$0.isEmpty }
    // sleeps: for longer than the timeout: while the source is waited for there is no silence.
    try await Task.sleep(for: .milliseconds(900))
    expect(!recorder.hasEnded)
    second.value = true
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .timedOut)
    await expect(server.wait { $0.requests.map(\.bodyText) == ["firstsecond"] })
  }

  @Test func silenceAfterAPausedDownloadEnds() async throws {
    let count = 4_000_000
    server.route("GET", "/a") { _ in
      .script([.text("HTTP/1.1 200 OK\r\nContent-Length: \(count + 1)\r\n\r\n"), .bytes(Data(count: count)), .hold])
    }
    try await expectInARound {
      let scheduler = VirtualScheduler()
      let recorder = SignalRecorder(
        try CurlTransport().send(HTTPRequest(url: server.url("/a"), idleTimeout: .seconds(1))).observe(on: scheduler))
      // sleeps: the consumer takes nothing for longer than the timeout, and then all.
      try await Task.sleep(for: .seconds(2))
      expect(!recorder.hasEnded)
      while !recorder.hasEnded {
        scheduler.run()
        // sleeps: nothing tells that more has arrived at a scheduler that stands still.
        try await Task.sleep(for: .milliseconds(10))
      }
      expectEqual(recorder.failure?.code, .timedOut)
      // A busy server may be silent before it has sent all.
      return recorder.values.body.count == count
    }
  }

  /// The total timeout counts while the consumer or the source is waited for, too.
  @Test func pausesCountTowardsTheTotalTimeout() async throws {
    server.route("POST", "/a") { _ in .never }
    let recorder = SignalRecorder(
      try CurlTransport().send(
        HTTPRequest(
          method: .post, url: server.url("/a"), body: .stream(stream(CurrentValue(false))), idleTimeout: .seconds(60),
          totalTimeout: .milliseconds(300))))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .timedOut)
    expect(server.log.requests.isEmpty)
  }

  // MARK: Peers that fall silent early

  private func expectTimeout(
    _ kind: TransportKind, _ request: HTTPRequest, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let recorder = SignalRecorder(try kind.transport().send(request))
    await recorder.waitForEnd()
    #expect(recorder.failure?.code == .timedOut, "\(recorder.events)", sourceLocation: sourceLocation)
    #expect(recorder.values.head == nil, sourceLocation: sourceLocation)
    let endedAt = recorder.failure?.metrics?.endedAt
    #expect(endedAt.map { $0 >= .milliseconds(300) } == true, sourceLocation: sourceLocation)
  }

  @Test(arguments: TransportKind.present) func silenceInTheHandshakeEnds(_ kind: TransportKind) async throws {
    let wire = try WireServer()
    let url = try require(URL(string: "https://127.0.0.1:\(wire.port)/"))
    try await expectTimeout(kind, HTTPRequest(url: url, idleTimeout: .milliseconds(300)))
  }

  /// Nobody takes the connection, and the kernel's buffers get full.
  @Test(arguments: TransportKind.present) func silenceWhileSendingEnds(_ kind: TransportKind) async throws {
    let wire = try WireServer()
    let url = try require(URL(string: "http://127.0.0.1:\(wire.port)/"))
    let first = SignalRecorder(
      try CurlTransport().send(HTTPRequest(method: .post, url: url, body: .stream(stream(CurrentValue(false))))))
    await first.wait { !$0.isEmpty }
    let body = HTTPBody.data(Data(count: 50_000_000))
    try await expectTimeout(kind, HTTPRequest(method: .post, url: url, body: body, idleTimeout: .milliseconds(300)))
    first.dispose()
  }

  // MARK: Both directions

  /// Both directions are paused at once, and go on by turns.
  @Test func aBodyIsAskedForOnePieceAtATime() async throws {
    let early = Data("HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n".utf8) + Data(count: 3_000_000)
    let wire = try WireServer(early: early)
    let url = try require(URL(string: "http://127.0.0.1:\(wire.port)/"))
    let overlaps = Guarded((isAsked: false, count: 0, pieceCount: 0))
    let body = BodyStream {
      {
        let isTerminated = overlaps.withLock { state in
          if state.isAsked { state.count += 1 }
          state.isAsked = true
          state.pieceCount += 1
          return state.pieceCount > 30
        }
        if isTerminated { return .empty }
        return Signal { observer in
          DispatchScheduler.global.schedule(after: .milliseconds(10)) {
            overlaps.withLock { $0.isAsked = false }
            observer.complete(with: Data(count: 1000))
          }
        }
      }
    }
    let scheduler = VirtualScheduler()
    let recorder = SignalRecorder(
      try CurlTransport().send(
        HTTPRequest(method: .post, url: url, body: .stream(body), idleTimeout: .seconds(3_600))
      ).observe(on: scheduler))
    while !recorder.hasEnded {
      // sleeps: a consumer that falls behind.
      try await Task.sleep(for: .milliseconds(25))
      scheduler.run()
    }
    expectEqual(overlaps.withLock { $0.count }, 0)
    expectEqual(recorder.values.body.count, 3_000_000)
  }
}
