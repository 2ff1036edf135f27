import Foundation
import Heliograph
import HeliographTesting
import Testing

/// The samples of the article SignaturesAtAGlance.
@Suite struct SignaturesAtAGlanceSamples {
  struct User: Codable, Sendable { let name: String }

  @Test func clients() async throws {
    let kit = TestKit()
    let (apiURL, transport) = (URL(string: "https://api.example.com"), kit.stub)
    let token = CurrentValue<String?>("first")
    // sample: signatures-retry
    let retry = Retry(
      limit: 3, backoff: .exponential(initialDelay: .milliseconds(500), maximumDelay: .seconds(30), jitter: 1),
      statuses: [429, 503], codes: [.timedOut, .connectionLost], maximumRetryAfter: .seconds(60)
    ) { error, attempt in
      error.statusCode == 429 && attempt > 1 ? .doNotRetry : .default
    }
    let recovery = Recovery(
      statuses: [401, 419], codes: [1001], service: nil, limit: 3, window: .seconds(60), totalTimeout: .seconds(30)
    ) { client in
      token.value = try await client.post("/token", as: String.self)
    } onFailure: { error in
      if error.isUnauthorized { token.value = nil }
    }
    // end sample
    // sample: signatures-client
    let client = NetworkClient(
      baseURL: apiURL, headers: ["Accept-Language": "en"], idleTimeout: .seconds(20), retry: Retry(limit: 2),
      middleware: [.bearer { token.value }], recoveries: [recovery], monitors: [ConsoleMonitor()], transport: transport
    ) {
      $0.totalTimeout = .seconds(60)  // every other setting
    }
    // end sample
    #expect(retry.limit == 3 && client.configuration.idleTimeout == .seconds(20))
    kit.stub.on(.post, "/token", .text("second"))
    kit.stub.on(.get, "/user", .status(419))
    kit.stub.on(.get, "/user", headers: ["Authorization": "Bearer second"], .json(User(name: "Ada")))
    #expect(try await client.get("/user", as: User.self).name == "Ada")
    let cart = ["lamp"]
    // sample: signatures-request
    let request = Request(
      .post, "/orders", service: nil, query: ["dryRun": true], parameters: [:], headers: ["Accept": "application/json"],
      body: .json(cart), idleTimeout: .seconds(10), totalTimeout: .seconds(60), retry: .never, priority: .high,
      options: .with { $0.allowsRecovery = false })
    // end sample
    let built = try client.httpRequest(for: request)
    #expect(built.url.query == "dryRun=true" && built.idleTimeout == .seconds(10) && built.priority == .high)
  }

  // sample: signatures-events
  func text(of event: MonitorEvent) -> String {
    switch event {
    case .started(let id, let request): "\(id) \(request.map { "\($0)" } ?? "")"
    case .sent(let request): request.curlCommand
    case .responded(_, let head): "\(head.statusCode)"
    case .received(_, let response): "\(response.value.count) bytes"
    case .delivered(let request, let head): "\(request.url.path) \(head.statusCode)"
    case .attemptEnded(let report), .ended(let report): "\(report.attempt) \(report.outcome) \(report.duration)"
    case .cache(let request, let event): "\(event) \(request)"
    case .notice(let text): text
    }
  }
  // end sample

  @Test func eventsAndErrors() {
    #expect(text(of: .notice("URLSession")) == "URLSession")
    // sample: signatures-transfer
    func show(_ step: Transfer<Response<User>>) -> String {
      switch step {
      case .progress(let progress) where progress.direction == .sending: "\(progress.fractionCompleted ?? 0)"
      case .progress(let progress): "\(progress.byteCount) of \(progress.totalByteCount ?? 0) bytes"
      case .finished(let response): response.value.name
      }
    }
    let half = TransferProgress(.sending, byteCount: 50, totalByteCount: 100)  // for previews and tests
    // end sample
    #expect(show(.progress(half)) == "0.5")
    // sample: signatures-error
    let error = NetworkError(.server, 503, message: "Come back later.", reason: "the stub is closed")
    let answer =
      switch (error.domain, error.code) {
      case (.network, .timeout), (.server, 504): "slow"
      case (.server, .unauthorized): "sign in"
      case (.server, let status): "status \(status)"
      default: error.reason
      }
    // end sample
    #expect(answer == "status 503")
  }

  @MainActor @Test func viewModels() async {
    @MainActor final class Screen { var user = Loadable<User>.idle }
    let kit = TestKit()
    kit.stub.on(.get, "/users/1", .json(User(name: "Ada")))
    kit.stub.on(.get, "/users", .json([User(name: "Ada")]))
    let (client, screen, request) = (kit.client, Screen(), Request(.get, "/users/1"))
    let show: @MainActor @Sendable (String) -> Void = { #expect($0 == "Ada") }
    // sample: signatures-view-models
    let lane = Lane(.latestWins(debounce: .milliseconds(300)), name: "search", clock: .global)
    let call = client.call(request, as: User.self, in: nil)
    call.start(
      for: screen, onUpdate: { call in print(call.value as Any) }, onSuccess: { call in show(call.value?.name ?? "") },
      onFailure: { call in show(call.error?.message ?? "") })
    let user = client.enqueue(request: request, resultType: User.self).map(\.value)
    user.load(into: \.user, on: screen)
    lane.enqueue(user, priority: .high).bound(to: screen).subscribe { event in print(event) }
    let batch = Batch([user], mode: .collect, concurrencyLimit: 4)
    let pager = Pager(client.pages(request: "/users", of: User.self))
    let activity = ActivityMonitor(
      startDelay: .milliseconds(300), minimumVisibleTime: .milliseconds(500), clock: .global)
    // end sample
    batch.start()
    pager.refresh()
    await kit.clock.advance()
    #expect(screen.user.value?.name == "Ada" && batch.values.count == 1 && pager.items.count == 1)
    #expect(call.value?.name == "Ada" && activity.count.value == 0)
  }
}
