extension CommentSample {
  /// The declarations that samples use without their own.
  static let prelude = """
    import Foundation
    import Heliograph
    import HeliographInspector
    import HeliographTesting
    import Observation
    import Signals

    struct User: Codable, Sendable { var id = 1; var name: String }
    struct Product: Decodable, Sendable { let name: String }
    struct Order: Decodable, Sendable { let number: Int }
    struct Cart: Codable, Sendable { let count: Int }
    struct Session: Codable, Equatable, Sendable { let token: String }
    struct Repo: Decodable, Sendable { let name: String }
    struct SearchPage: Decodable, Sendable { let cursor: String? }
    struct SearchQuery: Encodable, Sendable { let text: String }
    struct OrderNumber: Sendable { let year: Int; let count: Int }
    struct Item: Decodable, Sendable { let id: Int }
    struct Receipt: Decodable, Sendable { let id: Int }
    struct Film: Decodable, Sendable { let id: Int }
    struct Poller { init(clock: any Clock<Duration>) {} }
    struct Vault: Sendable { func token() -> Signal<String, NetworkError> { .just("abc") } }
    @MainActor final class Bar { var value = 0.0 }
    @MainActor final class ProfileModel {
      var user = Loadable<User>.idle
      init(client: NetworkClient) {}
      func load() {}
    }
    @MainActor final class Screen {
      var showsSpinner = false
      var products: [Product] = []
      var order: Order?
      var cart: Cart?
      var message: String?
    }

    func expect(_ condition: Bool) {}
    func show<Value>(_ value: Value) {}
    func showEmptyList() {}
    func signIn() {}
    func offerRetry() {}

    @MainActor let url = URL(fileURLWithPath: "/")
    @MainActor let apiURL = url
    @MainActor let file = url
    @MainActor let folder = url
    @MainActor let handle = FileHandle.standardOutput
    @MainActor var configuration = NetworkClient.Configuration()
    @MainActor var settings = TransportSettings()
    @MainActor var prefetch = Request(.get, "/")
    let client = NetworkClient()
    let session = CurrentValue<Session?>(nil)
    let vault = Vault()
    let tokens = TokenStore<Session>.memory()
    let password = "secret"
    @MainActor let transport: any Transport = StubTransport()
    @MainActor let stub = StubTransport()
    @MainActor let kit = TestKit()
    @MainActor let call = client.call(Request(.get, "/"), as: Order.self)
    @MainActor let error = NetworkError(.timedOut)
    @MainActor let response = Response(value: Data(), head: HTTPResponse(statusCode: 200, url: url))
    @MainActor let request = Request(.get, "/")
    @MainActor let screen = Screen()
    @MainActor let bar = Bar()
    @MainActor let incoming = AsyncStream<Data> { $0.finish() }
    @MainActor let json = JSON.null
    let ids = [1, 2]
    @MainActor let (id, order, page, text) = (1, "a", 2, "lamp")
    @MainActor let (date, tags) = (Date(), ["a"])
    @MainActor let optional: Int? = nil
    @MainActor let cart = Cart(count: 1)
    @MainActor let saved: String? = nil
    @MainActor let (current, backup, company) = ("a", "b", "c")
    @MainActor let identity = Trust.Identity(pkcs12: file)

    """
}
