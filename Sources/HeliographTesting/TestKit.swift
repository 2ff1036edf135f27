public import Foundation
public import Heliograph

/// A connected client, stub and virtual clock for a test.
///
/// ```swift
/// let kit = TestKit()
/// kit.stub.on(.get, "/users/1", .json(User(name: "Ada")))
/// let model = ProfileModel(client: kit.client)
/// model.load()
/// await kit.clock.advance(by: .seconds(1))
/// #expect(model.user.value?.name == "Ada")
/// try kit.stub.verify()
/// ```
/// All delays of the client, such as retries and timeouts, its retry budget, and the delays of the stub's answers run
/// on ``clock``. A ``/Heliograph/Recovery`` or a ``/Heliograph/CircuitBreaker`` measures real time, unless it gets
/// `scheduler: $0.scheduler` in the closure that changes the settings. Responses are decoded and delivered on the
/// thread of the stub's answer. A test should end with ``StubTransport/verify(unusedRoutes:)`` of ``stub``.
public struct TestKit: Sendable {
  /// The client under test.
  public let client: NetworkClient
  /// The transport that answers the client's requests in place of servers.
  public let stub: StubTransport
  /// The clock of the client and the stub.
  public let clock: TestClock
  private let baseURL: URL?

  /// Creates a kit with a new client, stub and clock.
  ///
  /// - Parameters:
  ///   - baseURL: The base URL of the client. Default: `https://api.example.com`.
  ///   - configure: Changes the settings of the client, such as its retries. Default: no changes.
  public init(
    baseURL: URL? = URL(string: "https://api.example.com"),
    _ configure: (inout NetworkClient.Configuration) -> Void = { _ in }
  ) {
    let clock = TestClock()
    let stub = StubTransport(scheduler: clock)
    (self.clock, self.stub, self.baseURL) = (clock, stub, baseURL)
    client = TestKit.makeClient(baseURL, stub, clock, configure)
  }

  /// Creates another client with the same stub and clock, and its own cache.
  ///
  /// - Parameters:
  ///   - baseURL: The base URL of the client. Default: `nil`, that of the kit.
  ///   - configure: Changes the settings of the client. Default: no changes.
  /// - Returns: The client.
  public func makeClient(
    baseURL: URL? = nil, _ configure: (inout NetworkClient.Configuration) -> Void = { _ in }
  ) -> NetworkClient {
    TestKit.makeClient(baseURL ?? self.baseURL, stub, clock, configure)
  }

  private static func makeClient(
    _ baseURL: URL?, _ stub: StubTransport, _ clock: TestClock,
    _ configure: (inout NetworkClient.Configuration) -> Void
  ) -> NetworkClient {
    var configuration = NetworkClient.Configuration(baseURL: baseURL, transport: stub)
    configuration.scheduler = clock
    configuration.retryBudget = RetryBudget(scheduler: clock)
    configuration.processing = .immediate
    // Times to live elapse on the virtual clock.
    let start = Date().addingTimeInterval(-(clock.now / .seconds(1)))
    configuration.cache = ResponseCache { start.addingTimeInterval(clock.now / .seconds(1)) }
    configure(&configuration)
    return NetworkClient(configuration)
  }
}
