import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Thousands of requests to a server that picks at random among all that can go right and wrong.
///
/// 2,000 of them, times `HELIOGRAPH_SCALE`.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct FaultStormTests {
  let server: LoopbackServer

  init() throws { server = try LoopbackServer() }

  @Test func everyRequestEndsOnceAndAsItMust() async throws {
    let client = NetworkClient(.init(baseURL: server.baseURL, transport: try CurlTransport()))
    try await storm(over: client, Fault.goodOnes + Fault.badOnes) { $0.accepts($1) }
  }

  /// The faults come through nginx, as streams that others share a connection with; it is closed after fifty of them.
  @Test(.enabled(if: CurlTransport.supportsHTTP2 && NginxServer.isAvailable))
  func everyStreamEndsOnceAndAsItMust() async throws {
    let nginx = try await NginxServer(upstream: server)
    // nginx takes 103 for the response.
    let faults = (Fault.goodOnes + Fault.badOnes).filter { $0.name != "after a hint" }
    let client = NetworkClient(
      .init(baseURL: try nginx.url(\.few), transport: try CurlTransport(try secureSettings())))
    try await storm(over: client, faults, prefix: "/hasty") { $0.acceptsThroughProxy($1) }
  }

  private func storm(
    over client: NetworkClient, _ faults: [Fault], prefix: String = "",
    accepts: @escaping @Sendable (Fault, Event<Response<Data>, NetworkError>) -> Bool
  ) async throws {
    let count = 2_000 * min(Scale.factor, 10)
    server.route("GET", "/fault/**") { request in
      faults[(Int(request.path.split(separator: "/").last ?? "") ?? 0) % faults.count].answer()
    }
    server.route("GET", "/moved/**") { request in
      .redirect(to: prefix + request.path.replacingOccurrences(of: "moved", with: "fault"))
    }
    var generator = Lottery(state: 0x5EED)
    let drawn = (0..<count).map { _ in
      (kind: Int.random(in: faults.indices, using: &generator), moved: Bool.random(using: &generator))
    }
    let endings = Guarded([Int](repeating: 0, count: count))
    let wrong = Guarded<[String]>([])
    let requests = drawn.enumerated().map { index, draw in
      client.exchange(request: "\(raw: prefix)/\(draw.moved ? "moved" : "fault")/\(draw.kind)")
        .materialize()
        .on(value: { event in
          endings.withLock { $0[index] += event.isTerminal ? 1 : 0 }
          let fault = faults[draw.kind]
          if !accepts(fault, event) { wrong.withLock { $0.append("\(fault): \(event)") } }
        })
    }
    let all = SignalRecorder(Signal.from(requests).flatMap(.merge(maxConcurrent: 48)) { $0.filter(\.isTerminal) })
    await all.waitForEnd()
    expect(all.isCompleted)
    expectEqual(all.values.count, count)
    expect(endings.withLock { $0.allSatisfy { $0 == 1 } })
    expectEqual(wrong.withLock { Array($0.prefix(5)) }, [])
  }
}

extension Fault {
  /// Whether an event is one that may come.
  fileprivate func accepts(_ event: Event<Response<Data>, NetworkError>) -> Bool {
    switch (event, ending) {
    case (.value(let response), .response(let status, let body)):
      response.statusCode == status && response.value == Data(body.utf8)
    case (.completed, .response): true
    case (.failed(let error), .failure(let code, _)): error.domain == .network && error.code == code
    default: false
    }
  }

  /// The same behind nginx, which passes on bodies as they are and replaces or repairs the rest; what was cut stays so.
  fileprivate func acceptsThroughProxy(_ event: Event<Response<Data>, NetworkError>) -> Bool {
    switch (event, ending) {
    case (.failed(let error), .failure(.undecodableBody, _)): error.code == .undecodableBody
    case (.failed(let error), .failure): error.domain == .network
    case (.value(let response), .failure(.connectionLost, _)): response.statusCode == 502
    case (.value(let response), .failure(let code, _)):
      code != .undecodableBody && [200, 204, 502].contains(response.statusCode)
    case (.completed, .failure): true
    // libcurl 8.18 loses streams in flight when nginx 1.28 closes their connection; 8.14 and 8.23 do not.
    case (.failed(let error), .response) where Libcurl.isAtLeast("8.15") && !Libcurl.isAtLeast("8.20"):
      error.code == .connectionLost
    // Later versions of nginx refuse it (seen with 1.28).
    case (.value(let response), _) where name == "with its length twice" && response.statusCode == 502: true
    default: accepts(event)
    }
  }
}

/// A generator whose draws can be repeated: SplitMix64.
private struct Lottery: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
