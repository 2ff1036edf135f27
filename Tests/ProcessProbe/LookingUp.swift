import Foundation
import Heliograph
import Signals
import Synchronization

private let hasFailed = Atomic(false)

/// Ends a request during the look-up of its host, sends another one over the same transport, and prints that one's
/// status and the state of the look-up: 0 before it, 1 during it, 2 after it.
///
/// A library that was loaded before counts the state. Arguments: the first request's address, that of the other one, and
/// `dispose`, `timeout` or `failure` for the first one's end, and the address of a proxy, if there is one.
struct LookingUp {
  private let slow: URL
  private let other: URL
  private let end: String
  private let proxy: URL?

  init(_ arguments: [String]) throws {
    slow = try arguments.url(0)
    other = try arguments.url(1)
    end = try arguments.text(2)
    proxy = arguments.count > 3 ? try arguments.url(3) : nil
  }

  func run() async throws {
    var settings = TransportSettings()
    settings.proxy = proxy.map { .server($0) } ?? .direct
    if end == "timeout" { settings.connectTimeout = .milliseconds(50) }
    let transport = try CurlTransport(settings)
    let request = transport.send(HTTPRequest(url: slow)).subscribe { event in
      if case .failed = event { hasFailed.store(true, ordering: .releasing) }
    }
    try await wait { try state() > 0 }
    if end == "dispose" { request.dispose() } else { try await wait { hasFailed.load(ordering: .acquiring) } }
    var configuration = NetworkClient.Configuration(transport: transport)
    configuration.allowsInsecureHTTP = true
    let response = try await NetworkClient(configuration).exchange(request: other).first()
    print(response?.statusCode ?? 0, try state())
  }

  private func wait(_ condition: () throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(30)
    while try !condition() {
      // Some libcurls have a resolver of their own.
      if ContinuousClock.now > end { throw Failure("there is no look-up") }
      // sleeps: nothing tells that a look-up has begun.
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  private func state() throws -> Int32 {
    guard let state = dlsym(nil, "look_up_state") else { throw Failure("the library is not loaded") }
    return unsafeBitCast(state, to: (@convention(c) () -> Int32).self)()
  }
}
