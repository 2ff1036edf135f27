import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// Digest authentication with a server that takes each count of a nonce once (RFC 7616 §3.4), as Apache can.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct DigestReplayTests {
  private let server: LoopbackServer
  private let counts = CurrentValue<[String]>([])

  init() throws { server = try LoopbackServer() }

  /// Closes the connection of the first answers; the server has seen their counts.
  private func serve(closing number: Int) {
    server.route("*", "/secret") { [counts] request in
      let answer = request.header("Authorization")
        .map { AuthenticationChallenge.parameters(in: String($0.dropFirst(7))) }
      let refusal = LoopbackResponse.text("", status: 401)
        .header("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256")
      guard let count = answer?["nc"] else { return refusal }
      let former = counts.value
      counts.modify { $0.append(count) }
      if former.contains(count) { return refusal }
      return former.count < number ? .script([.close]) : .text("hello")
    }
  }

  private func send(
    _ method: HTTPMethod = .get, over wrap: (any Transport) -> any Transport = { $0 }
  ) async throws -> SignalRecorder<TransportEvent, NetworkError> {
    let origin = try require(Origin(server.baseURL))
    let transport = DigestTransport(wrap(try TransportKind.curl.transport()), origins: [origin]) { ("ada", "sesame") }
    let recorder = SignalRecorder(transport.send(HTTPRequest(method: method, url: server.url("/secret"))))
    await recorder.waitForEnd()
    return recorder
  }

  @Test func aRequestWhoseKeepAliveConnectionWasClosedIsSentAgainWithTheNextCount() async throws {
    serve(closing: 1)
    let recorder = try await send()
    expect(recorder.isCompleted, "\(String(describing: recorder.failure))")
    expectEqual(counts.value, ["00000001", "00000002"])
    let metrics = recorder.values.compactMap { if case .metrics(let metrics) = $0 { metrics } else { nil } }.last
    expectEqual(metrics?.resendCount, 2)
    expectEqual(metrics?.challengeCount, 1)
  }

  /// The second connection is new, so its end is not that of a keep-alive connection.
  @Test func aLossOfANewConnectionFails() async throws {
    serve(closing: 2)
    let recorder = try await send()
    expectEqual(recorder.failure?.code, .connectionLost)
    expectEqual(counts.value, ["00000001", "00000002"])
  }

  @Test func aPostThatMayHaveBeenReceivedIsNotSentAgain() async throws {
    serve(closing: 1)
    let recorder = try await send(.post)
    expectEqual(recorder.failure?.code, .connectionLost)
    expectEqual(counts.value, ["00000001"])
  }

  /// A closed keep-alive connection says nothing about the server.
  @Test func itIsNoFaultForACircuitBreaker() async throws {
    serve(closing: 1)
    let recorder = try await send { CircuitBreaker($0, failureLimit: 1) }
    expect(recorder.isCompleted, "\(String(describing: recorder.failure))")
  }

  /// Otherwise a server that closes every connection would never open the circuit.
  @Test(arguments: [false, true]) func onlyTheFirstOneIsNoFault(_ isRepeated: Bool) {
    let transport = HandTransport()
    let breaker = CircuitBreaker(transport, failureLimit: 1)
    var request = HTTPRequest(url: server.url("/secret"))
    request.context.needsNewConnection = isRepeated
    var error = NetworkError(.connectionLost, request: request)
    error.marks.isOfClosedConnection = true
    let first = SignalRecorder(breaker.send(request))
    transport.exchange(0).fail(error)
    expectEqual(first.failure?.code, .connectionLost)
    let second = SignalRecorder(breaker.send(request))
    expectEqual(second.failure?.code, isRepeated ? .circuitOpen : nil)
  }

  /// A server may close each new connection over HTTP/2.
  @Test func aRequestIsRepeatedOnce() throws {
    let origin = try require(Origin(server.baseURL))
    let transport = DigestTransport(StubTransport(), origins: [origin]) { ("ada", "sesame") }
    let rule = DigestRule(HTTPRequest(url: server.url("/secret")), to: origin, transport)
    var error = NetworkError(.connectionLost)
    expectNil(rule.repetition(after: error)?.request)
    error.marks.isOfClosedConnection = true
    let next = try require(rule.repetition(after: error))
    expectNil(next.repetition(after: error)?.request)
  }
}
