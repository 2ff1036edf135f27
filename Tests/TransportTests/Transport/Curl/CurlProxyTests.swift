import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Plain HTTP by way of a proxy, which here is a server that writes down what it was asked.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct CurlProxyTests {
  let proxy: LoopbackServer
  let site: LoopbackServer

  init() throws {
    proxy = try LoopbackServer()
    site = try LoopbackServer()
    proxy.route("*", "/a") { _ in .text("by the proxy") }
    site.route("*", "/a") { _ in .text("straight") }
  }

  private func record(
    _ url: String, _ setting: Proxy, _ settings: TransportSettings = TransportSettings()
  ) async throws -> SignalRecorder<Response<Data>, NetworkError> {
    var settings = settings
    settings.proxy = setting
    let client = NetworkClient(.open(try CurlTransport(settings)))
    let recorder = SignalRecorder(client.exchange(request: Request(.get, RequestPath(url))))
    await recorder.waitForEnd()
    return recorder
  }

  @Test func theProxyIsAskedForTheWholeAddress() async throws {
    let recorder = try await record("http://shop.example/a?b=c", .server(proxy.baseURL))
    expectEqual(recorder.values.first?.value, Data("by the proxy".utf8), "\(recorder.events)")
    let request = try require(proxy.log.requests.first)
    expectEqual(request.target, "http://shop.example/a?b=c")
    expectEqual(request.header("Host"), "shop.example")
    expectNil(request.header("Proxy-Authorization"))
  }

  /// The server was not reached.
  @Test(arguments: [
    // RFC 1928: no password is needed, and the rules do not allow the connection.
    [Data([5, 0]), Data([5, 2, 0, 1, 0, 0, 0, 0, 0, 0])],
    // RFC 1929: a password is needed, and it is wrong.
    [Data([5, 2]), Data([1, 1])],
  ])
  func aRefusalOfASOCKSProxyIsThePaths(_ answers: [Data]) async throws {
    let socks = try LoopbackAcceptor { client in
      var buffer = [UInt8](repeating: 0, count: 1024)
      for answer in answers {
        guard recv(client, &buffer, buffer.count, 0) > 0 else { break }  // blocks: a thread of its own
        LoopbackSocket.write(answer, to: client)
      }
      close(client)
    }
    let url = try require(URL(string: "socks5h://127.0.0.1:\(socks.port)"))
    let recorder = try await record("http://shop.example/a", .server(url, user: "me", password: "wrong"))
    expectEqual(recorder.failure?.code, .cannotConnect, "\(recorder.events)")
    expectEqual(recorder.failure?.attribution.party, .path)
  }

  @Test("S2-12") func aProxyOnThisMachineNeedsNoNetwork() throws {
    var settings = TransportSettings()
    settings.proxy = .server(proxy.baseURL)
    try expectEqual(CurlTransport(settings).usesNetwork, false)
    settings.proxy = .direct
    try expectEqual(CurlTransport(settings).usesNetwork, true)
    settings.proxy = .server(try require(URL(string: "http://proxy.example:3128")))
    try expectEqual(CurlTransport(settings).usesNetwork, true)
  }

  @Test func userAndPasswordGoToTheProxy() async throws {
    let recorder = try await record("http://shop.example/a", .server(proxy.baseURL, user: "me+ü", password: "a:b c%41"))
    expect(recorder.isCompleted)
    let expected = "Basic " + Data("me+ü:a:b c%41".utf8).base64EncodedString()
    expectEqual(proxy.log.requests.first?.header("Proxy-Authorization"), expected)
    expectNil(proxy.log.requests.first?.header("Authorization"))
  }

  @Test(
    arguments: [
      ("127.0.0.1", true), ("other.example", false), ("", false),
    ])
  func anExceptionIsReachedWithoutIt(_ exception: String, _ isStraight: Bool) async throws {
    let recorder = try await record(
      site.url("/a").absoluteString, .server(proxy.baseURL, except: exception.isEmpty ? [] : ["x.example", exception]))
    expectEqual(recorder.values.first?.value, Data((isStraight ? "straight" : "by the proxy").utf8))
    expectEqual(site.log.requests.count, (isStraight ? 1 : 0))
    expectEqual(proxy.log.requests.count, (isStraight ? 0 : 1))
  }

  @Test(arguments: [(":0", true), (":1", false)])
  func anExceptionMayHaveAPort(_ end: String, _ isStraight: Bool) async throws {
    let port = end == ":0" ? site.port : site.port ^ 1
    let recorder = try await record(
      site.url("/a").absoluteString, .server(proxy.baseURL, except: ["127.0.0.1:\(port)"]))
    expectEqual(recorder.values.first?.value, Data((isStraight ? "straight" : "by the proxy").utf8))
  }

  #if os(Linux)
  @Test(
    arguments: [
      ("", "200\n"), ("127.0.0.1", "204\n"), ("127.0.0.1:%", "204\n"), ("127.0.0.1:1", "200\n"), ("*", "204\n"),
    ])
  func theEnvironmentNamesTheProxyAndItsExceptions(_ exceptions: String, _ status: String) async throws {
    site.route("GET", "/b") { _ in .status(204) }
    proxy.route("GET", "/b") { _ in .status(200) }
    let exceptions = exceptions.replacingOccurrences(of: "%", with: "\(site.port)")
    let output = Pipe()
    let child = try Child.probe(
      ["fetch", site.url("/b").absoluteString, "", "environment"],
      environment: ["http_proxy=\(proxy.baseURL)", "no_proxy=\(exceptions)", "NO_PROXY="],
      output: output.fileHandleForWriting)
    try output.fileHandleForWriting.close()
    let text = String(decoding: try await output.readToEnd(), as: UTF8.self)
    await child.wait()
    expectEqual(text, status)
  }
  #endif

  /// A handle that is used again must not keep what was said of the request before.
  @Test func eachRequestHasItsOwnWay() async throws {
    var settings = TransportSettings(concurrencyLimit: 1)
    settings.proxy = .server(proxy.baseURL, except: ["127.0.0.0/8", "[::1]"])
    let client = NetworkClient(.open(try CurlTransport(settings)))
    for _ in 0..<3 {
      for (url, word) in [(site.url("/a").absoluteString, "straight"), ("http://shop.example/a", "by the proxy")] {
        let recorder = SignalRecorder(client.exchange(request: Request(.get, RequestPath(url))))
        await recorder.waitForEnd()
        expectEqual(recorder.values.first?.value, Data(word.utf8))
      }
    }
  }

  @Test func anExceptionHoldsBelowItsDomain() async throws {
    var settings = TransportSettings()
    settings.proxy = .server(proxy.baseURL, except: ["example"])
    settings.resolve = { _, _ in ["127.0.0.1"] }
    let client = NetworkClient(.open(try CurlTransport(settings)))
    let recorder = SignalRecorder(client.exchange(request: "http://www.shop.example:\(site.port)/a"))
    await recorder.waitForEnd()
    expectEqual(recorder.values.first?.value, Data("straight".utf8), "\(recorder.events)")
  }

  @Test func aProxyThatIsNotThereCannotBeConnectedTo() async throws {
    let address = proxy.baseURL
    try proxy.stopForGood()
    for scheme in ["http", "https"] {
      let recorder = try await record("\(scheme)://shop.example/a", .server(address))
      expectEqual(recorder.failure?.code, .cannotConnect, "\(recorder.events)")
    }
    let url = try require(URL(string: "http://does-not-exist.invalid:3128"))
    // Not of the system's resolver, which may be far away, or resolve every name.
    var settings = TransportSettings()
    settings.resolve = { _, _ in [] }
    let recorder = try await record("http://shop.example/a", .server(url), settings)
    expectEqual(recorder.failure?.code, .cannotFindHost, "\(recorder.events)")
  }

  /// libcurl reads it with the request only, and quotes it with the password.
  @Test func aProxyThatLibcurlDoesNotAcceptIsAnInvalidSetting() async throws {
    let url = try require(URL(string: "http://me:hunter2@127.0.0.1:99999"))
    let error = try await require(record("http://shop.example/a", .server(url)).failure)
    expectEqual(error.code, .invalidTransport)
    expect(!"\(error.reason) \(error.debugDescription) \(error.explanation)".contains("hunter2"))
  }

  @Test func anAnswerOfTheProxysIsAnAnswer() async throws {
    proxy.route("*", "/a") { _ in .status(407).header("Proxy-Authenticate", "Basic realm=\"x\"") }
    let recorder = try await record("http://shop.example/a", .server(proxy.baseURL))
    expectEqual(recorder.values.first?.statusCode, 407)
  }

  /// The server was never asked: whatever the proxy says, it is the path's.
  @Test("S1-10", arguments: [403, 407, 502, 503]) func aTunnelThatIsRefusedIsThePaths(_ status: Int) async throws {
    let tunnel = try TunnelProxy(status: status)
    let address = try require(URL(string: "http://127.0.0.1:\(tunnel.port)"))
    var settings = TransportSettings()
    settings.proxy = .server(address)
    var configuration = NetworkClient.Configuration.open(try CurlTransport(settings))
    configuration.scheduler = VirtualScheduler()
    let client = NetworkClient(configuration)
    // Another host answers: refused by itself, it would be the server.
    await SignalRecorder(client.exchange(request: site.url("/a"))).waitForEnd()
    let recorder = SignalRecorder(client.exchange(request: "https://shop.example/a"))
    await recorder.waitForEnd()
    let error = try require(recorder.failure)
    expectEqual(error.code, status == 407 ? .status(407) : .cannotConnect)
    expectEqual(error.attribution.party, .path)
    if status != 407 { expect(error.attribution.evidence != nil) }
    expect(error.reason.contains("\(status)"))
    let message = "Your connection isn't working properly. Please try again."
    expectEqual(error.message(in: .english), status == 407 ? "This network requires you to sign in." : message)
    expectNil(error.response)
  }

  /// Each attempt counts for a proxy that locks accounts.
  @Test func aPasswordThatTheProxyRejectsIsSentOnce() async throws {
    let tunnel = try TunnelProxy(status: 407)
    var settings = TransportSettings()
    settings.proxy = .server(try require(URL(string: "http://127.0.0.1:\(tunnel.port)")), user: "me", password: "wrong")
    var configuration = NetworkClient.Configuration.open(try CurlTransport(settings))
    configuration.retry = Retry(limit: 2, backoff: .constant(.zero))
    let recorder = SignalRecorder(NetworkClient(configuration).exchange(request: "https://shop.example/a"))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .status(407))
    expectEqual(tunnel.heads.count, 1)
  }

  @Test func connectionsToTheProxyAreKept() async throws {
    var settings = TransportSettings()
    settings.proxy = .server(proxy.baseURL)
    settings.maximumConnectionIdleTime = .seconds(86_400)
    let client = NetworkClient(.open(try CurlTransport(settings)))
    for host in ["one", "two", "one"] {
      let recorder = SignalRecorder(client.exchange(request: "http://\(host).example/a"))
      await recorder.waitForEnd()
      expect(recorder.isCompleted)
    }
    expectEqual(proxy.log.acceptedCount, 1)
  }

  @Test(arguments: ["ftp://127.0.0.1:1", "shop.example:3128", "http://", "/proxy"])
  func whatIsNoProxyIsRefusedAtOnce(_ address: String) throws {
    var settings = TransportSettings()
    settings.proxy = .server(try require(URL(string: address)))
    let wrong = settings
    let error = #expect(throws: NetworkError.self) { try CurlTransport(wrong) }
    expectEqual(error?.code, .invalidTransport)
  }
}
