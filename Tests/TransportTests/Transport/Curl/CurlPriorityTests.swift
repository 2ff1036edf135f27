import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Which of those that wait for a place of libcurl's goes first.
///
/// Nothing is answered: who is disposed of gives its place to another, and the server's log has the order.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct CurlPriorityTests {
  private let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
    server.route("*", "*") { _ in .never }
  }

  private func transport(_ limit: Int, perHost: Int = 64) throws -> CurlTransport {
    var settings = TransportSettings(concurrencyLimit: limit, concurrencyLimitPerHost: perHost)
    settings.proxy = .direct
    settings.resolve = { _, _ in ["127.0.0.1"] }
    return try CurlTransport(settings)
  }

  private func send(
    _ path: String, _ priority: RequestPriority = .normal, to host: String = "a", over transport: CurlTransport,
    totalTimeout: Duration? = nil
  ) throws -> SignalRecorder<TransportEvent, NetworkError> {
    let port = try require(server.baseURL.port)
    let url = try require(URL(string: "http://\(host).test:\(port)\(path)"))
    return SignalRecorder(
      transport.send(
        HTTPRequest(url: url, idleTimeout: .seconds(3_600), totalTimeout: totalTimeout, priority: priority)))
  }

  private func waitForRequests(_ count: Int) async { await expect(server.wait { $0.requests.count >= count }) }

  private var paths: [String] { server.log.requests.map(\.path) }

  @Test(arguments: [(1, 64), (1, 1), (7, 1)])
  func aHigherOneOvertakesThoseThatWaitAndNoneUnderWay(_ limit: Int, _ perHost: Int) async throws {
    let transport = try transport(limit, perHost: perHost)
    var recorders = ["/under-way": try send("/under-way", .low, over: transport)]
    await waitForRequests(1)
    recorders["/low"] = try send("/low", .low, over: transport)
    for index in 0..<100 { recorders["/\(index)"] = try send("/\(index)", over: transport) }
    recorders["/high"] = try send("/high", .high, over: transport)
    recorders["/higher"] = try send("/higher", .high, over: transport)
    for count in 2...recorders.count {
      recorders[try require(paths.last)]?.dispose()
      await waitForRequests(count)
    }
    expectEqual(paths, ["/under-way", "/high", "/higher"] + (0..<100).map { "/\($0)" } + ["/low"])
  }

  @Test(arguments: [(1, 64), (7, 1)])
  func whoLeavesIsNotSentWhateverItsPriority(_ limit: Int, _ perHost: Int) async throws {
    let transport = try transport(limit, perHost: perHost)
    let first = try send("/first", over: transport)
    await waitForRequests(1)
    var all: [SignalRecorder<TransportEvent, NetworkError>] = []
    for priority in RequestPriority.allCases {
      all += try (0..<100).map { try send("/\(priority)/\($0)", priority, over: transport) }
    }
    let kept = [50, 150, 250].map { all[$0] }
    for recorder in all where !kept.contains(where: { $0 === recorder }) { recorder.dispose() }
    first.dispose()
    for (index, recorder) in kept.reversed().enumerated() {
      await waitForRequests(index + 2)
      recorder.dispose()
    }
    let last = try send("/last", .low, over: transport)
    await waitForRequests(5)
    expectEqual(paths, ["/first", "/high/50", "/normal/50", "/low/50", "/last"])
    expect(last.events.isEmpty)
  }

  /// The failure of the first disposes of the second; both start in one iteration, as they are sent on the loop's thread.
  @Test func whoLeavesBeforeItsStartIsNotSent() async throws {
    server.route("*", "/now") { _ in .text("a") }
    var settings = TransportSettings()
    settings.proxy = .direct
    settings.resolve = { _, _ in [] }
    let transport = try CurlTransport(settings)
    let request = HTTPRequest(method: .post, url: server.url("/now"))
    let unknown = HTTPRequest(url: try require(URL(string: "http://none.test/")))
    let leaving = HTTPRequest(method: .post, url: server.url("/leaving"))
    let recorders = Guarded<[SignalRecorder<TransportEvent, NetworkError>]>([])
    let trigger = SignalRecorder(
      transport.send(request).on(completion: {
        let failing = SignalRecorder(
          transport.send(unknown).on(failure: { _ in for recorder in recorders.withLock({ $0 }) { recorder.dispose() } }
          ))
        let second = SignalRecorder(transport.send(leaving))
        recorders.withLock { $0 = [second, failing] }
      }))
    await trigger.waitForEnd()
    let last = SignalRecorder(transport.send(request))
    await last.waitForEnd()
    expect(last.isCompleted, "\(last.events)")
    // Its cancellation would have closed the connection that is kept.
    expectEqual(server.log.acceptedCount, 1)
    expectEqual(paths, ["/now", "/now"])
  }

  /// The queue itself may not be reached for hours.
  @Test(arguments: [(1, 64), (7, 1)])
  func whoLeavesTheQueueLeavesNoBody(_ limit: Int, _ perHost: Int) async throws {
    let transport = try transport(limit, perHost: perHost)
    let first = try send("/first", over: transport)
    await waitForRequests(1)
    let isFreed = Guarded(false)
    func upload() -> SignalRecorder<TransportEvent, NetworkError> {
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 100_000, alignment: 1)
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
      let body = bytes.baseAddress.map {
        Data(
          bytesNoCopy: $0, count: bytes.count,
          deallocator: .custom { pointer, _ in
            pointer.deallocate()
            isFreed.withLock { $0 = true }
          })
      }
      let url = URL(string: "http://a.test:\(server.port)/upload") ?? server.url("/upload")
      return SignalRecorder(transport.send(HTTPRequest(method: .post, url: url, body: .data(body ?? Data()))))
    }
    let recorder = upload()
    expect(!isFreed.withLock { $0 })
    recorder.dispose()
    await until { isFreed.withLock { $0 } }
    expect(!first.hasEnded)
  }

  @Test(arguments: [(1, 64), (7, 1)])
  func theTotalTimeoutOfALowOneCountsWhileItWaits(_ limit: Int, _ perHost: Int) async throws {
    let transport = try transport(limit, perHost: perHost)
    let first = try send("/first", over: transport)
    await waitForRequests(1)
    let late = try send("/late", .low, over: transport, totalTimeout: .milliseconds(100))
    let high = try send("/high", .high, over: transport)
    await late.waitForEnd()
    expectEqual(late.failure?.code, .timedOut)
    expectNil(late.failure?.metrics?.startedAt)
    first.dispose()
    await waitForRequests(2)
    high.dispose()
    let last = try send("/last", .low, over: transport)
    await waitForRequests(3)
    expectEqual(paths, ["/first", "/high", "/last"])
    expect(last.events.isEmpty)
  }

  @Test func aFullHostLetsLowerOnesOfOthersGo() async throws {
    let transport = try transport(2, perHost: 1)
    let first = try send("/a", to: "a", over: transport)
    await waitForRequests(1)
    let waiting = try send("/a/low", .low, to: "a", over: transport)
    let high = try send("/a/high", .high, to: "a", over: transport)
    let other = try send("/b/low", .low, to: "b", over: transport)
    await waitForRequests(2)
    let later = try send("/b/normal", to: "b", over: transport)
    first.dispose()
    await waitForRequests(3)
    other.dispose()
    await waitForRequests(4)
    high.dispose()
    await waitForRequests(5)
    expectEqual(paths, ["/a", "/b/low", "/a/high", "/b/normal", "/a/low"])
    expect(waiting.events.isEmpty)
    expect(later.events.isEmpty)
  }

  /// Both end in the same turn of the loop, as they are disposed of on its thread.
  @Test func twoPlacesOfAHostThatAreFreeAtOnceGoToAHighAndALowOne() async throws {
    server.route("GET", "/now") { _ in .text("a") }
    let transport = try transport(4, perHost: 2)
    let first = [try send("/a/1", over: transport), try send("/a/2", over: transport)]
    await waitForRequests(2)
    let waiting = [try send("/a/low", .low, over: transport), try send("/a/high", .high, over: transport)]
    let port = try require(server.baseURL.port)
    let url = try require(URL(string: "http://b.test:\(port)/now"))
    let trigger = SignalRecorder(
      transport.send(HTTPRequest(url: url)).on(completion: { for recorder in first { recorder.dispose() } }))
    await trigger.waitForEnd()
    await waitForRequests(5)
    expectEqual(Set(paths.dropFirst(3)), ["/a/high", "/a/low"])
    expect(waiting.allSatisfy { $0.events.isEmpty })
  }

  private struct Waiting: Hashable {
    let number: Int
    let host: String
    let priority: RequestPriority
  }

  /// Whoever starts is one that may, of the highest priority there is, and the first of its host.
  @Test(arguments: [(1, 1), (3, 1), (3, 2), (4, 9)])
  func theRuleHoldsForAnyMixture(_ limit: Int, _ perHost: Int) async throws {
    let transport = try transport(limit, perHost: perHost)
    var random = SystemRandomNumberGenerator()
    var waiting: [Waiting] = []
    var active: [Waiting] = []
    var recorders: [Int: SignalRecorder<TransportEvent, NetworkError>] = [:]
    var seenCount = 0
    func mayStart() -> [Waiting] {
      active.count == limit ? [] : waiting.filter { one in active.count { $0.host == one.host } < perHost }
    }
    func settle() async {
      while !mayStart().isEmpty {
        await waitForRequests(seenCount + 1)
        guard let number = server.log.requests.dropFirst(seenCount).first.flatMap({ Int($0.path.dropFirst()) }),
          let one = mayStart().first(where: { $0.number == number })
        else {
          Issue.record("\(paths.dropFirst(seenCount)) was not to start of \(waiting) beside \(active)")
          return waiting.removeAll()
        }
        expectEqual(one.priority, mayStart().map(\.priority).max())
        expectEqual(waiting.first { $0.host == one.host && $0.priority == one.priority }, one)
        seenCount += 1
        waiting.removeAll { $0 == one }
        active.append(one)
      }
    }
    for number in 0..<300 {
      if number < 200 {
        let one = Waiting(
          number: number, host: ["a", "b", "c"].randomElement(using: &random) ?? "",
          priority: RequestPriority.allCases.randomElement(using: &random) ?? .low)
        recorders[number] = try send("/\(number)", one.priority, to: one.host, over: transport)
        waiting.append(one)
        await settle()
        if Int.random(in: 0..<6, using: &random) == 0, let left = waiting.randomElement(using: &random) {
          recorders[left.number]?.dispose()
          waiting.removeAll { $0 == left }
        }
        if Bool.random(using: &random) { continue }
      }
      guard let ended = active.randomElement(using: &random) else { continue }
      active.removeAll { $0 == ended }
      recorders[ended.number]?.dispose()
      await settle()
    }
    expectEqual(seenCount, server.log.requests.count)
  }
}
