import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

/// Kept connections that a server closes: what is sent again, where, and how often.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct CurlResendTests {
  /// How many connections are kept, and how the server ends each of them when it is used again.
  struct Loss: Sendable {
    let keptCount: Int
    let last: LoopbackResponse.Step

    static let all = [1, 4].flatMap { count in [.close, .reset].map { Loss(keptCount: count, last: $0) } }
  }

  let server: LoopbackServer
  let transport: CurlTransport

  init() throws {
    server = try LoopbackServer()
    var settings = TransportSettings()
    settings.maximumConnectionIdleTime = .seconds(86_400)
    transport = try CurlTransport(settings)
  }

  /// Leaves this many connections open; what then comes on one of them ends like this, and on any other is answered.
  private func keepConnections(_ count: Int, endingWith last: LoopbackResponse.Step) async {
    let kept = Guarded<Set<Int>>([])
    server.route("*", "/a") { request in
      kept.withLock { $0.contains(request.connection) } ? .script([last]) : .text("a")
    }
    let isOpen = Guarded(false)
    server.route("GET", "/warm") { _ in
      await until { isOpen.withLock { $0 } }
      return .text("a")
    }
    let recorders = (0..<count).map { _ in SignalRecorder(transport.send(HTTPRequest(url: server.url("/warm")))) }
    // Each has a connection of its own, as none is answered before all have arrived.
    await expect(server.wait { $0.requests(to: "/warm").count == count })
    isOpen.withLock { $0 = true }
    for recorder in recorders { await recorder.waitForEnd() }
    let ids = server.log.connections.map(\.id)
    expectEqual(ids.count, count)
    kept.withLock { $0 = Set(ids) }
  }

  private func outcome(of request: HTTPRequest) async -> SignalRecorder<TransportEvent, NetworkError> {
    let recorder = SignalRecorder(transport.send(request))
    await recorder.waitForEnd()
    expect(recorder.violations.isEmpty)
    return recorder
  }

  @Test(arguments: [HTTPMethod.get, .post], Loss.all)
  func whatMayBeRepeatedIsSentTwiceAtMost(_ method: HTTPMethod, _ loss: Loss) async {
    await keepConnections(loss.keptCount, endingWith: loss.last)
    let body = method == .get ? HTTPBody.empty : .data(Data("once".utf8))
    let recorder = await outcome(
      of: HTTPRequest(method: method, url: server.url("/a"), body: body, isIdempotent: true))
    expect(recorder.isCompleted, "\(recorder.events)")
    expectEqual(recorder.metrics?.resendCount, 1)
    expectEqual(server.log.requests(to: "/a").count, 2)
    expectEqual(server.log.acceptedCount, loss.keptCount + 1)
  }

  @Test(arguments: Loss.all) func whatMayNotBeRepeatedIsSentOnce(_ loss: Loss) async {
    await keepConnections(loss.keptCount, endingWith: loss.last)
    let recorder = await outcome(of: HTTPRequest(method: .post, url: server.url("/a"), body: .data(Data("once".utf8))))
    expectEqual(recorder.failure?.code, .connectionLost)
    expectEqual(recorder.failure?.reason.hasSuffix("not retried: the request is not idempotent"), true)
    expectEqual(recorder.failure?.metrics?.resendCount, 0)
    expectEqual(server.log.requests(to: "/a").count, 1)
  }

  @Test(arguments: Loss.all) func aBodyThatCanBeReadOnceIsSentOnce(_ loss: Loss) async {
    await keepConnections(loss.keptCount, endingWith: loss.last)
    let (pieces, input) = AsyncStream.makeStream(of: Data.self)
    input.yield(Data("once".utf8))
    input.finish()
    let body = HTTPBody.stream(BodyStream(readingOnce: pieces))
    let recorder = await outcome(
      of: HTTPRequest(method: .put, url: server.url("/a"), body: body, isIdempotent: true))
    expectEqual(recorder.failure?.code, .connectionLost, "\(recorder.events)")
    expectEqual(recorder.failure?.reason.hasSuffix("not retried: the body is a stream that cannot be read again"), true)
    expectEqual(server.log.requests(to: "/a").count, 1)
  }

  /// Its connection was not closed before: no socket holds so much.
  @Test(arguments: [LoopbackResponse.Step.close, .reset], [false, true])
  func aLargeBodyThatTheServerHasReadIsSentOnce(_ last: LoopbackResponse.Step, isSentOnce: Bool) async {
    await keepConnections(1, endingWith: last)
    var request = HTTPRequest(
      method: .put, url: server.url("/a"), body: .data(Data(count: 9_000_000)), isIdempotent: true)
    // As that of `DigestTransport`, which would send it again on a new connection.
    request.context.isSentOnce = isSentOnce
    let recorder = await outcome(of: request)
    expectEqual(recorder.failure?.code, .connectionLost, "\(recorder.events)")
    expectEqual(recorder.failure?.marks.isOfClosedConnection, false)
    expectEqual(recorder.failure?.reason.hasSuffix("not retried: the server may have the whole body"), true)
    expectEqual(server.log.requests(to: "/a").count, 1)
  }

  @Test(arguments: [HTTPMethod.post, .put]) func aBodyThatIsNotSentAgainIsMeasured(_ method: HTTPMethod) async throws {
    await keepConnections(1, endingWith: .reset)
    let recorder = await outcome(
      of: HTTPRequest(
        method: method, url: server.url("/a"), body: .data(Data(count: 9_000_000)), isIdempotent: method == .put))
    let metrics = try require(recorder.failure?.metrics)
    expect((9_000_001..<9_001_000).contains(metrics.sentByteCount), "\(metrics.sentByteCount)")
    expectEqual(metrics.hasSentAll, true)
  }

  @Test(arguments: [100, 10_000, 60_000, 65_536, 100_000]) func aBodyIsCountedOnce(_ byteCount: Int) async throws {
    server.route("POST", "/a") { _ in .text("a") }
    let recorder = await outcome(
      of: HTTPRequest(method: .post, url: server.url("/a"), body: .data(Data(count: byteCount))))
    let headByteCount = try require(recorder.metrics).sentByteCount - byteCount
    expect((50..<1_000).contains(headByteCount), "\(headByteCount)")
  }

  /// The lost attempt takes longer than all that libcurl measures of the next one.
  @Test(arguments: [LoopbackResponse.Step.close, .reset])
  func theInstantsAreThoseOfTheLastAttempt(_ last: LoopbackResponse.Step) async throws {
    let lostAt = Guarded<SuspendingClock.Instant?>(nil)
    server.route("GET", "/a") { request in
      guard request.index == 1 else { return .text("a") }
      lostAt.withLock { $0 = .now }
      return .script([.delay(.milliseconds(200)), last])
    }
    await expect(outcome(of: HTTPRequest(url: server.url("/a"))).isCompleted)
    let start = SuspendingClock.now
    let recorder = await outcome(of: HTTPRequest(url: server.url("/a")))
    let metrics = try require(recorder.metrics, "\(recorder.events)")
    expectEqual(metrics.resendCount, 1)
    let (sentAt, firstByteAt) = (try require(metrics.sentAt), try require(metrics.firstByteAt))
    try expect(start + sentAt > require(lostAt.withLock { $0 }))
    expect(sentAt <= firstByteAt)
    expect(firstByteAt <= metrics.endedAt)
  }

  /// A faulty server writes more than a body, which arrives when the next request has been sent.
  @Test(arguments: ["\r\n", "0\r\n\r\n"]) func whatIsLeftOfAResponseIsNotTakenForTheNext(_ rest: String) async {
    await keepConnections(1, endingWith: .text(rest))
    let recorder = await outcome(of: HTTPRequest(url: server.url("/a")))
    expect(recorder.isCompleted, "\(recorder.events)")
    expectEqual(recorder.metrics?.resendCount, 1)
    expectEqual(server.log.acceptedCount, 2)
  }

  /// Nothing tells that the server has not processed it.
  @Test func aPostThatGetsWhatIsLeftOfAResponseIsSentOnce() async {
    await keepConnections(1, endingWith: .text("0\r\n\r\n"))
    let recorder = await outcome(of: HTTPRequest(method: .post, url: server.url("/a"), body: .data(Data("once".utf8))))
    expectEqual(recorder.failure?.code, .invalidResponse)
    expectEqual(server.log.requests(to: "/a").count, 1)
  }

  @Test func aSecondLossIsTheEnd() async {
    await keepConnections(1, endingWith: .close)
    server.route("*", "/a") { _ in .script([.close]) }
    let recorder = await outcome(of: HTTPRequest(url: server.url("/a")))
    expectEqual(recorder.failure?.code, .connectionLost)
    expectEqual(recorder.failure?.metrics?.resendCount, 1)
    expectEqual(server.log.requests(to: "/a").count, 2)
  }

  @Test func aNewConnectionsLossIsNoReasonToRepeat() async {
    server.route("*", "/a") { _ in .script([.close]) }
    let recorder = await outcome(of: HTTPRequest(url: server.url("/a")))
    expectEqual(recorder.failure?.code, .connectionLost)
    expectEqual(recorder.failure?.metrics?.resendCount, 0)
    expectEqual(server.log.requests.count, 1)
  }

  @Test func anAnswerThatHasBegunIsNeverAskedForAgain() async {
    await keepConnections(1, endingWith: .close)
    server.route("*", "/a") { _ in .script([.text("HTTP/1.1 200 OK\r\n"), .close]) }
    let recorder = await outcome(of: HTTPRequest(url: server.url("/a")))
    expectEqual(recorder.failure?.code, .connectionLost)
    expectEqual(server.log.requests(to: "/a").count, 1)
  }

  @Test func aConnectionThatWasClosedWhileIdleIsNotUsed() async {
    server.route("GET", "/last") { _ in .script([.text("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"), .close]) }
    server.route("POST", "/a") { _ in .text("a") }
    await expect(outcome(of: HTTPRequest(url: server.url("/last"))).isCompleted)
    await expect(server.wait { $0.connections[0].closedAt != nil })
    let recorder = await outcome(of: HTTPRequest(method: .post, url: server.url("/a")))
    expect(recorder.isCompleted)
    expectEqual(recorder.metrics?.resendCount, 0)
    expectEqual(server.log.acceptedCount, 2)
  }

  @Test func connectionsThatEndAfterThreeAnswersLoseNothing() async {
    let counts = Guarded<[Int: Int]>([:])
    server.route("GET", "/a") { request in
      let count = counts.withLock { counts in
        counts[request.connection, default: 0] += 1
        return counts[request.connection] ?? 0
      }
      return count == 3 ? .script([.text("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"), .close]) : .text("a")
    }
    let requests = (0..<1000).map { _ in transport.send(HTTPRequest(url: server.url("/a"))) }
    let recorder = SignalRecorder(
      Signal<Signal<TransportEvent, NetworkError>, NetworkError>.from(requests).flatMap(.merge(maxConcurrent: 16)) {
        $0
      })
    await recorder.waitForEnd()
    expect(recorder.isCompleted, "\(String(describing: recorder.failure))")
    expectEqual(recorder.values.count { $0 == .body(Data("a".utf8)) }, 1000)
    expect(server.log.connections.allSatisfy { $0.requestCount <= 3 })
    expect(server.log.acceptedCount >= 334)
  }
}

extension SignalRecorder where Value == TransportEvent {
  /// What the exchange cost, if it completed.
  var metrics: Metrics? {
    for case .metrics(let metrics) in values { return metrics }
    return nil
  }
}
