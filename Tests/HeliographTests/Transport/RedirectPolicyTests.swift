import Foundation
import Heliograph
import HeliographTesting
import Testing

/// What a client and its requests say is done with redirects.
@Suite struct RedirectPolicyTests {
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
    let request = Request(method, path, body: body, options: .with { $0.redirects = policy })
    let recorder = SignalRecorder(shop.client.enqueue(request: request))
    await recorder.waitForEnd()
    return recorder
  }

  @Test func aRequestSetsItsOwnLimit() async throws {
    let shop = try shop { $0.redirectLimit = 1 }
    #expect(await send(shop, "/2").failure?.code == .tooManyRedirects)
    #expect(await send(shop, "/2", .follow(limit: 2)).values.map(\.statusCode) == [200])
    let beyond = await send(shop, "/3", .follow(limit: 2))
    #expect(beyond.failure?.code == .tooManyRedirects)
    #expect(beyond.failure?.reason == "more than 2 redirects")
    #expect(beyond.failure?.metrics?.redirectCount == 2)
    #expect(await send(shop, "/1", .follow(limit: 0)).failure?.code == .tooManyRedirects)
  }

  @Test func stopGivesTheRedirectAsTheResponse() async throws {
    let shop = try shop()
    let stopped = await send(shop, "/2", .stop)
    #expect(stopped.values.map(\.statusCode) == [307])
    #expect(stopped.values.first?.headers["Location"] == "/1")
    #expect(shop.server.log.requests.count == 1)
    shop.server.route("GET", "/odd") { _ in .redirect(to: "ftp://ada:pw@nowhere") }
    #expect(await send(shop, "/odd", .stop).values.map(\.statusCode) == [302])
    let stopping = try self.shop { $0.redirects = .stop }
    #expect(await send(stopping, "/1").values.map(\.statusCode) == [307])
    #expect(await send(stopping, "/1", .follow).values.map(\.statusCode) == [200])
    let typed = await stopping.products("/1")
    #expect(typed.failure?.domain == .server && typed.failure?.code == 307)
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
    #expect(await send(shop, "/1", policy).values.map(\.url.path) == ["/0"])
    #expect(await send(shop, "/4", policy).values.map(\.url.path) == ["/3"])
    let refused = await send(shop, "/5", policy)
    #expect(refused.failure?.code == .redirectRefused && refused.failure?.reason == "four is unlucky")
    #expect(refused.failure?.response?.statusCode == 307)
    #expect(seen.withLock { $0 } == ["307 /0", "307 /3", "307 /2", "307 /4"])
  }

  @Test func aClosureChangesTheRequestWithinTheRules() async throws {
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
    #expect(added.values.count == 1 && shop.server.log.requests.last?.header("X-Added") == "1")
    // It may not take to another origin what would not go there by itself.
    let moved = await send(
      shop, "/1",
      policy {
        $0.headers["X-Added"] = "1"
        $0.url = target
      })
    #expect(moved.values.count == 1 && other.log.requests.count == 1)
    #expect(other.log.requests.first?.header("X-Added") == nil)
    let body = RequestBody.data(Data("secret".utf8), contentType: "text/plain")
    #expect(await send(shop, "/1", policy { $0.url = target }, body: body).failure?.code == .redirectRefused)
    #expect(other.log.requests.count == 1)
    let insecure = await send(shop, "/1", policy { $0.url = URL(string: "http://b.example/") ?? $0.url })
    #expect(insecure.failure?.code == .insecureRedirect)
    // What it adds for the address that was proposed goes there.
    shop.server.route("GET", "/away") { _ in .redirect(to: target.absoluteString) }
    #expect(await send(shop, "/away", policy { $0.headers["X-Added"] = "2" }).values.count == 1)
    #expect(other.log.requests.last?.header("X-Added") == "2")
  }

  @Test func policiesAreEqualIfTheySayTheSame() {
    let decided = RedirectPolicy.decide { _, _ in .stop }
    #expect(decided == decided && decided != .decide { _, _ in .stop })
    let limited = RedirectPolicy.follow(limit: 1)
    #expect(limited == .follow(limit: 1) && limited != .follow(limit: 2) && limited != .follow)
    #expect(RedirectPolicy.follow == .follow && RedirectPolicy.follow != .stop)
    #expect(Set([decided, decided, .stop, .follow]).count == 3)
  }
}
