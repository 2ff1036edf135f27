import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Whose server, where, and with which defaults.
struct ServiceTests {
  private func error(_ builder: RequestBuilder, _ request: Request) -> NetworkError? {
    do throws(NetworkError) {
      _ = try builder.build(request)
      return nil
    } catch {
      return error.domain == .client ? error : nil
    }
  }

  private func code(_ builder: RequestBuilder, _ request: Request) -> NetworkError.Code? {
    error(builder, request)?.code
  }

  @Test("S0-10 S1-33") func anIdentifierAlwaysMeansTheSameService() async throws {
    final class Shop: Service {
      let id: ServiceID = "shop"
      func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { nil }
    }
    let shop = Shop()
    let registry = ServiceRegistry([Bookshop()])
    registry.register(shop)
    let found = try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
      for _ in 0..<100 {
        group.addTask { ObjectIdentifier(try registry.service("shop") as AnyObject) }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    expectEqual(found, [ObjectIdentifier(shop)])
    #expect(throws: NetworkError.self) { try registry.service("nobody") }
    let builder = RequestBuilder.knowing(Bookshop())
    expectEqual(code(builder, Request(.get, "/a", service: "nobody")), .unknownService)
  }

  /// As a service of the app may do, which has others of its own.
  @Test func aReplacedServiceMayUseTheRegistryWhenItIsFreed() {
    final class Shop: Service {
      let id: ServiceID = "books"
      private let registry: ServiceRegistry

      init(_ registry: ServiceRegistry) { self.registry = registry }

      deinit { registry.register(Bookshop(id: "papers")) }

      func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? { nil }
    }
    let registry = ServiceRegistry()
    registry.register(Shop(registry))
    registry.register(Bookshop())
    expectEqual(try? registry.service("papers").id, "papers")
  }

  @Test("S0-11", arguments: ["books", "papers"], ServiceEnvironment.predefined)
  func eachServiceHasItsAddressInEachEnvironment(_ id: String, _ environment: ServiceEnvironment) throws {
    let (books, papers) = (Bookshop(), Bookshop(id: "papers"))
    let builder = RequestBuilder.knowing(books, papers, in: environment)
    let request = Request(.get, "list", service: ServiceID(rawValue: id), options: .with { $0.common = [] })
    if environment == .hotfix {
      expectEqual(code(builder, request), .noAddress)
    } else {
      try expectEqual(builder.build(request).address, "https://\(id)-\(environment).example.com/v1/list")
    }
  }

  @Test("S0-11", arguments: ServiceEnvironment.predefined)
  func twoServicesHaveAddressesInAllSixEnvironments(_ environment: ServiceEnvironment) throws {
    struct Everywhere: Service {
      let id: ServiceID

      func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
        URL(string: "https://\(id)-\(environment).example.com").map { ServiceAddresses($0) }
      }
    }
    let builder = RequestBuilder.knowing(Everywhere(id: "shop"), Everywhere(id: "pay"), in: environment)
    for id in ["shop", "pay"] as [ServiceID] {
      let built = try builder.build(Request(.get, "a", service: id))
      expectEqual(built.address, "https://\(id)-\(environment).example.com/a")
    }
  }

  @Test("S0-17 S0-11") func theCustomAddressIsForAllServices() throws {
    let builder = RequestBuilder.knowing(Bookshop(), Plain(), in: .develop)
    let store = try require(builder.environments)
    try store.switch(to: .custom)
    expectEqual(code(builder, Request(.get, "/a", service: "Plain")), .noAddress)
    try store.setCustomAddress(URL(string: "http://127.0.0.1:9000/mine"))
    try expectEqual(builder.build(Request(.get, "/a", service: "Plain")).address, "http://127.0.0.1:9000/mine/a")
    let book = Request(.get, "/a", service: "books", options: .with { $0.common = [] })
    try expectEqual(builder.build(book).address, "http://127.0.0.1:9000/mine/a")
    // Plain HTTP to another machine needs the service's permission.
    try store.setCustomAddress(URL(string: "http://10.0.0.1:9000/mine"))
    expectEqual(code(builder, book), .insecureAddress)
    var shop = Bookshop()
    shop.allowsInsecureHTTP = true
    builder.services.register(shop)
    try expectEqual(builder.build(book).address, "http://10.0.0.1:9000/mine/a")
    expectEqual(code(builder, Request(.get, "/a", service: "Plain")), .insecureAddress)
  }

  @Test("S0-16") func theNextRequestGoesToTheNewEnvironment() throws {
    let builder = RequestBuilder.knowing(Bookshop(), in: .develop)
    let request = Request(.get, "a", service: "books", options: .with { $0.common = [] })
    try expectEqual(builder.build(request).address, "https://books-develop.example.com/v1/a")
    try builder.environments?.switch(to: .release)
    try expectEqual(builder.build(request).address, "https://books-release.example.com/v1/a")
  }

  @Test("S0-18 S1-33 S4-12") func whatAServiceDoesNotSayHasADefault() throws {
    let service = Plain()
    expectEqual(service.id, "Plain")
    expectNil(service.idleTimeout)
    expectNil(service.json)
    expectNil(service.signer)
    expect(service.common.isEmpty)
    expectEqual(service.placement, .form)
    expect(service.filters.isEmpty)
    expect(service.middleware.isEmpty)
    expectNil(service.addresses(in: .release))
    expect(!service.allowsInsecureHTTP(in: .test))
    var builder = RequestBuilder.knowing(Bookshop(idleTimeout: .seconds(5)), Plain())
    builder.idleTimeout = .seconds(7)
    try expectEqual(builder.build(Request(.get, "a", service: "books")).idleTimeout, .seconds(5))
    try expectEqual(builder.build(Request(.get, "https://a.example", service: "Plain")).idleTimeout, .seconds(7))
    try expectEqual(builder.build(Request(.get, "https://a.example")).idleTimeout, .seconds(7))
    let own = RequestOptions.with { $0.idleTimeout = .seconds(1) }
    try expectEqual(builder.build(Request(.get, "a", service: "books", options: own)).idleTimeout, .seconds(1))
  }

  @Test(
    "S1-20 S4-11",
    arguments: [
      (AddressKind.main, ServiceEnvironment.test, "https://books-test.example.com/v1/a"),
      (.secondary, .test, "https://secondary-test.example.com/a"),
      (.secondary, .release, "https://secondary-release.example.com/a"),
      (.cdn, .test, "https://cdn.example.com/assets/a"),
      (.cdn, .develop, "https://books-develop.example.com/v1/a"),
    ])
  func aRequestChoosesAmongTheAddresses(_ kind: AddressKind, _ environment: ServiceEnvironment, _ expected: String)
    throws
  {
    let builder = RequestBuilder.knowing(Bookshop(), in: environment)
    let options = RequestOptions.with {
      $0.address = kind
      $0.common = []
    }
    try expectEqual(builder.build(Request(.get, "a", service: "books", options: options)).address, expected)
    // One request's choice is no other's.
    let other = Request(.get, "a", service: "books", options: .with { $0.common = [] })
    try expectEqual(builder.build(other).address, "https://books-\(environment).example.com/v1/a")
    let absolute = Request(.get, "https://x.example/b", service: "books", options: options)
    try expectEqual(builder.build(absolute).address, "https://x.example/b")
  }

  @Test("S4-11", arguments: [AddressKind.secondary, .cdn]) func anAddressThatAServiceLacksIsItsMainOne(
    _ kind: AddressKind
  ) throws {
    let main = try require(URL(string: "https://main.example/v1"))
    let other = try require(URL(string: "https://other.example"))
    let addresses = kind == .cdn ? ServiceAddresses(main, secondary: other) : ServiceAddresses(main, cdn: other)
    let options = RequestOptions.with {
      $0.address = kind
      $0.common = []
    }
    for addresses in [addresses, ServiceAddresses(main)] {
      let builder = RequestBuilder.knowing(Bookshop(addresses: addresses))
      try expectEqual(
        builder.build(Request(.get, "a", service: "books", options: options)).address, "https://main.example/v1/a")
    }
  }

  @Test("S1-20") func anAddressOfTheRequestsOwnComesFirst() throws {
    let builder = RequestBuilder.knowing(Bookshop())
    let own = try require(URL(string: "https://other.example/c"))
    let options = RequestOptions.with {
      $0.address = .custom(own)
      $0.common = []
    }
    try expectEqual(builder.build(Request(.get, "a", service: "books", options: options)).address, "\(own)/a")
    try expectEqual(builder.build(Request(.get, "a", options: .with { $0.address = .custom(own) })).address, "\(own)/a")
  }

  @Test("S1-36") func plainHTTPIsRefusedUnlessAllowed() throws {
    func addresses(_ text: String) throws -> ServiceAddresses { ServiceAddresses(try require(URL(string: text))) }
    let request = Request(.get, "a", service: "books")
    var shop = Bookshop(addresses: try addresses("http://books.example"))
    let refusal = error(RequestBuilder.knowing(shop), request)
    expectEqual(refusal?.code, .insecureAddress)
    expect(refusal?.reason.contains("`allowsInsecureHTTP(in:)` of the service books") == true)
    shop.allowsInsecureHTTP = true
    expectNil(code(RequestBuilder.knowing(shop), request))
    expectEqual(code(RequestBuilder.knowing(shop, in: .release), request), .insecureAddress)
    expectEqual(code(RequestBuilder(), Request(.get, "http://a.example")), .insecureAddress)
    expectEqual(code(RequestBuilder(), Request(.get, "http://127.0.0.1.evil.example")), .insecureAddress)
    expectEqual(code(RequestBuilder(), Request(.get, "http://127.evil.example")), .insecureAddress)
    // Some systems ask a name server for such names.
    expectEqual(code(RequestBuilder(), Request(.get, "http://a.localhost")), .insecureAddress)
    // What a service allows is for its own addresses.
    let other = Request(.get, "http://elsewhere.example/a", service: "books")
    var builder = RequestBuilder.knowing(shop)
    expectEqual(code(builder, other), .insecureAddress)
    builder.allowsInsecureHTTP = true
    expectNil(code(builder, other))
    for local in [
      "http://localhost:80", "http://127.0.0.1/", "http://[::1]:8080/", "HTTPS://a.b",
    ] {
      expectNil(code(RequestBuilder(), Request(.get, RequestPath(local))), "\(local)")
    }
  }

  @Test("S4-12 S4-5") func aServiceSetsTheTimeout() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/stuck") { _ in .never }
    let shop = Bookshop(idleTimeout: .milliseconds(100), addresses: ServiceAddresses(server.baseURL))
    let client = NetworkClient(.init(services: [shop]))
    let recorder = SignalRecorder(client.exchange(request: Request(.get, "/stuck", service: "books")))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .timedOut)
  }
}
