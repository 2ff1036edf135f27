import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// What a client and its requests say is done with redirects.
struct RedirectPolicyTests {
  private func shop(_ adjust: (inout NetworkClient.Configuration) -> Void = { _ in }) throws -> Shop {
    let shop = try Shop(adjust)
    shop.server.route("*", "/*") { request in
      let step = Int(request.path.dropFirst()) ?? 0
      return step == 0 ? .text("end") : .redirect(to: "/\(step - 1)", status: 307)
    }
    return shop
  }

  private func send(
    _ shop: Shop, _ path: String, _ policy: RedirectPolicy? = nil, body: RequestBody = .empty
  ) async -> SignalRecorder<Response<Data>, NetworkError> {
    let method = if case .empty = body { HTTPMethod.get } else { HTTPMethod.post }
    let request = Request(method, RequestPath(path), body: body, options: .with { $0.redirects = policy })
    let recorder = SignalRecorder(shop.client.exchange(request: request))
    await recorder.waitForEnd()
    return recorder
  }

  @Test func aRequestSetsItsOwnLimit() async throws {
    let shop = try shop { $0.redirectLimit = 1 }
    await expectEqual(send(shop, "/2").failure?.code, .tooManyRedirects)
    await expectEqual(send(shop, "/2", .follow(limit: 2)).values.map(\.statusCode), [200])
    let beyond = await send(shop, "/3", .follow(limit: 2))
    expectEqual(beyond.failure?.code, .tooManyRedirects)
    expectEqual(beyond.failure?.reason, "more than 2 redirects")
    expectEqual(beyond.failure?.metrics?.redirectCount, 2)
    await expectEqual(send(shop, "/1", .follow(limit: 0)).failure?.code, .tooManyRedirects)
    expectEqual(RedirectPolicy.follow(limit: -1), .follow(limit: 0))
  }

  @Test func stopGivesTheRedirectAsTheResponse() async throws {
    let shop = try shop()
    let stopped = await send(shop, "/2", .stop)
    expectEqual(stopped.values.map(\.statusCode), [307])
    expectEqual(stopped.values.first?.headers["Location"], "/1")
    expectEqual(shop.server.log.requests.count, 1)
    shop.server.route("GET", "/odd") { _ in .redirect(to: "ftp://ada:pw@nowhere") }
    await expectEqual(send(shop, "/odd", .stop).values.map(\.statusCode), [302])
    let stopping = try self.shop { $0.redirects = .stop }
    await expectEqual(send(stopping, "/1").values.map(\.statusCode), [307])
    await expectEqual(send(stopping, "/1", .follow).values.map(\.statusCode), [200])
    let typed = await stopping.products("/1")
    expectEqual(typed.failure?.code, .status(307))
  }

  @Test func aClosureFollowsStopsAndRefuses() async throws {
    let seen = Guarded<[String]>([])
    let policy = RedirectPolicy.decide { head, proposed in
      seen.withLock { $0.append("\(head.statusCode) \(proposed.url.path)") }
      switch proposed.url.path {
      case "/4": return .refuse(reason: "four is unlucky")
      case "/2": return .stop
      default: return .follow(proposed)
      }
    }
    let shop = try shop()
    await expectEqual(send(shop, "/1", policy).values.map(\.url.path), ["/0"])
    await expectEqual(send(shop, "/4", policy).values.map(\.url.path), ["/3"])
    let refused = await send(shop, "/5", policy)
    expectEqual(refused.failure?.code, .redirectRefused)
    expectEqual(refused.failure?.reason, "four is unlucky")
    expectEqual(refused.failure?.response?.statusCode, 307)
    expectEqual(seen.withLock { $0 }, ["307 /0", "307 /3", "307 /2", "307 /4"])
  }

  @Test("P13") func aClosureChangesTheRequestWithinTheRules() async throws {
    let shop = try shop()
    let other = try LoopbackServer()
    other.route("*", "/*") { _ in .text("other") }
    let target = other.url("/x")
    func policy(_ change: @escaping @Sendable (inout HTTPRequest) -> Void) -> RedirectPolicy {
      .decide { _, proposed in
        var changed = proposed
        change(&changed)
        return .follow(changed)
      }
    }
    let added = await send(shop, "/1", policy { $0.headers["X-Added"] = "1" })
    expectEqual(added.values.count, 1)
    expectEqual(shop.server.log.requests.last?.header("X-Added"), "1")
    // It may not take to another origin what would not go there by itself.
    let moved = await send(
      shop, "/1",
      policy {
        $0.headers["X-Added"] = "1"
        $0.url = target
      })
    expectEqual(moved.values.count, 1)
    expectEqual(other.log.requests.count, 1)
    expectNil(other.log.requests.first?.header("X-Added"))
    let body = RequestBody.data(Data("secret".utf8), contentType: "text/plain")
    await expectEqual(send(shop, "/1", policy { $0.url = target }, body: body).failure?.code, .redirectRefused)
    expectEqual(other.log.requests.count, 1)
    let insecure = await send(shop, "/1", policy { $0.url = URL(string: "http://b.example/") ?? $0.url })
    expectEqual(insecure.failure?.code, .insecureRedirect)
    // What it adds for the address that was proposed goes there.
    shop.server.route("GET", "/away") { _ in .redirect(to: target.absoluteString) }
    await expectEqual(send(shop, "/away", policy { $0.headers["X-Added"] = "2" }).values.count, 1)
    expectEqual(other.log.requests.last?.header("X-Added"), "2")
  }

  @Test("P13") func aBodyCrossesOriginsOnlyIfTheRequestSaysSo() async throws {
    let shop = try shop()
    let other = try LoopbackServer()
    other.route("POST", "/x") { _ in .text("stored") }
    let target = other.url("/x").absoluteString
    shop.server.route("POST", "/away") { _ in .redirect(to: target, status: 307) }
    let body = RequestBody.data(Data("film".utf8), contentType: "text/plain")
    for isAllowed in [false, true] {
      let options = RequestOptions.with { $0.sendsBodyAcrossOrigins = isAllowed }
      let recorder = SignalRecorder(
        shop.client.exchange(request: Request(.post, "/away", body: body, options: options)))
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.code, isAllowed ? nil : .redirectRefused)
    }
    expectEqual(other.log.requests.map(\.bodyText), ["film"])
  }

  @Test func policiesAreEqualIfTheySayTheSame() {
    let decided = RedirectPolicy.decide { _, _ in .stop }
    expectEqual(decided, decided)
    expect(decided != .decide { _, _ in .stop })
    let limited = RedirectPolicy.follow(limit: 1)
    expectEqual(limited, .follow(limit: 1))
    expect(limited != .follow(limit: 2))
    expect(limited != .follow)
    expectEqual(RedirectPolicy.follow, .follow)
    expect(RedirectPolicy.follow != .stop)
    expectEqual(Set([decided, decided, .stop, .follow]).count, 3)
  }
}
