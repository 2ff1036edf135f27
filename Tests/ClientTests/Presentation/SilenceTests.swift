import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What is not shown, and that whoever asked is told all the same.
struct SilenceTests {
  private struct Wrapped: Error, CustomNSError {
    let problem: any Error
    var errorUserInfo: [String: Any] { [NSUnderlyingErrorKey: problem as NSError] }
  }

  private static let cancellations: [NetworkError] = [
    NetworkError(.network(-999)),
    NetworkError(.connectionLost, underlying: URLError(.cancelled)),
    NetworkError(.transformFailed, underlying: CancellationError()),
    NetworkError(
      .transformFailed, underlying: NetworkError(.recoveryRefused, underlying: URLError(.cancelled))),
    NetworkError(.transformFailed, underlying: Wrapped(problem: URLError(.cancelled))),
    NetworkError(.transformFailed, underlying: CocoaError(.userCancelled)),
  ]

  @Test("P7") func whatIsSentInTheBackgroundIsSilentUnlessItSaysOtherwise() async throws {
    let stub = StubTransport()
    stub.on(.get, "/a", .status(503), .status(503), .status(503))
    let presenter = ErrorPresenter(scheduler: VirtualScheduler())
    let shown = SignalRecorder(presenter.toasts)
    var configuration = NetworkClient.Configuration(transport: stub)
    configuration.monitors = [presenter]
    let client = NetworkClient(configuration)
    var spoken = RequestOptions.background
    spoken.presentation = .toast
    for (options, count) in [(RequestOptions.background, 0), (RequestOptions(), 1), (spoken, 2)] {
      let request = Request(.get, "https://a.example/a", options: options)
      let recorder = SignalRecorder(client.enqueue(request: request, resultType: Int.self))
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.code, .status(503))
      presenter.dismissAll()
      expectEqual(shown.values.count, count)
    }
    expectEqual(stub.requests.map(\.priority), [.low, .normal, .low])
  }

  /// Whatever style the request has that began it.
  @Test("P7", arguments: [nil, PresentationStyle.dialog])
  func theRefreshOfAStaleResponseIsSilent(_ style: PresentationStyle?) async {
    let presenter = ErrorPresenter(scheduler: VirtualScheduler())
    let kit = TestKit { $0.monitors = [presenter] }
    let stale: HTTPHeaders = ["Cache-Control": "max-age=0, stale-while-revalidate=60"]
    kit.stub.on(.get, "/a", .text("first", headers: stale), .status(503))
    for count in [1, 2] {
      let request = Request(.get, "/a", cache: .http, options: .with { $0.presentation = style })
      let recorder = SignalRecorder(kit.client.enqueue(request: request, resultType: String.self))
      await kit.clock.advance(by: .seconds(1))
      expectEqual(recorder.values.map(\.value), ["first"])
      expectEqual(kit.stub.requests.count, count)
    }
    expectEqual(presenter.presentations.value.count, 0)
    let request = Request(.get, "/a", cache: .reload, options: .with { $0.presentation = style })
    expect(SignalRecorder(kit.client.enqueue(request: request, resultType: String.self)).failure != nil)
    expectEqual(presenter.presentations.value.count, 1)
  }

  @Test("P7", arguments: cancellations.indices, PresentationStyle.allCases)
  func aCancellationIsNeverShown(_ index: Int, _ style: PresentationStyle) {
    let audience = Audience()
    audience.presenter.present(SilenceTests.cancellations[index], as: style)
    audience.presenter.present(SilenceTests.cancellations[index])
    expectEqual(audience.all.values, [[]])
  }

  // The app loads again for the new account, and a code of a server may have the same number.
  @Test("P7", arguments: PresentationStyle.allCases) func aChangeOfTheAccountIsNeverShown(_ style: PresentationStyle) {
    let audience = Audience()
    audience.presenter.present(NetworkError(.contextChanged), as: style)
    audience.presenter.present(NetworkError(.contextChanged))
    expectEqual(audience.all.values, [[]])
    audience.presenter.present(NetworkError(.api(613), message: "a"))
    expectEqual(audience.texts, ["a"])
  }

  @Test func whatOnlyLooksLikeACancellationIsShown() {
    let audience = Audience()
    let url = URL(string: "http://shop.example/cancelled")
    audience.presenter.present(NetworkError(.api(-999), message: "a", request: url.map { HTTPRequest(url: $0) }))
    audience.presenter.present(NetworkError(.timedOut, message: "b", underlying: URLError(.timedOut)))
    audience.presenter.present(
      NetworkError(.transformFailed, message: "c", underlying: Wrapped(problem: URLError(.badURL))))
    expectEqual(audience.texts, ["a", "b", "c"])
  }

  @Test(
    "S2-10",
    arguments: [
      ("/beat", true), ("/beat/2", false), ("/beats", false), ("/log/a", true), ("/log/a/b", true), ("/logs", false),
      ("/caf%C3%A9", true), ("/beat?x=1", true), ("", false),
    ])
  func anAddressMayBeSilent(_ path: String, _ isSilent: Bool) throws {
    let audience = Audience(silentPaths: ["/beat", "/log/", "/café"])
    let url = try require(URL(string: "http://shop.example" + path))
    let error = NetworkError(.timedOut, request: HTTPRequest(url: url))
    audience.presenter.present(error)
    expectEqual(audience.seen.isEmpty, isSilent)
    // What is said with the error itself is said of this one only.
    audience.presenter.present(error, as: .dialog)
    expect(audience.dialog != nil)
  }

  @Test("S0-38, S2-9, S2-10, T6, T14") func whoAskedGetsTheErrorWhetherItIsShownOrNot() async throws {
    let audience = Audience(silentPaths: ["/beat"])
    let shop = try Shop()
    for path in ["/beat", "/cart"] { shop.serve(path, "{}", status: 503) }
    let wishes: [(String, PresentationStyle?)] = [
      ("/beat", nil), ("/cart", nil), ("/cart", .dialog), ("/cart", .inline), ("/cart", .silent),
    ]
    for (path, style) in wishes {
      let recorder = SignalRecorder(
        shop.client.enqueue(request: Request(.get, RequestPath(path)), resultType: Product.self)
          .presentingErrors(with: audience.presenter, as: style))
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.domain, .server)
      expectEqual(recorder.failure?.statusCode, 503)
      expectEqual(recorder.events.count, 1)
    }
    expectEqual(audience.seen.map(\.style), [.toast, .dialog, .inline])
    expect(audience.seen.allSatisfy { $0.error.statusCode == 503 && $0.suppressedCount == 0 })
    // Nothing is shown unless the app says by whom.
    expect(NetworkClient.Configuration().monitors.isEmpty)
  }

  @Test("S0-39, P7") func tenRequestsThatFailAtOnceAreOneDialog() async throws {
    let audience = Audience()
    let shop = try Shop()
    shop.serve("/cart", "{}", status: 503)
    shop.serve("/text", "text")
    let recorders = (0..<11).map { index in
      SignalRecorder(
        shop.client.enqueue(request: index == 5 ? "/text" : "/cart", resultType: Product.self)
          .presentingErrors(with: audience.presenter, as: .dialog))
    }
    for recorder in recorders { await recorder.waitForEnd() }
    var counts: [NetworkError.Domain: Int] = [:]
    for _ in 0..<2 {
      let known = Set(counts.keys)
      await audience.dialogs.wait { events in
        guard let dialog = events.last?.value ?? nil, !known.contains(dialog.error.domain) else { return false }
        return dialog.error.domain == .processing || dialog.suppressedCount == 9
      }
      let dialog = try require(audience.dialog)
      counts[dialog.error.domain] = dialog.suppressedCount
      audience.confirm()
    }
    expectEqual(counts, [.server: 9, .processing: 0])
    expectNil(audience.dialog)
    expectEqual(audience.dialogTexts.count, 2)
    expect(recorders.allSatisfy { $0.failure != nil && $0.violations.isEmpty })
  }

  /// The error has the request of the refresh.
  @Test("S2-10", arguments: [("/me", "/token", 1), ("/beat", "/beat", 0)])
  func aFailedRefreshIsSilentByThePathOfTheRequestThatWaited(_ path: String, _ silent: String, _ count: Int) async {
    let (monitor, audience) = (Audience(silentPaths: [silent]), Audience(silentPaths: [silent]))
    let stub = StubTransport()
    stub.on(.get, RequestPath(path), .status(401))
    stub.on(.post, "/token", .status(400))
    // Without a base URL, the services that other tests register would make its origin a foreign one.
    var configuration = NetworkClient.Configuration(baseURL: URL(string: "https://a.example"), transport: stub)
    configuration.monitors = [monitor.presenter]
    configuration.processing = .immediate
    configuration.scheduler = VirtualScheduler()
    configuration.recoveries = [
      Recovery(scheduler: VirtualScheduler()) { client in
        client.enqueue(request: Request(.post, "https://a.example/token"), resultType: Int.self)
      }
    ]
    let recorder = SignalRecorder(
      NetworkClient(configuration).enqueue(
        request: Request(.get, RequestPath("https://a.example" + path)), resultType: Int.self
      ).presentingErrors(with: audience.presenter))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .status(400))
    for audience in [monitor, audience] {
      expectEqual(audience.seen.map(\.suppressedCount), Array(repeating: 0, count: count))
    }
  }

  /// The request that waited for it presents the error, unless the refresh asks for it itself.
  @Test(
    "P7 S0-38",
    arguments: [
      (RequestOptions.background, nil, []), (RequestOptions(), nil, [.toast]),
      (RequestOptions.background, .dialog, [.dialog]), (RequestOptions(), .silent, [.toast]),
    ] as [(RequestOptions, PresentationStyle?, [PresentationStyle])])
  func theRequestsOfARefreshAreNotPresented(
    _ options: RequestOptions, _ style: PresentationStyle?, _ expected: [PresentationStyle]
  ) async {
    let stub = StubTransport()
    stub.on(.get, "/me", .status(401))
    stub.on(.post, "/token", .status(400))
    let audience = Audience()
    var configuration = NetworkClient.Configuration(baseURL: URL(string: "https://a.example"), transport: stub)
    configuration.monitors = [audience.presenter]
    configuration.processing = .immediate
    configuration.scheduler = VirtualScheduler()
    configuration.recoveries = [
      Recovery(scheduler: VirtualScheduler()) { client in
        let request = Request(.post, "/token", options: .with { $0.presentation = style })
        return client.enqueue(request: request, resultType: Int.self)
      }
    ]
    let request = Request(.get, "/me", options: options)
    let recorder = SignalRecorder(NetworkClient(configuration).enqueue(request: request, resultType: Int.self))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .status(400))
    expectEqual(stub.requests.count, 2)
    expectEqual(audience.seen.map(\.style), expected)
    expect(audience.seen.allSatisfy { $0.suppressedCount == 0 })
  }

  /// The error of a lost connection has the request that followed the redirect, that of a response the first one.
  @Test("S2-10", arguments: [("/beat", "/v2/beat", 0), ("/cart", "/beat", 2)])
  func aRedirectIsSilentByThePathBeforeIt(_ path: String, _ target: String, _ count: Int) async {
    let audience = Audience(silentPaths: ["/beat"])
    let lost = StubAnswer([.failure(NetworkError(.connectionLost))])
    for answer in [.status(503), lost] {
      let stub = StubTransport()
      stub.on(.get, RequestPath(path), .status(302, headers: ["Location": target]))
      stub.on(.get, RequestPath(target), answer)
      var configuration = NetworkClient.Configuration(baseURL: URL(string: "https://a.example"), transport: stub)
      configuration.monitors = [audience.presenter]
      configuration.processing = .immediate
      configuration.scheduler = VirtualScheduler()
      configuration.retry = .never
      let request = Request(.get, RequestPath("https://a.example" + path))
      let recorder = SignalRecorder(NetworkClient(configuration).enqueue(request: request, resultType: Int.self))
      await recorder.waitForEnd()
      expect(recorder.failure != nil)
      expectEqual(stub.requests.count, 2)
    }
    expectEqual(audience.seen.count, count)
  }

  @Test func asAMonitorItPresentsEveryErrorOfAClient() async throws {
    let audience = Audience()
    let shop = try Shop { $0.monitors = [audience.presenter] }
    shop.serve("/cart", "{}", status: 503)
    shop.serve("/lamp", #"{"id":1,"name":"Lamp"}"#)
    _ = await shop.products("/lamp")
    expect(audience.seen.isEmpty)
    _ = await shop.products("/cart")
    expectEqual(audience.toasts.values.map(\.error.statusCode), [503])
  }

  /// Without an owner it could not be shown inline.
  @Test func asAMonitorItShowsAnInlineErrorOfItsOwnRuleAsAToast() async throws {
    let audience = Audience(style: { _ in .inline })
    let shop = try Shop { $0.monitors = [audience.presenter] }
    shop.serve("/cart", "{}", status: 503)
    _ = await shop.products("/cart")
    expectEqual(audience.toasts.values.map(\.error.statusCode), [503])
    audience.clock.advance(by: .seconds(3))
    expect(audience.seen.isEmpty)
  }

  @Test func valuesAndCompletionsPassTheOperator() {
    let audience = Audience()
    let recorder = SignalRecorder(
      Signal<Int, NetworkError>.from([1, 2, 3]).presentingErrors(with: audience.presenter))
    expectEqual(recorder.values, [1, 2, 3])
    expect(recorder.isCompleted)
    expectEqual(audience.all.values, [[]])
  }
}
