import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Requests that must not be processed twice, through a server that closes connections while they are in flight.
@Suite(.enabled(if: CurlTransport.isAvailable && NginxServer.isAvailable)) struct CurlPostTests {
  /// nginx closes a connection after a thousand requests.
  private static let count = Scale.count(2_500)

  @Test(.enabled(if: CurlTransport.supportsHTTP2), arguments: [4, 16, 64], [false, true])
  func eachIsProcessedOnce(_ limit: Int, _ reloads: Bool) async throws {
    let nginx = try await NginxServer(canReload: true)
    let transport = try CurlTransport(try secureSettings())
    let requests = try (0..<Self.count).map { index in
      HTTPRequest(
        method: .post, url: try nginx.url(\.secure, "/posts/\(index)"),
        body: .data(Data(count: index % 10 == 0 ? 70_000 : 16)), idleTimeout: .seconds(30))
    }
    let all = SignalRecorder(
      Signal.from(requests.map { transport.send($0).materialize().filter(\.isTerminal) })
        .flatMap(.merge(maxConcurrent: limit)) { $0 })
    for part in reloads ? 1..<5 : 0..<0 {
      await all.wait { [count = Self.count] in $0.count >= count * part / 5 }
      try nginx.reload()
    }
    await all.waitForEnd()
    let failures = all.values.compactMap(\.failure)
    expectEqual(all.values.count, Self.count)
    expect(failures.isEmpty, "\(failures.count): \(String(describing: failures.first))")
    let processed = try nginx.processed()
    expectEqual(processed.count, Self.count)
    expectEqual(Set(processed).count, Self.count)
    if Self.count > 2_500 {
      print("posts: \(limit) in flight, reloads \(reloads): \(failures.count) failed, \(processed.count) processed")
    }
  }

  /// Apache then closes connections over HTTP/2 with requests on them.
  @Test(.enabled(if: CurlTransport.supportsHTTP2 && ApacheServer.isAvailable))
  func whatMayBeRepeatedSurvivesRestartsOfApache() async throws {
    let apache = try await ApacheServer(upstream: try LoopbackServer(), canReload: true)
    let url = try require(URL(string: apache.origin(isSecure: true) + "/files/greeting"))
    let client = NetworkClient(.init(retry: Retry(limit: 2), transport: try CurlTransport(try secureSettings())))
    let request = Request(.get, RequestPath(url.absoluteString), idleTimeout: .seconds(30))
    let response = client.exchange(request: request).materialize().filter(\.isTerminal)
    let all = SignalRecorder(
      Signal.from(Array(repeating: response, count: Self.count)).flatMap(.merge(maxConcurrent: 64)) { $0 })
    for part in 1..<5 {
      await all.wait { [count = Self.count] in $0.count >= count * part / 5 }
      try apache.reload()
    }
    await all.waitForEnd()
    let failures = all.values.compactMap(\.failure)
    expectEqual(all.values.count, Self.count)
    expect(failures.isEmpty, "\(failures.count): \(String(describing: failures.first))")
  }

  /// The number of requests after which nginx closes a connection.
  enum Limit: Int, CaseIterable, Sendable {
    case three = 3
    case ten = 10
    case hundred = 100
    case thousand = 1000

    var port: KeyPath<NginxServer.Ports, UInt16> {
      switch self {
      case .three: \.brief
      case .ten: \.few
      case .hundred: \.many
      case .thousand: \.secure
      }
    }
  }

  /// The number of POSTs through a slow upstream.
  private static let slowCount = Scale.isFull ? 20_000 : 400

  private static func slowUpstream() throws -> LoopbackServer {
    let upstream = try LoopbackServer()
    // Slower than the connections end: requests then wait on one that is closed.
    upstream.route("*", "/posts/*") { _ in .text("").delayed(by: .milliseconds(5)) }
    return upstream
  }

  /// Sends POSTs, over HTTP/2 if libcurl speaks it.
  private static func post(
    to address: (_ index: Int) -> String, atOnce limit: Int
  ) throws -> SignalRecorder<Event<TransportEvent, NetworkError>, Never> {
    let transport = try CurlTransport(try secureSettings())
    let requests = try (0..<slowCount).map { index in
      HTTPRequest(
        method: .post, url: try require(URL(string: address(index))),
        body: .data(Data(count: index % 100 == 0 ? 70_000 : 16)), idleTimeout: .seconds(60))
    }
    return SignalRecorder(
      Signal.from(requests.map { transport.send($0).materialize().filter(\.isTerminal) })
        .flatMap(.merge(maxConcurrent: limit)) { $0 })
  }

  @Test(arguments: Limit.allCases, [4, 16, 64])
  func noneIsLostOnConnectionsThatEndEarly(_ requestLimit: Limit, _ limit: Int) async throws {
    let upstream = try Self.slowUpstream()
    let nginx = try await NginxServer(upstream: upstream)
    let all = try Self.post(to: { nginx.address(requestLimit.port, "/upstream/posts/\($0)") }, atOnce: limit)
    await all.waitForEnd()
    let failures = all.values.compactMap(\.failure)
    expectEqual(all.values.count, Self.slowCount)
    expect(failures.isEmpty, "\(failures.count): \(String(describing: failures.first))")
    let processed = upstream.log.requests.map(\.path)
    expectEqual(processed.count, Self.slowCount)
    expectEqual(Set(processed).count, Self.slowCount)
    if Scale.isFull {
      print(
        "nginx: \(requestLimit.rawValue) a connection, \(limit) in flight: \(failures.count) of \(all.values.count) lost"
      )
    }
  }

  /// Apache does not say which requests of a connection it has processed when it closes it.
  @Test(.enabled(if: ApacheServer.isAvailable), arguments: [4, 16, 64])
  func noneIsProcessedTwiceThroughTenRestartsOfApache(_ limit: Int) async throws {
    let upstream = try Self.slowUpstream()
    let apache = try await ApacheServer(upstream: upstream, canReload: true)
    let origin = apache.origin(isSecure: true)
    let all = try Self.post(to: { "\(origin)/upstream/posts/\($0)" }, atOnce: limit)
    for part in 1...10 {
      await all.wait { [count = Self.slowCount] in $0.count >= count * part / 11 }
      try apache.reload()
    }
    await all.waitForEnd()
    let failures = all.values.compactMap(\.failure)
    expectEqual(all.values.count, Self.slowCount)
    // At most one connection over HTTP/2 ends with each restart, with the requests on it.
    expect(failures.count <= 10 * limit, "\(failures.count)")
    expect(failures.allSatisfy { $0.code == .connectionLost }, "\(failures)")
    let processed = upstream.log.requests.map(\.path)
    expectEqual(processed.count, Set(processed).count)
    expect(processed.count >= Self.slowCount - failures.count)
    if Scale.isFull {
      print("Apache: \(limit) in flight: \(failures.count) of \(all.values.count) lost, \(processed.count) processed")
    }
  }
}
