import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

struct ErrorPresenterTests {
  @Test("S0-39, P7") func tenEqualErrorsAreOneDialogThatCountsTheOthers() {
    let audience = Audience()
    for _ in 0..<10 { audience.present("gone", as: .dialog) }
    audience.present("full", as: .dialog)
    expectEqual(audience.texts, ["gone"])
    expectEqual(audience.dialog?.suppressedCount, 9)
    audience.confirm()
    expectEqual(audience.texts, ["full"])
    expectEqual(audience.dialog?.suppressedCount, 0)
    audience.confirm()
    expect(audience.seen.isEmpty)
    expectNil(audience.dialog)
    expectEqual(audience.dialogTexts, ["gone", "full"])
  }

  @Test("S0-39") func differentDialogsComeOneAfterAnotherAndWaitingOnesAreCountedToo() {
    let audience = Audience()
    for text in ["a", "b", "c", "b", "a"] { audience.present(text, as: .dialog) }
    expect(audience.all.values.allSatisfy { $0.count <= 1 })
    for (text, count) in [("a", 1), ("b", 1), ("c", 0)] {
      expectEqual(audience.dialog?.text, text)
      expectEqual(audience.dialog?.suppressedCount, count)
      audience.confirm()
    }
    expectNil(audience.dialog)
  }

  @Test("S0-39") func afterItsDismissalAnEqualOneIsShownAgain() {
    let audience = Audience()
    audience.present("gone", as: .dialog)
    let first = audience.dialog
    audience.confirm()
    audience.present("gone", as: .dialog)
    expectEqual(audience.dialogTexts, ["gone", "gone"])
    expectEqual(audience.dialog?.suppressedCount, 0)
    expect(audience.dialog?.id != first?.id)
    // The old one's number does nothing any more.
    if let first { audience.presenter.dismiss(first.id) }
    expect(audience.dialog != nil)
  }

  @Test func aDialogThatWaitsMayBeDismissedToo() {
    let audience = Audience()
    audience.present("a", as: .dialog)
    audience.present("b", as: .dialog)
    audience.confirm()
    let waiting = audience.dialog
    audience.present("a", as: .dialog)
    expectEqual(audience.dialog, waiting)
    audience.presenter.dismissAll()
    expect(audience.seen.isEmpty)
    audience.present("b", as: .dialog)
    expect(audience.dialog?.id != waiting?.id)
  }

  @Test("S0-38", arguments: PresentationStyle.allCases) func theSameErrorIsShownAsItsRequestSays(
    _ style: PresentationStyle
  ) {
    let audience = Audience(style: { _ in style == .dialog ? .toast : .dialog })
    audience.present("gone", as: style)
    expectEqual(audience.seen.map(\.style), (style == .silent ? [] : [style]))
    expectEqual(audience.seen.map(\.error.code), (style == .silent ? [] : [.api(7)]))
    expectEqual((audience.dialog != nil), (style == .dialog))
    expectEqual(audience.toasts.values.count, (style == .toast ? 1 : 0))
  }

  @Test func theRuleDecidesWhereNothingIsSaid() {
    let audience = Audience(style: { $0.domain == .client ? .dialog : $0.domain == .api ? .silent : .toast })
    audience.presenter.present(NetworkError(.invalidURL))
    audience.presenter.present(NetworkError(.api(7)))
    audience.presenter.present(NetworkError(.timedOut))
    expectEqual(audience.seen.map(\.style), [.dialog, .toast])
    let plain = ErrorPresenter()
    let recorder = SignalRecorder(plain.toasts)
    plain.present(NetworkError(.timedOut))
    expectEqual(recorder.values.map(\.text), [NetworkError(.timedOut).message])
  }

  @Test func theStyleOfARequestCountsBeforeThatOfThePresenterAndAfterThatOfTheCall() {
    let audience = Audience(silentPaths: ["/beat"])
    var error = NetworkError(.timedOut, request: URL(string: "https://a.example/beat").map { HTTPRequest(url: $0) })
    audience.presenter.present(error)
    expect(audience.seen.isEmpty)
    error.presentation = .dialog
    audience.presenter.present(error)
    audience.presenter.present(error, as: .inline)
    error.presentation = .silent
    audience.presenter.present(error)
    // Nobody would show an inline error without an owner.
    error.presentation = .inline
    audience.presenter.present(error)
    expectEqual(audience.seen.map(\.style), [.dialog, .inline, .toast])
    expectEqual(audience.seen.map(\.suppressedCount), [0, 0, 0])
  }

  @Test func equalIsWhatIsShownInTheSameWay() {
    let audience = Audience()
    for style in [PresentationStyle.toast, .dialog, .inline, .toast] { audience.present("gone", as: style) }
    expectEqual(audience.seen.map(\.style), [.toast, .dialog, .inline])
    expectEqual(audience.seen.map(\.suppressedCount), [1, 0, 0])
  }

  @Test("P7") func aToastGoesByItselfAndAnEqualOneIsCountedMeanwhile() {
    let audience = Audience()
    audience.present("gone")
    audience.clock.advance(by: .seconds(2))
    audience.present("gone")
    audience.present("full")
    expectEqual(audience.texts, ["gone", "full"])
    expectEqual(audience.seen.map(\.suppressedCount), [1, 0])
    audience.clock.advance(by: .seconds(1))
    expectEqual(audience.texts, ["full"])
    audience.present("gone")
    expectEqual(audience.toasts.values.map(\.text), ["gone", "full", "gone"])
    let late = SignalRecorder(audience.presenter.toasts)
    expectEqual(late.values.map(\.text), ["full", "gone"])
    audience.clock.advance(by: .seconds(3))
    expect(audience.seen.isEmpty)
  }

  @Test func whatIsDismissedLeavesNoTimerAndDialogsHaveNone() {
    let audience = Audience()
    audience.present("gone")
    audience.present("full", as: .dialog)
    audience.present("bad", as: .inline)
    expectEqual(audience.clock.pendingCount, 1)
    audience.presenter.dismissAll()
    expectEqual(audience.clock.pendingCount, 0)
  }

  @Test func whoComesLateSeesWhatThereIs() {
    let audience = Audience()
    audience.present("gone", as: .dialog)
    expectEqual(SignalRecorder(audience.presenter.dialog.signal).values.map { $0?.text }, ["gone"])
    expectEqual(SignalRecorder(audience.presenter.presentations.signal).values.map { $0.map(\.text) }, [["gone"]])
    expectEqual(audience.presenter.dialog.value?.text, "gone")
    expectEqual(audience.presenter.presentations.value.map(\.text), ["gone"])
    audience.confirm()
    expectNil(audience.presenter.dialog.value)
    expectEqual(audience.presenter.presentations.value, [])
  }

  @Test func theDialogsThatWaitHaveALimitAndLittleOfTheirBodies() throws {
    let presenter = ErrorPresenter(waitingLimit: 2, scheduler: VirtualScheduler())
    let shown = SignalRecorder(presenter.dialog.signal)
    let url = try require(URL(string: "https://a.example/"))
    let response = Response(value: Data(count: 1_000_000), head: HTTPResponse(statusCode: 500, url: url))
    for text in ["a", "b", "c", "d", "e", "a"] {
      var error = NetworkError(.api(7), message: text, response: response)
      error.marks.attemptBeforeRefresh = FailedAttempt(error)
      presenter.present(error, as: .dialog)
    }
    presenter.present(NetworkError(.api(7), message: "toast"), as: .toast)
    var texts: [String] = []
    while let dialog = shown.values.last ?? nil {
      texts.append(dialog.text)
      expectEqual(dialog.error.response?.value.count, 65_536)
      expectEqual(dialog.error.marks.attemptBeforeRefresh?.response?.value.count, 65_536)
      expectEqual(dialog.suppressedCount, (dialog.text == "a" ? 1 : 0))
      presenter.dismiss(dialog.id)
    }
    expectEqual(texts, ["a", "b", "c"])
    // There is room again.
    presenter.present(NetworkError(.api(7), message: "d"), as: .dialog)
    expectEqual((shown.values.last ?? nil)?.text, "d")
  }

  @Test func whoShowsItMayDismissItAtOnce() async {
    let audience = Audience()
    let texts = Guarded<[String]>([])
    for index in 0..<1000 { audience.present("\(index)", as: .dialog) }
    // On a small stack: nested, they would need more than that.
    await withCheckedContinuation { continuation in
      let thread = Thread {
        audience.presenter.dialog.subscribe(onValue: { [presenter = audience.presenter] dialog in
          guard let dialog else { return }
          texts.withLock { $0.append(dialog.text) }
          presenter.dismiss(dialog.id)
        })
        continuation.resume()
      }
      thread.stackSize = 256 * 1024
      thread.start()
    }
    expectEqual(texts.withLock { $0 }, (0..<1000).map(String.init))
    expect(audience.seen.isEmpty)
  }

  @Test func threadsThatPresentAtOnceLoseNothing() async {
    let audience = Audience()
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for index in 0..<200 { audience.present("\((index + task) % 10)", as: .inline) }
        }
      }
    }
    await audience.all.wait { $0.last?.value?.reduce(0) { $0 + $1.suppressedCount + 1 } == 1600 }
    expectEqual(audience.seen.count, 10)
    expectEqual(audience.seen.reduce(0) { $0 + $1.suppressedCount }, 1590)
    expect(audience.all.violations.isEmpty)
  }

  @Test func itsSignalsEndWithIt() {
    let names = Guarded<[String]>([])
    var presenter: ErrorPresenter? = ErrorPresenter(scheduler: VirtualScheduler())
    func follow<Value>(_ name: String, _ signal: Signal<Value, Never>?) {
      signal?.finally { names.withLock { $0.append(name) } }.subscribe { _ in }
    }
    follow("presentations", presenter?.presentations.signal)
    follow("dialog", presenter?.dialog.signal)
    follow("toasts", presenter?.toasts)
    presenter?.present(NetworkError(.timedOut), as: .toast)
    expect(names.withLock { $0.isEmpty })
    presenter = nil
    expectEqual(names.withLock { $0.sorted() }, ["dialog", "presentations", "toasts"])
  }

  @Test func nothingIsKeptOfWhatHasGone() {
    let error = Trace()
    let audience = Audience()
    for style in [PresentationStyle.dialog, .toast, .inline] {
      audience.all.dispose()
      audience.dialogs.dispose()
      audience.toasts.dispose()
      let presenter = ErrorPresenter(scheduler: audience.clock)
      presenter.present(NetworkError(.api(7), underlying: error.problem()), as: style)
      expect(error.isAlive)
      presenter.dismissAll()
      expect(!error.isAlive)
    }
    weak var gone: ErrorPresenter?
    // Those that it is for outlive the presenter.
    let (screen, lifetime) = (Screen(), Lifetime())
    do {
      let presenter = ErrorPresenter(scheduler: audience.clock)
      gone = presenter
      presenter.present(NetworkError(.api(7), underlying: error.problem()), for: screen)
      presenter.present(NetworkError(.api(7), message: "gone"), as: .dialog, for: lifetime)
    }
    expectNil(gone)
    expect(!error.isAlive)
    withExtendedLifetime((screen, lifetime)) {}
    expectEqual(audience.clock.pendingCount, 0)
  }

  /// Fifty failed uploads may wait for the user.
  @Test func aWaitingErrorRetainsNoLongBodies() throws {
    let (long, short) = (Data(count: 1 << 20), Data(count: 1 << 10))
    let url = try require(URL(string: "https://a.example/a"))
    func shown(_ body: HTTPBody) throws -> NetworkError {
      let request = HTTPRequest(method: .post, url: url, body: body)
      let head = HTTPResponse(statusCode: 503, url: url)
      let presenter = ErrorPresenter()
      let response = Response(value: long, head: head)
      presenter.present(NetworkError(.status(503), request: request, response: response), as: .dialog)
      return try require(presenter.presentations.value.first?.error)
    }
    let error = try shown(.data(long))
    expectEqual(error.request?.body.byteCount, 0)
    expectEqual(error.request?.url, url)
    expectEqual(error.response?.value.count, 65_536)
    expectEqual(try shown(.data(short)).request?.body.byteCount, 1 << 10)
    expectEqual(try shown(.stream(BodyStream { { .empty } })).request?.body.byteCount, 0)
  }

  /// The body is also in the cause of an error, and in the request before its signing.
  @Test func aWaitingErrorRetainsNoLongBodiesInItsCause() throws {
    let long = Data(count: 1 << 20)
    let url = try require(URL(string: "https://a.example/a"))
    var request = HTTPRequest(method: .post, url: url, body: .data(long))
    request.context.unsigned = request
    let response = Response(value: long, head: HTTPResponse(statusCode: 401, url: url))
    let cause = NetworkError(.status(401), request: request, response: response)
    let presenter = ErrorPresenter()
    presenter.present(NetworkError(.recoveryRefused, request: request, underlying: cause), as: .dialog)
    let error = try require(presenter.presentations.value.first?.error)
    let kept = try require(error.underlying as? NetworkError)
    expectEqual(kept.code, .status(401))
    expectEqual(kept.response?.value.count, 65_536)
    for error in [error, kept] {
      expectEqual(error.request?.body.byteCount, 0)
      expectNil(error.request?.context.unsigned)
    }
  }

  @Test func aThousandDialogsWaitByDefault() {
    let presenter = ErrorPresenter(scheduler: VirtualScheduler())
    for index in 0..<1_010 { presenter.present(NetworkError(.api(7), message: "\(index)"), as: .dialog) }
    var texts: [String] = []
    while let dialog = presenter.dialog.value {
      texts.append(dialog.text)
      presenter.dismiss(dialog.id)
    }
    // The one that is shown, and those behind it.
    expectEqual(texts, (0...1_000).map { "\($0)" })
  }
}

/// Knows whether the error that it has made is still there.
private final class Trace {
  private final class Token: Sendable {}
  private struct Problem: Error { let token: Token }

  private weak var token: Token?
  var isAlive: Bool { token != nil }

  func problem() -> any Error {
    let token = Token()
    self.token = token
    return Problem(token: token)
  }
}
