import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Which of those that wait goes first.
struct PriorityTests {
  private let stub = StubTransport(scheduler: VirtualScheduler())

  private func send(
    _ path: String, _ priority: RequestPriority = .normal, over transport: any Transport, totalTimeout: Duration? = nil
  ) throws -> SignalRecorder<TransportEvent, NetworkError> {
    stub.on("GET", path, .never)
    let url = try require(URL(string: "http://shop.example" + path))
    return SignalRecorder(transport.send(HTTPRequest(url: url, totalTimeout: totalTimeout, priority: priority)))
  }

  private var paths: [String] { stub.requests.map { $0.url.path } }

  @Test func theyAreInOrder() {
    expectEqual(RequestPriority.allCases, [.low, .normal, .high])
    expectEqual(RequestPriority.allCases.sorted(by: >), [.high, .normal, .low])
  }

  @Test func aRequestSaysWhatItsOptionsSay() throws {
    let url = try require(URL(string: "https://a.example/b"))
    expectEqual(HTTPRequest(url: url).priority, .normal)
    expectEqual(RequestOptions().priority, .normal)
    try expectEqual(RequestBuilder().build(url).priority, .normal)
    for priority in RequestPriority.allCases {
      let request = Request(.get, "https://a.example/b", options: .with { $0.priority = priority })
      try expectEqual(RequestBuilder().build(request).priority, priority)
      var own = HTTPRequest(url: url, priority: priority)
      expectEqual(own.priority, priority)
      expectEqual((own == HTTPRequest(url: url)), (priority == .normal))
      own.priority = .normal
      expectEqual(own, HTTPRequest(url: url))
    }
  }

  @Test func aHigherOneOvertakesThoseThatWaitAndNoneUnderWay() throws {
    let transport = LimitingTransport(stub, concurrencyLimit: 1)
    var recorders = ["/under-way": try send("/under-way", .low, over: transport)]
    recorders["/low"] = try send("/low", .low, over: transport)
    for index in 0..<10 { recorders["/\(index)"] = try send("/\(index)", over: transport) }
    recorders["/high"] = try send("/high", .high, over: transport)
    recorders["/higher"] = try send("/higher", .high, over: transport)
    expectEqual(paths, ["/under-way"])
    expectEqual(stub.cancelledCount, 0)
    for _ in 1..<recorders.count { recorders[try require(paths.last)]?.dispose() }
    expectEqual(paths, ["/under-way", "/high", "/higher"] + (0..<10).map { "/\($0)" } + ["/low"])
  }

  @Test func aLowOneWaitsAsLongAsHigherOnesCome() throws {
    let transport = LimitingTransport(stub, concurrencyLimit: 1)
    var current = try send("/first", over: transport)
    let low = try send("/low", .low, over: transport)
    for index in 0..<200 {
      let next = try send("/\(index)", index.isMultiple(of: 2) ? .high : .normal, over: transport)
      current.dispose()
      current = next
    }
    expectEqual(paths.last, "/199")
    expect(!paths.contains("/low"))
    current.dispose()
    expectEqual(paths.last, "/low")
    expect(low.events.isEmpty)
  }

  @Test func whoLeavesIsNotSentWhateverItsPriority() throws {
    let transport = LimitingTransport(stub, concurrencyLimit: 1)
    let first = try send("/first", over: transport)
    var kept: [SignalRecorder<TransportEvent, NetworkError>] = []
    for priority in RequestPriority.allCases {
      for index in 0..<100 {
        let recorder = try send("/\(priority)/\(index)", priority, over: transport)
        if index == 50 { kept.append(recorder) } else { recorder.dispose() }
      }
    }
    first.dispose()
    for recorder in kept.reversed() { recorder.dispose() }
    expectEqual(paths, ["/first", "/high/50", "/normal/50", "/low/50"])
    expectEqual(stub.activeCount, 0)
  }

  @Test func theTotalTimeoutOfALowOneCountsWhileItWaits() async throws {
    let transport = LimitingTransport(stub, concurrencyLimit: 1)
    let first = try send("/first", over: transport)
    let late = try send("/late", .low, over: transport, totalTimeout: .milliseconds(30))
    let high = try send("/high", .high, over: transport)
    await late.waitForEnd()
    expectEqual(late.failure?.code, .timedOut)
    first.dispose()
    high.dispose()
    expectEqual(paths, ["/first", "/high"])
    let next = try send("/next", over: transport)
    expectEqual(paths, ["/first", "/high", "/next"])
    expect(next.events.isEmpty)
  }

  @Test(arguments: TransportKind.present, RequestPriority.allCases) func anExchangeGoesWellWithAny(
    _ kind: TransportKind, _ priority: RequestPriority
  ) async throws {
    let server = try LoopbackServer()
    server.route("GET", "/a") { _ in .text("a") }
    let client = NetworkClient(.init(baseURL: server.baseURL, transport: try kind.transport()))
    let request = Request(.get, "/a", options: .with { $0.priority = priority })
    let recorder = SignalRecorder(client.exchange(request: request))
    await recorder.waitForEnd()
    expectEqual(recorder.values.first?.value, Data("a".utf8))
  }
}
