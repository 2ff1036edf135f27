import Foundation
import Heliograph
import HeliographTesting
import Testing

/// Thousands of requests to a server that picks at random among all that can go right and wrong.
///
/// `HELIOGRAPH_FAULTS` says how many; 2,000 unless told.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct FaultStormTests {
  @Test func everyRequestEndsOnceAndAsItMust() async throws {
    let count = ProcessInfo.processInfo.environment["HELIOGRAPH_FAULTS"].flatMap { Int($0) } ?? 2_000
    let faults = Fault.goodOnes + Fault.badOnes
    let server = try LoopbackServer()
    server.route("GET", "/fault/*") { request in
      faults[(Int(request.path.split(separator: "/").last ?? "") ?? 0) % faults.count].answer()
    }
    server.route("GET", "/moved/*") { request in
      .redirect(to: request.path.replacingOccurrences(of: "moved", with: "fault"))
    }
    let client = NetworkClient(.init(baseURL: server.baseURL, transport: try CurlTransport()))

    var generator = Lottery(state: 0x5EED)
    let drawn = (0..<count).map { _ in
      (kind: Int.random(in: faults.indices, using: &generator), moved: Bool.random(using: &generator))
    }
    let endings = Guarded([Int](repeating: 0, count: count))
    let wrong = Guarded<[String]>([])
    let requests = drawn.enumerated().map { index, draw in
      client.enqueue(request: "/\(draw.moved ? "moved" : "fault")/\(draw.kind)")
        .materialize()
        .on(value: { event in
          endings.withLock { $0[index] += event.isTerminal ? 1 : 0 }
          let fault = faults[draw.kind]
          if !fault.accepts(event) { wrong.withLock { $0.append("\(fault): \(event)") } }
        })
    }
    let all = SignalRecorder(Signal.from(requests).flatMap(.merge(maxConcurrent: 48)) { $0.filter(\.isTerminal) })
    await all.waitForEnd(.seconds(200))
    #expect(all.isCompleted)
    #expect(all.values.count == count)
    #expect(endings.withLock { $0.allSatisfy { $0 == 1 } })
    #expect(wrong.withLock { Array($0.prefix(5)) } == [])
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
