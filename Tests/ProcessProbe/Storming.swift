import Foundation
import Heliograph
import Signals

/// Sends many requests, a number of them at once, and prints what they came to: `<count> <outcome>`, a line each.
///
/// Arguments: address, which `/` and a number are added to, file of authorities, `h1` or `h2`, method, number of requests,
/// requests in flight, bytes of the body.
struct Storming {
  private let arguments: [String]

  init(_ arguments: [String]) { self.arguments = arguments }

  func run() async throws {
    var settings = TransportSettings()
    settings.proxy = .direct
    settings.trust.authorities = URL(fileURLWithPath: try arguments.text(1))
    settings.allowsHTTP2 = try arguments.text(2) == "h2"
    settings.concurrencyLimit = try arguments.number(5)
    let transport = try CurlTransport(settings)
    let method = HTTPMethod(rawValue: try arguments.text(3))
    let byteCount = try arguments.number(6)
    let body = byteCount == 0 ? HTTPBody.empty : .data(Data(count: byteCount))
    let requests = try (0..<arguments.number(4)).map { number in
      guard let url = URL(string: "\(try arguments.text(0))/\(number)") else { throw Failure("not an address") }
      return HTTPRequest(method: method, url: url, body: body, idleTimeout: .seconds(10))
    }
    let outcomes = await withTaskGroup(of: String.self) { group in
      for request in requests { group.addTask { await Self.outcome(of: transport.send(request)) } }
      return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
    }
    for (outcome, count) in outcomes.sorted(by: { $0.key < $1.key }) { print(count, outcome) }
  }

  /// The status of the response, or what went wrong.
  private static func outcome(of exchange: Signal<TransportEvent, NetworkError>) async -> String {
    var status = "no response"
    do throws(NetworkError) {
      for try await event in exchange.values { if case .head(let head) = event { status = "\(head.statusCode)" } }
      return status
    } catch {
      return "\(error.domain) \(error.code) \(error.reason)"
    }
  }
}
