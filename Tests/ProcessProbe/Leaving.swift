import Foundation
import Heliograph
import Synchronization

private let hasLeft = Atomic(false)

/// Ends the process while requests are in flight.
///
/// Arguments: address, file of authorities, `h1` or `h2`, `handshake`, `upload` or `download`, requests in flight,
/// milliseconds until the end, and `exit`, `return` or `callback` for the way to it.
struct Leaving {
  private let url: URL
  private let count: Int
  private let delay: Int
  private let way: String
  private let request: HTTPRequest
  private let settings: TransportSettings
  private let isHandshake: Bool

  init(_ arguments: [String]) throws {
    url = try arguments.url(0)
    var settings = TransportSettings()
    settings.proxy = .direct
    settings.trust.authorities = URL(fileURLWithPath: try arguments.text(1))
    settings.allowsHTTP2 = try arguments.text(2) == "h2"
    self.settings = settings
    let kind = try arguments.text(3)
    isHandshake = kind == "handshake"
    count = try arguments.number(4)
    delay = try arguments.number(5)
    way = try arguments.text(6)
    request =
      kind == "upload"
      ? HTTPRequest(method: .put, url: url, body: .data(Data(count: 1_000_000))) : HTTPRequest(url: url)
  }

  func run() async throws {
    for _ in 0..<count { try start(isHandshake ? nil : CurlTransport(settings)) }
    // sleeps: the end comes at any moment.
    try await Task.sleep(for: .milliseconds(delay))
    if way == "exit" { exit(0) }
    // sleeps: the callback ends the process before.
    if way == "callback" { try await Task.sleep(for: .seconds(60)) }
  }

  /// Whether this is the first to leave: `exit` may be called once only.
  private func leave() -> Bool { !hasLeft.exchange(true, ordering: .relaxed) }

  /// Sends the request again and again; each time on a new connection, where the handshake is what is meant.
  private func start(_ kept: CurlTransport?) throws {
    let begin = ContinuousClock.now
    let transport = try kept ?? CurlTransport(settings)
    transport.send(request).subscribe { event in
      if way == "callback", ContinuousClock.now - begin >= .milliseconds(delay), leave() { exit(0) }
      if case .value = event { return }
      try? start(kept)
    }
  }
}
