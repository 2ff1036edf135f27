import Foundation
import Heliograph
import Signals

/// Sends many requests of all kinds, some of which are cancelled, and compares what the process holds at the end with what
/// it held after a fifth of them.
///
/// Arguments: origin of the tests' nginx, file of authorities, `h1` or `h2`, number of requests, requests in flight, and the
/// kilobytes by which memory may grow.
struct Mixing {
  private let client: NetworkClient
  private let count: Int
  private let limit: Int
  private let growth: Int

  init(_ arguments: [String]) throws {
    var settings = TransportSettings()
    settings.proxy = .direct
    settings.trust.authorities = URL(fileURLWithPath: try arguments.text(1))
    settings.allowsHTTP2 = try arguments.text(2) == "h2"
    count = try arguments.number(3)
    limit = try arguments.number(4)
    growth = try arguments.number(5)
    client = NetworkClient(.init(baseURL: try arguments.url(0), transport: try CurlTransport(settings)))
  }

  func run() async throws {
    let first = try await send(0..<count / 5)
    let before = try await settled()
    print("after \(count / 5): \(before)")
    let rest = try await send(count / 5..<count)
    let after = try await settled()
    print("after \(count): \(after); statuses \(first.merging(rest, uniquingKeysWith: +).sorted { $0.key < $1.key })")
    guard after.threads == before.threads else { throw Failure("threads") }
    // A connection for each request in flight may be kept, or have just been closed.
    guard after.descriptors <= before.descriptors + limit else { throw Failure("descriptors") }
    guard after.kilobytes <= before.kilobytes + growth else { throw Failure("memory") }
  }

  private func settled() async throws -> Usage {
    // sleeps: what libcurl and the pools keep for a moment is not meant.
    try await Task.sleep(for: .seconds(1))
    return try Usage()
  }

  /// The number of responses of each status; cancelled requests count as 0.
  private func send(_ numbers: Range<Int>) async throws -> [Int: Int] {
    try await withThrowingTaskGroup(of: Int.self) { group in
      var statuses: [Int: Int] = [:]
      for number in numbers {
        if number - numbers.lowerBound >= limit, let status = try await group.next() {
          statuses[status, default: 0] += 1
        }
        group.addTask { try await status(of: number) }
      }
      for try await status in group { statuses[status, default: 0] += 1 }
      return statuses
    }
  }

  private func status(of number: Int) async throws -> Int {
    let isCancelled = number % 11 == 0
    let signal = client.exchange(request: request(number)).map(\.statusCode)
    guard isCancelled else { return try await signal.first() ?? 0 }
    let handle = signal.subscribe { _ in }
    // sleeps: it is cancelled at any moment.
    try await Task.sleep(for: .microseconds(number % 7 * 500))
    handle.dispose()
    return 0
  }

  private func request(_ number: Int) -> Request {
    let body = RequestBody.data(Data(count: number % 5 * 30_000), contentType: "application/octet-stream")
    return switch number % 10 {
    case 0 where number % 200 == 0: Request(.get, "/files/large")
    case 0, 1: Request(.get, "/text/fox")
    case 2: Request(.get, "/moved")
    case 3: Request(.post, "/denied", body: body)
    case 4, 5: Request(.post, "/posts/\(number)", body: body)
    case 6: Request(.head, "/files/fox")
    case 7: Request(.get, "/missing")
    default: Request(.get, "/")
    }
  }
}
