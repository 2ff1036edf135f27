import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// What settings make of a request.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct CurlSettingsTests {
  let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
    server.route("GET", "/a") { request in .text(request.header("Accept-Encoding") ?? "none") }
  }

  private func outcome(
    _ url: URL, _ headers: HTTPHeaders = [:], _ adjust: (inout TransportSettings) -> Void = { _ in }
  ) async throws -> SignalRecorder<TransportEvent, NetworkError> {
    var settings = TransportSettings()
    adjust(&settings)
    let recorder = SignalRecorder(try CurlTransport(settings).send(HTTPRequest(url: url, headers: headers)))
    await recorder.waitForEnd()
    return recorder
  }

  @Test func aPartIsNotAskedForInACoding() async throws {
    let whole = try await outcome(server.url("/a"))
    let codings = ContentCoding.allCases.filter(\.isSupported).map(\.rawValue)
    expectEqual(whole.values.body, Data(codings.joined(separator: ", ").utf8))
    expect(codings.starts(with: ["gzip", "deflate"]))
    let part = try await outcome(server.url("/a"), ["Range": "bytes=0-4"])
    expectEqual(part.values.body, Data("none".utf8))
    let both = try await outcome(server.url("/a"), ["Range": "bytes=0-4", "Accept-Encoding": "gzip"])
    expectEqual(both.values.body, Data("gzip".utf8))
  }

  @Test func aPartOfEncodedBytesIsPassedOn() async throws {
    server.route("GET", "/part") { _ in
      .data(Compressed.gzip.prefix(5), status: 206).header("Content-Encoding", "gzip")
    }
    let part = try await outcome(server.url("/part"), ["Range": "bytes=0-4"])
    expect(part.isCompleted)
    expectEqual(part.values.body, Compressed.gzip.prefix(5))
  }

  @Test func aConnectTimeoutMayBeAnyLength() async throws {
    for seconds in [60, 3_000_000, 1_000_000_000_000] {
      let recorder = try await outcome(server.url("/a")) { $0.connectTimeout = .seconds(seconds) }
      expect(recorder.isCompleted, "\(recorder.events)")
    }
  }

  // MARK: Texts

  /// libcurl would send them as they are: as another field, or as another request.
  @Test(arguments: ["\r", "\n", "\0", "\u{7F}", "\u{1}", "\r\nX-Role: admin", "\r\n\r\nGET /b HTTP/1.1\r\n\r\n"])
  func aControlCharacterIsRefusedAtOnce(_ text: String) throws {
    let proxy = try require(URL(string: "http://127.0.0.1:1"))
    let changes: [(inout TransportSettings) -> Void] = [
      { $0.userAgent = "Shop/1 (\(text))" }, { $0.proxy = .server(proxy, user: text, password: "a") },
      { $0.proxy = .server(proxy, user: "a", password: text) },
    ]
    for change in changes {
      var settings = TransportSettings()
      change(&settings)
      let error = #expect(throws: NetworkError.self) { try CurlTransport(settings) }
      expectEqual(error?.code, .invalidTransport)
    }
  }

  @Test(arguments: ["Shop/1 (Zo\u{EB}'s; 2)", "a\tb", ""]) func anyOtherUserAgentIsSent(_ text: String) async throws {
    server.route("GET", "/a") { .text($0.header("User-Agent") ?? "none") }
    let recorder = try await outcome(server.url("/a")) { $0.userAgent = text }
    expectEqual(recorder.values.body, Data((text.isEmpty ? "none" : text).utf8))
  }

  // MARK: The hook for addresses

  private func url(_ host: String) throws -> URL { try require(URL(string: "http://\(host):\(server.port)/a")) }

  @Test func anAddressIsNotAskedFor() async throws {
    let asked = Guarded<[String]>([])
    for host in ["127.0.0.1", "[::1]"] {
      let recorder = try await outcome(try url(host)) {
        $0.resolve = { host, _ in
          asked.withLock { $0.append(host) }
          return ["192.0.2.1"]
        }
      }
      // Nobody listens there in version 6.
      expect(recorder.isCompleted || recorder.failure?.code == .cannotConnect, "\(host): \(recorder.events)")
    }
    expect(asked.withLock { $0.isEmpty })
  }

  /// libcurl would ask the system's resolver, which the closure replaces.
  @Test func aHostWithAHyphenAtItsStartIsNotLookedUp() async throws {
    let recorder = try await outcome(try url("-shop.example")) { $0.resolve = { _, _ in ["127.0.0.1"] } }
    expectEqual(recorder.failure?.code, .cannotFindHost)
    expect("\(recorder.failure.map { "\($0)" } ?? "")".contains("hyphen"))
  }

  @Test func addressesOfBothVersionsMayBeGiven() async throws {
    let recorder = try await outcome(try url("shop.example")) { $0.resolve = { _, _ in ["::1", "127.0.0.1"] } }
    expect(recorder.isCompleted, "\(recorder.events)")
  }

  @Test func whatIsNoAddressIsTheCallersFault() async throws {
    let wrong = try await outcome(try url("shop.example")) { $0.resolve = { _, _ in ["127.0.0.1", "localhost"] } }
    expectEqual(wrong.failure?.code, .invalidTransport)
    let none = try await outcome(try url("shop.example")) { $0.resolve = { _, _ in [] } }
    expectEqual(none.failure?.code, .cannotFindHost)
  }

  @Test func whatTheHookTakesBackIsForgotten() async throws {
    let answers = Guarded<[[String]?]>([["127.0.0.1"], nil])
    var settings = TransportSettings()
    settings.resolve = { _, _ in answers.withLock { $0.removeFirst() } }
    let transport = try CurlTransport(settings)
    // Of a connection that is kept the address is not asked for.
    server.route("GET", "/a") { _ in .text("a").closing() }
    let request = HTTPRequest(url: try url("shop.invalid"))
    let first = SignalRecorder(transport.send(request))
    await first.waitForEnd()
    expect(first.isCompleted, "\(first.events)")
    let second = SignalRecorder(transport.send(request))
    await second.waitForEnd()
    expectEqual(second.failure?.code, .cannotFindHost, "\(second.events)")
  }
}
