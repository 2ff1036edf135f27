import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// The trace context of requests, over real sockets.
struct TraceFlowTests {
  private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  private let log = MonitorLog()

  private func shop(_ adjust: (inout NetworkClient.Configuration) -> Void = { _ in }) throws -> Shop {
    let shop = try Shop {
      $0.traceContext = { TraceContext(of: $0) }
      $0.monitors = [log]
      $0.retry = Retry(limit: 2, backoff: .none)
      adjust(&$0)
    }
    shop.serve("/a", "1")
    return shop
  }

  private func contexts(_ server: LoopbackServer, _ path: String) -> [TraceContext] {
    server.log.requests(to: path).compactMap { TraceContext(traceparent: $0.header("traceparent") ?? "") }
  }

  @discardableResult private func send(_ request: Request, _ shop: Shop) async -> Response<Data>? {
    try? await shop.client.exchange(request: request).first()
  }

  @Test func anOwnOriginGetsAContextThatTheReportsHave() async throws {
    let shop = try shop()
    let response = await send("/a", shop)
    let sent = try require(contexts(shop.server, "/a").first)
    expect(sent.isSampled)
    expectNil(shop.server.log.requests[0].header("tracestate"))
    expectEqual(response?.request?.traceContext, sent)
    expectEqual(log.sent.map(\.traceContext), [sent])
    expectEqual((log.attempts + log.requests).map { $0.request?.traceContext }, [sent, sent])
  }

  @Test func withoutMonitorsResponsesAndErrorsHaveTheContext() async throws {
    let shop = try shop { $0.monitors = [] }
    shop.server.route("GET", "/failing") { _ in .status(500) }
    let response = await send("/a", shop)
    expectEqual(response?.request?.traceContext, contexts(shop.server, "/a").first)
    let request = Request(.get, "/failing", options: .with { $0.retry = .never })
    let failure = await #expect(throws: NetworkError.self) { try await shop.client.send(request) }
    expectEqual(failure?.request?.traceContext, contexts(shop.server, "/failing").first)
    expect(failure?.request?.traceContext != nil)
  }

  @Test func withoutTheSettingNothingIsSent() async throws {
    let shop = try shop { $0.traceContext = nil }
    await send("/a", shop)
    expectNil(shop.server.log.requests[0].header("traceparent"))
    let none = try self.shop { $0.traceContext = { _ in nil } }
    await send("/a", none)
    expectNil(none.server.log.requests[0].header("traceparent"))
  }

  @Test func aRetryHasTheTraceOfTheFirstAttemptAndASpanOfItsOwn() async throws {
    let shop = try shop()
    shop.serve("/busy", "1", status: 503)
    _ = await shop.products("/busy", as: Int.self)
    let sent = contexts(shop.server, "/busy")
    expectEqual(sent.count, 3)
    expectEqual(Set(sent.map(\.traceID)).count, 1)
    expectEqual(Set(sent.map(\.spanID)).count, 3)
    expectEqual(log.attempts.map { $0.request?.traceContext?.spanID }, sent.map(\.spanID))
    await send("/a", shop)
    expect(contexts(shop.server, "/a")[0].traceID != sent[0].traceID)
  }

  @Test func aRedirectWithinTheOriginKeepsIt() async throws {
    let shop = try shop()
    shop.server.route("GET", "/old") { _ in .redirect(to: "/a") }
    await send("/old", shop)
    expectEqual(contexts(shop.server, "/a"), contexts(shop.server, "/old"))
    expectEqual(contexts(shop.server, "/a").count, 1)
  }

  /// As every other field that the rules of redirects do not keep.
  @Test func aRedirectToAnotherOriginDropsItForTheRestOfTheChain() async throws {
    let shop = try shop()
    let other = try LoopbackServer()
    let back = shop.server.url("/a").absoluteString
    other.route("GET", "/there") { _ in .redirect(to: back) }
    let there = other.url("/there").absoluteString
    shop.server.route("GET", "/old") { _ in .redirect(to: there) }
    let response = await send("/old", shop)
    expectEqual(response?.statusCode, 200)
    expectEqual(contexts(shop.server, "/old").count, 1)
    for request in other.log.requests + shop.server.log.requests(to: "/a") {
      expectNil(request.header("traceparent"))
      expectNil(request.header("tracestate"))
    }
    expectEqual(other.log.requests.count, 1)
  }

  @Test func anotherOriginGetsNoneUnlessItIsTrusted() async throws {
    let other = try LoopbackServer()
    other.route("GET", "/b") { _ in .json("1") }
    let request = Request(.get, RequestPath(other.url("/b").absoluteString))
    let shop = try shop()
    await send(request, shop)
    expectNil(other.log.requests[0].header("traceparent"))
    let trusting = try self.shop { $0.trustedOrigins = Set([Origin(other.baseURL)].compactMap(\.self)) }
    await send(request, trusting)
    expect(other.log.requests[1].header("traceparent") != nil)
  }

  @Test func aFieldOfTheRequestItselfWins() async throws {
    let shop = try shop()
    await send(Request(.get, "/a", headers: ["traceparent": Self.parent]), shop)
    await send(Request(.get, "/a", headers: ["tracestate": "foo=1"]), shop)
    expectEqual(shop.server.log.requests.map { $0.header("traceparent") }, [Self.parent, nil])
    expectEqual(shop.server.log.requests.map { $0.header("tracestate") }, [nil, "foo=1"])
  }

  @Test func theStateIsSent() async throws {
    let context = TraceContext(traceparent: Self.parent, tracestate: "foo=1,bar=2")
    let shop = try shop { $0.traceContext = { _ in context?.child() } }
    await send("/a", shop)
    let request = shop.server.log.requests[0]
    expectEqual(request.header("tracestate"), "foo=1,bar=2")
    expectEqual(contexts(shop.server, "/a").map(\.traceID), [context?.traceID])
  }

  @Test func aCacheHitAsksForNoContextAndNoVariantIsMade() async throws {
    let asked = Guarded(0)
    let shop = try shop {
      $0.cachePolicy = .http
      $0.traceContext = { request in
        asked.withLock { $0 += 1 }
        return TraceContext(of: request)
      }
    }
    shop.server.route("GET", "/kept") { _ in
      .json("1").header("Cache-Control", "max-age=600").header("Vary", "traceparent, tracestate")
    }
    let first = await send("/kept", shop)
    let second = await send("/kept", shop)
    expectEqual(first?.source, .network)
    expect(second?.source != .network)
    expectNil(second?.request?.traceContext)
    expectEqual(shop.server.log.requests.count, 1)
    expectEqual(asked.withLock { $0 }, 1)
  }

  @Test func requestsThatShareAnExchangeHaveOneContext() async throws {
    let (opened, gate) = AsyncStream.makeStream(of: Void.self)
    let shop = try shop()
    shop.server.route("GET", "/shared") { _ in
      for await _ in opened { break }
      return .json("1")
    }
    let request = Request(.get, "/shared", options: .with { $0.isCoalesced = true })
    let recorders = (0..<5).map { _ in SignalRecorder(shop.client.exchange(request: request)) }
    await expect(shop.server.wait { $0.requests.count == 1 })
    gate.yield()
    for recorder in recorders { await recorder.waitForEnd() }
    expectEqual(recorders.map { $0.values.first?.source }, [.network] + Array(repeating: .shared, count: 4))
    expectEqual(shop.server.log.requests.count, 1)
    expectEqual(contexts(shop.server, "/shared"), log.sent.compactMap(\.traceContext))
  }

  @Test func uploadsDownloadsAndRefreshesAreTraced() async throws {
    let shop = try shop {
      $0.recoveries = [
        Recovery(scheduler: VirtualScheduler()) { client in _ = try await client.send(Request(.post, "/refresh")) }
      ]
    }
    let count = Guarded(0)
    shop.server.route("GET", "/private") { _ in
      count.withLock { count in
        count += 1
        return count == 1 ? .status(401) : .json("1")
      }
    }
    shop.server.route("POST", "/refresh") { _ in .json("1") }
    _ = await shop.products("/private", as: Int.self)
    expectEqual(Set(contexts(shop.server, "/private").map(\.traceID)).count, 1)
    expectEqual(Set(contexts(shop.server, "/private").map(\.spanID)).count, 2)
    expectEqual(contexts(shop.server, "/refresh").count, 1)
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    _ = try await shop.client.download("/a", to: file)
    expectEqual(contexts(shop.server, "/a").count, 1)
  }
}
