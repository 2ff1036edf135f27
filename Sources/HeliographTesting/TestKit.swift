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
/// #expect(model.name == "Ada")
/// ```
/// All delays of the client, such as retries and timeouts, and those of the stub's answers run on ``clock``.
/// Responses are decoded and delivered on the thread of the stub's answer. A test should end with an assertion that
/// ``StubTransport/unexpectedRequests`` of ``stub`` is empty.
public struct TestKit: Sendable {
  /// The client under test.
  public let client: NetworkClient
  /// The transport that answers instead of servers.
  public let stub: StubTransport
  /// The clock of the client and the stub.
  public let clock: TestClock

  /// Creates a kit.
  ///
  /// - Parameters:
  ///   - baseURL: The base URL of the client. Default: `https://api.example.com`.
  ///   - configure: Changes the settings of the client, such as its retries. Default: no changes.
  public init(
    baseURL: URL? = URL(string: "https://api.example.com"),
    _ configure: (inout NetworkClient.Configuration) -> Void = { _ in }
  ) {
    clock = TestClock()
    stub = StubTransport(scheduler: clock)
    var configuration = NetworkClient.Configuration(baseURL: baseURL, transport: stub)
    configuration.clock = clock
    configuration.processing = .immediate
    let (clock, start) = (clock, Date())
    // Times to live pass with the clock.
    configuration.cache = ResponseCache { start.addingTimeInterval(clock.now / .seconds(1)) }
    configure(&configuration)
    client = NetworkClient(configuration)
  }
}
