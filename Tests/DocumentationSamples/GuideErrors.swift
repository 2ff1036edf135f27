import Foundation
import Heliograph
import HeliographTesting
import Observation
import TestSupport
import Testing

/// The samples of the article HandlingErrors.
struct HandlingErrorsSamples {
  private let server: LoopbackServer
  private let apiURL: URL
  private let client: NetworkClient

  init() throws {
    server = try LoopbackServer()
    apiURL = server.baseURL
    client = NetworkClient(baseURL: apiURL)
  }

  @Test func domainAndCode() async throws {
    server.route("GET", "/lamps/7") { _ in .status(404) }
    var shown: [String] = []
    // sample: handling-switch
    do {
      let lamp = try await client.value(of: "/lamps/7", as: JSON.self)
      print(lamp)
    } catch {
      switch error.code {
      case .status(404): shown.append("This lamp is sold out.")
      case let code where code.domain == .server && code.number >= 500: shown.append("Please try again later.")
      case .timedOut: shown.append("That took too long.")
      case let code where code.domain == .processing: shown.append("Please update the app.")
      default: shown.append(error.message)  // user-facing and localized
      }
      print(error)  // server error 404: HTTP status 404 (GET http://127.0.0.1:8080/lamps/7)
    }
    // end sample
    expectEqual(shown, ["This lamp is sold out."])
  }

  @Test func messages() async throws {
    server.route("*", "*") { _ in .status(401) }
    // sample: handling-messages
    let client = NetworkClient(baseURL: apiURL) {
      $0.messages[.status(503)] = "We are under maintenance until 8 a.m."  // all requests of the client
    }
    var signIn = Request(.post, "/session", body: .json(["name": "ada", "password": "wrong"]))
    signIn.options.messages[.status(401)] = "The password is wrong."  // this request alone
    // end sample
    let recorder = SignalRecorder(client.exchange(request: signIn))
    await recorder.waitForEnd()
    expectEqual(recorder.values.first?.statusCode, 401)
    let judged = SignalRecorder(client.enqueue(request: signIn, resultType: NoContent.self))
    await judged.waitForEnd()
    expectEqual(judged.failure?.message, "The password is wrong.")
  }

  @Test func messagesOfTheServer() async throws {
    server.route("POST", "/orders") { _ in .json(#"{"message": "Only two are left."}"#, status: 422) }
    server.route("GET", "/users") { _ in .json(#"[{"message": "hello"}]"#) }
    var configuration = NetworkClient.Configuration(baseURL: apiURL)
    // sample: handling-server-message
    var envelope = KeyedEnvelope(message: "message")  // or a path, such as "error.message"
    envelope.isCodeOptional = true
    configuration.stages.envelope = envelope
    // end sample
    let client = NetworkClient(configuration)
    let order = SignalRecorder(client.enqueue(request: Request(.post, "/orders"), resultType: NoContent.self))
    await order.waitForEnd()
    expectEqual(order.failure?.code, .status(422))
    expectEqual(order.failure?.message, "Only two are left.")
    try await expectEqual(client.value(of: "/users", as: [[String: String]].self), [["message": "hello"]])
  }

  // sample: handling-language
  func french(_ error: NetworkError) -> String {
    switch (error.code, error.attribution.party) {
    case (.unreachable, _): "Vous êtes hors ligne."
    case (.timedOut, .server): "Le serveur met trop de temps à répondre."
    case (_, .path): "Votre connexion fonctionne mal."
    case (_, .server): "Le serveur a rencontré un problème."
    default: error.serverMessage ?? "L’opération a échoué."
    }
  }
  // end sample

  @Test func anotherLanguage() {
    var error = NetworkError(.timedOut)
    expectEqual(french(error), "L’opération a échoué.")
    error.attribution = Attribution(.server)
    expectEqual(french(error), "Le serveur met trop de temps à répondre.")
  }

  @Test func theBodyOfAnError() async throws {
    server.route("POST", "/orders") { _ in .json(#"{"field": "count", "text": "There are two left."}"#, status: 422) }
    var texts: [String] = []
    // sample: handling-body
    struct Problem: Decodable { let field: String, text: String }
    do {
      _ = try await client.value(of: Request(.post, "/orders", body: .json(["count": 3])), as: NoContent.self)
    } catch {
      guard error.statusCode == 422 else { throw error }
      let problem = try error.decode(as: Problem.self)
      texts.append("\(problem.field): \(problem.text)")  // count: There are two left.
    }
    // end sample
    expectEqual(texts, ["count: There are two left."])
  }

  @MainActor @Observable final class ErrorDialog {
    private(set) var dialog: ErrorPresentation?
    @ObservationIgnored private let presenter: ErrorPresenter
    @ObservationIgnored private let bag = DisposeBag()

    init(_ presenter: ErrorPresenter) {
      self.presenter = presenter
      presenter.dialog
        .subscribeOnMain(onValue: { [weak self] in self?.dialog = $0 })
        .disposed(by: bag)
    }

    func close() {
      if let dialog { presenter.dismiss(dialog.id) }  // the next one follows by itself
    }
  }

  @MainActor @Test func aPresenterShowsThem() async throws {
    server.route("*", "*") { _ in .status(503) }
    // sample: handling-presenter
    let presenter = ErrorPresenter(style: { _ in .dialog })
    let client = NetworkClient(baseURL: apiURL) { $0.monitors = [presenter] }

    let prefetch = Request(.get, "/next-page", options: .background)  // a failure is not shown
    // end sample
    let errors = ErrorDialog(presenter)
    _ = try? await client.value(of: prefetch, as: JSON.self)
    _ = try? await client.value(of: "/orders", as: JSON.self)
    let shown = await presenter.dialog.signal.filter { $0 != nil }.first()
    await TestClock().advance()
    expectEqual(errors.dialog, shown)
    errors.close()
    await TestClock().advance()
    expectNil(errors.dialog)
    let silent = Request(.post, "/orders", options: .with { $0.presentation = .silent })
    let form = client.enqueue(request: silent, resultType: JSON.self)
      .presentingErrors(with: presenter, as: .inline, for: errors)
    await SignalRecorder(form).waitForEnd()
    expectEqual(presenter.presentations.value.map(\.style), [.inline])
  }
}
