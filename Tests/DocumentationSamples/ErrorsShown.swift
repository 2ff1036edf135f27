import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

// sample: errors-on-screen
@MainActor final class ErrorScreen {
  let presenter: ErrorPresenter
  private let bag = DisposeBag()
  private(set) var dialog: ErrorPresentation?  // show an alert while there is one
  private(set) var toasts: [String] = []  // show each for a moment

  init(presenter: ErrorPresenter) {
    self.presenter = presenter
    presenter.current
      .subscribeOnMain(onValue: { [weak self] in self?.dialog = $0 })
      .disposed(by: bag)
    presenter.toasts
      .subscribeOnMain(onValue: { [weak self] in self?.toasts.append($0.text) })
      .disposed(by: bag)
  }

  func confirm() {
    if let dialog { presenter.dismiss(dialog.id) }  // the next one comes by itself
  }
}
// end sample

// sample: inline
@MainActor final class AddressForm {
  let client: NetworkClient
  let presenter: ErrorPresenter
  private let bag = DisposeBag()
  private(set) var problems: [String] = []

  init(client: NetworkClient, presenter: ErrorPresenter) {
    self.client = client
    self.presenter = presenter
    presenter.inlines(for: self)
      .subscribeOnMain(onValue: { [weak self] in self?.problems = $0.map(\.text) })
      .disposed(by: bag)
  }

  func send(_ town: String) {
    presenter.dismissAll(for: self)
    client.enqueue(request: Request(.post, "/address", parameters: ["town": .init(town)]), resultType: NoContent.self)
      .presentingErrors(with: presenter, as: .inline, for: self)
      .subscribe { _ in }
      .disposed(by: bag)
  }
}
// end sample

/// The samples of Docs/Errors.md about what a person sees.
struct ShownSamples {
  private let server: LoopbackServer
  private let shopURL: URL

  init() throws {
    server = try LoopbackServer()
    server.route("*", "*") { _ in .status(503) }
    shopURL = server.baseURL
  }

  @MainActor @Test func aPresenterIsAMonitor() async throws {
    // sample: presenter
    let presenter = ErrorPresenter(silentPaths: ["/beat"], style: { $0.domain == .client ? .toast : .dialog })
    var configuration = NetworkClient.Configuration(baseURL: shopURL)
    configuration.monitors = [presenter]  // now every error of this client is shown
    let client = NetworkClient(configuration)
    let screen = ErrorScreen(presenter: presenter)

    var prefetch = Request(.get, "/next-page")
    prefetch.options.presentation = .silent  // but not this one
    // end sample
    let shown = SignalRecorder(presenter.current.observe(on: .main))
    for request in [prefetch] + ["/beat", "/lamps", "/lamps"].map({ Request(.get, $0) }) {
      let recorder = SignalRecorder(client.enqueue(request: request, resultType: JSON.self))
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.code, .status(503))
    }
    await shown.wait { $0.last?.value??.suppressedCount == 1 }
    expectEqual(screen.dialog?.text, NetworkError(.status(503)).message)
    expectEqual(screen.dialog?.suppressedCount, 1)
    screen.confirm()
    await shown.wait { $0.count > 2 && $0.last?.value == .some(nil) }
    expectNil(screen.dialog)
  }

  @MainActor @Test func aFormShowsItsOwnErrors() async throws {
    server.route("POST", "/address") { _ in .status(422) }
    let presenter = ErrorPresenter()
    let form = AddressForm(client: NetworkClient(.init(baseURL: shopURL)), presenter: presenter)
    let shown = SignalRecorder(presenter.inlines(for: form).observe(on: .main))
    form.send("Nowhere")
    await shown.wait { $0.last?.value?.count == 1 }
    expectEqual(form.problems, [NetworkError(.status(422)).message])
  }

  @MainActor @Test func aCallbackGetsOneOfTwo() async throws {
    server.route("GET", "/lamps") { _ in .json("[1,2]") }
    let client = NetworkClient(.init(baseURL: shopURL))
    let (calls, call) = AsyncStream<String>.makeStream()
    let show: @MainActor @Sendable (String) -> Void = { call.yield($0) }
    // sample: callback
    let handle = client.enqueue(request: "/lamps", resultType: [Int].self)
      .subscribeOnMain(onResult: { response, error in
        if let response { show("\(response.value.count) lamps") }
        if let error { show(error.message) }
      })
    // end sample
    var iterator = calls.makeAsyncIterator()
    await expectEqual(iterator.next(), "2 lamps")
    handle.dispose()
  }
}
