import Foundation
import Heliograph
import HeliographTesting
import Observation
import TestSupport
import Testing

#if canImport(SwiftUI)
import AuthenticationServices
import CryptoKit
import SwiftUI
#endif

#if canImport(UIKit)
import UIKit
#endif

/// The samples of the articles whose views need SwiftUI; those are type-checked on Linux.
@MainActor struct SwiftUISamples {
  nonisolated struct User: Codable, Sendable, Identifiable {
    let id: Int
    let name: String
  }

  nonisolated struct Session: Codable, Sendable {
    let token: String
    let refreshToken: String?

    enum CodingKeys: String, CodingKey {
      case token = "access_token"
      case refreshToken = "refresh_token"
    }
  }

  // sample: swiftui-model
  @MainActor @Observable final class UsersModel {
    private(set) var users = Loadable<[User]>.idle
    private let client: NetworkClient

    init(client: NetworkClient) { self.client = client }

    func load() {
      let request = Request(.get, "/users", options: .with { $0.presentation = .silent })  // not as a toast as well
      client.enqueue(request: request, resultType: [User].self).map(\.value).load(into: \.users, on: self)
    }

    func reload() async {  // cancelling the task ends only the wait
      load()
      let states = Signal.observing { [weak self] in self?.users.isLoading ?? false }
      for await isLoading in states.values where !isLoading { break }
    }
  }
  // end sample

  // sample: preview-transport
  /// Answers each request with a body for its path, without a network; others keep loading.
  nonisolated struct PreviewTransport: Transport {
    var bodies: [String: String] = [:]
    var usesNetwork: Bool { false }

    func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
      guard let body = bodies[request.url.path] else { return .never }
      let head = HTTPResponse(statusCode: 200, headers: ["Content-Type": "application/json"], url: request.url)
      return .from([.head(head), .body(Data(body.utf8))])
    }
  }
  // end sample

  @Test func aPreviewNeedsNoNetwork() async throws {
    let client = NetworkClient(baseURL: URL(string: "https://api.example.com")) {
      $0.transport = PreviewTransport(bodies: ["/users": #"[{"id": 1, "name": "Ada"}]"#])
    }
    try await expectEqual(client.value(of: "/users", as: [User].self).map(\.name), ["Ada"])
    let model = UsersModel(client: client)
    model.load()
    await until { model.users.value?.count == 1 }
  }

  @Test func aReloadWaitsForItsEndAndIsNotCancelledWithItsTask() async throws {
    let kit = TestKit()
    let (ada, grace) = (User(id: 1, name: "Ada"), User(id: 2, name: "Grace"))
    kit.stub.on(.get, "/users", .json([ada]), .json([grace]).delayed(by: .seconds(1)))
    let model = UsersModel(client: kit.client)
    let first = Task { await model.reload() }
    await kit.clock.advance()
    await first.value
    expectEqual(model.users.value?.map(\.name), ["Ada"])
    let second = Task { await model.reload() }
    await until { model.users.isLoading }
    second.cancel()
    await second.value
    expect(model.users.isLoading)
    await kit.clock.advance(by: .seconds(1))
    expectEqual(model.users.value?.map(\.name), ["Grace"])
  }

  #if canImport(SwiftUI)
  // sample: swiftui-screen
  struct UsersScreen: View {
    let model: UsersModel

    var body: some View {
      ZStack {  // stays when the state changes: `onAppear` of the view inside would run each time
        model.users.view(retry: model.load) { users in
          VStack {
            if let error = model.users.error { Text(error.message) }  // a failed reload keeps the list
            List(users) { Text($0.name) }
          }
        }
      }
      .onAppear { if case .idle = model.users { model.load() } }
      .refreshable { await model.reload() }
    }
  }

  struct RootScreen: View {
    let model: UsersModel
    let presenter: ErrorPresenter
    @State private var toasts: [ErrorPresentation] = []

    var body: some View {
      UsersScreen(model: model)
        .alert(for: presenter)
        .overlay(alignment: .bottom) { VStack { ForEach(toasts) { Text($0.text) } } }
        .task {
          for await shown in presenter.presentations.signal.values { toasts = shown.filter { $0.style == .toast } }
        }
    }
  }
  // end sample

  nonisolated struct UserPage: Decodable, Sendable { let items: [User] }

  // sample: swiftui-pages
  struct UserList: View {
    let pager: Pager<User, UserPage>
    @State private var isRefresh = false  // whether the latest request is a refresh, which "Try again" then repeats

    var body: some View {
      List {
        ForEach(pager.items) { Text($0.name) }
        NextPageRow(pager: pager, isRefresh: $isRefresh)
      }
      .task { if pager.page == nil, !pager.isRefreshing { await refresh() } }
      .refreshable { await refresh() }
    }

    private func refresh() async {
      isRefresh = true
      await pager.refresh()
    }
  }

  struct NextPageRow: View {
    let pager: Pager<User, UserPage>
    @Binding var isRefresh: Bool

    var body: some View {
      if let error = pager.error {
        Button("Try again: \(error.message)") { isRefresh ? pager.refresh() : pager.loadMore() }
      } else if pager.hasMore {
        ProgressView().task(id: pager.isRefreshing || pager.isLoadingMore) {  // when it appears, and after each request
          guard pager.page != nil, !pager.isRefreshing else { return }
          isRefresh = false
          pager.loadMore()
        }
      }
    }
  }
  // end sample

  struct SignInButton: View {
    let client: NetworkClient
    let account: CurrentValue<String?>
    let tokens: TokenStore<Session>
    @Environment(\.webAuthenticationSession) private var web
    @State private var message: String?

    var body: some View {
      Button(message ?? "Sign in") {
        Task {
          do {
            try await signIn()
          } catch {
            message = (error as? NetworkError)?.message  // `nil` after a cancellation by the person
          }
        }
      }
    }

    // sample: authentication-web
    private func signIn() async throws {
      // PKCE, RFC 7636: the code is of no use to another app that receives it.
      let verifier = UUID().uuidString + UUID().uuidString
      let challenge = Data(CryptoKit.SHA256.hash(data: Data(verifier.utf8))).base64EncodedString()
        .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
      let state = UUID().uuidString
      let page = Request(
        .get, "/authorize",
        query: [
          "response_type": "code", "client_id": "shop", "redirect_uri": "shop://signed-in", "state": state,
          "code_challenge": challenge, "code_challenge_method": "S256",
        ])
      let callbackURL = try await web.authenticate(
        using: client.httpRequest(for: page).url, callback: .customScheme("shop"), additionalHeaderFields: [:])
      let items = URLComponents(url: callbackURL, resolvingAgainstBaseURL: false)?.queryItems ?? []
      let value = { (name: String) in items.first { $0.name == name }?.value }
      guard value("state") == state, let code = value("code") else { throw NetworkError(.rejected) }
      let form: Parameters = [
        "grant_type": "authorization_code", "code": code, "code_verifier": verifier, "client_id": "shop",
        "redirect_uri": "shop://signed-in",
      ]
      let exchange = Request(.post, "/token", body: .form(form), options: .with { $0.allowsRecovery = false })
      let session = try await client.value(of: exchange, as: Session.self)
      var configuration = client.configuration
      configuration.account = CurrentValue("ada")  // as the server names the account
      try tokens.set(session, for: NetworkClient(configuration))
      account.value = "ada"  // `client` finds the token in the store
    }
    // end sample
  }
  #endif

  #if canImport(UIKit)
  // sample: uikit-table
  final class UsersViewController: UITableViewController {
    private let pager: Pager<User, [User]>
    private var users: [User] = []

    init(client: NetworkClient) {
      pager = Pager(client.pages(request: "/users", of: User.self))
      super.init(style: .plain)
    }

    required init?(coder: NSCoder) { nil }

    override func viewDidLoad() {
      super.viewDidLoad()
      tableView.register(UITableViewCell.self, forCellReuseIdentifier: "user")
      Signal.observing { [weak self] in self?.pager.items ?? [] }.bound(to: self)
        .subscribeOnMain(onValue: { [weak self] in self?.show($0) })
      pager.refresh()
    }

    private func show(_ users: [User]) {
      self.users = users
      tableView.reloadData()
    }

    override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { users.count }

    override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
      let cell = tableView.dequeueReusableCell(withIdentifier: "user", for: indexPath)
      var content = cell.defaultContentConfiguration()
      content.text = users[indexPath.row].name
      cell.contentConfiguration = content
      pager.loadMore(after: users[indexPath.row])
      return cell
    }
  }
  // end sample
  #endif
}
