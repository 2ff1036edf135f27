import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// What a person reads, and in which language.
struct WordsTests {
  @Test(
    arguments: [
      ([], .english), (["de-DE"], .english), (["zh-Hans-CN", "en"], .simplifiedChinese),
      (["zh_CN.UTF-8"], .simplifiedChinese),
      (["zh"], .simplifiedChinese), (["zh-Hant-TW"], .english), (["zh-TW"], .english),
      (["en-GB", "zh-Hans"], .english),
      (["de", "zh-Hans-SG"], .simplifiedChinese), (["C.UTF-8"], .english),
      (["zh-Hant", "zh-Hans"], .simplifiedChinese),
      (["", "-"], .english), (["zh-Hans-HK"], .simplifiedChinese),
    ] as [([String], UserLanguage)])
  func theFirstLanguageThatIsHere(_ preferred: [String], _ expected: UserLanguage) {
    expectEqual(UserLanguage(preferred: preferred), expected)
  }

  @Test("S0-3 S2-8 S0-36") func noErrorIsWithoutWords() {
    let codes = Array(-1210 ... -990) + Array(300..<720)
    for domain in NetworkError.Domain.allCases {
      for code in codes {
        let error = NetworkError(NetworkError.Code(domain, code))
        for language in UserLanguage.allCases {
          let text = error.message(in: language)
          expect(!text.isEmpty)
          expect(!text.contains("NetworkError"))
          expect(!text.contains("\(code)"))
        }
        expect(error.message(in: .english) != error.message(in: .simplifiedChinese))
      }
    }
    expectEqual(NetworkError(.unreachable).message(in: .simplifiedChinese), "无法连接到网络")
  }

  /// App Transport Security, background sessions and files have nothing to do with the user's network.
  @Test(arguments: [-1022, -995, -996, -997, -1002, -1100, -3003]) func theSetupOfTheAppIsNotAMissingNetwork(
    _ number: Int
  ) {
    let offline = NetworkError(.unreachable)
    for language in UserLanguage.allCases {
      let text = NetworkError(.network(number)).message(in: language)
      expect(text != offline.message(in: language), "\(text)")
    }
    expectEqual(NetworkError(.network(number)).attribution.party, .client)
  }

  @Test(arguments: [NetworkError.Code.secureConnectionFailed, .untrustedCertificate])
  func aFailedHandshakeHasItsWordsWhoeverIsAtFault(_ code: NetworkError.Code) {
    for party in [Attribution.Party.path, .server, .undetermined] {
      var error = NetworkError(code)
      error.attribution = Attribution(party)
      expectEqual(error.message(in: .english), "A secure connection couldn't be made.")
    }
  }

  @Test func aResponseThatIsCutOffIsNotAConnectionThatCouldNotBeMade() throws {
    var error = NetworkError(.connectionLost)
    expectEqual(error.message(in: .english), "Couldn't connect to the server. Please try again.")
    let url = try require(URL(string: "https://api.example.com/"))
    error.response = Response(value: Data("[".utf8), head: HTTPResponse(statusCode: 200, url: url))
    expectEqual(error.message(in: .english), "The connection was interrupted. Please try again.")
    expectEqual(error.message(in: .simplifiedChinese), "连接已中断，请重试。")
    error.attribution = Attribution(.server)
    expectEqual(error.message(in: .english), "The server isn't available right now. Please try again later.")
  }

  @Test(arguments: [NetworkError.Code.invalidRedirect, .pageLoop])
  func aServerThatMisleadsHasSentAnInvalidResponse(_ code: NetworkError.Code) {
    expectEqual(NetworkError(code).message(in: .english), "The server sent an invalid response.")
    expectEqual(NetworkError(code).message(in: .simplifiedChinese), "服务器的响应无效。")
  }

  @Test("S2-8 S0-3") func theAppsOwnWordsComeFirstAndDomainAndCodeStay() async throws {
    let echo = try EchoServer { configuration in
      configuration.stages.envelope = .codeMessageData
      configuration.messages[.api(7)] = "Your cart has changed."
      configuration.messages[.api(8)] = "  "
    }
    let hit = try require(await echo.read(#"{"code":7,"msg":"cart v2"}"#, as: Int.self).failure)
    expectEqual(hit.message, "Your cart has changed.")
    expectEqual(hit.code, .api(7))
    let blank = try require(await echo.read(#"{"code":8,"msg":"cart v2"}"#, as: Int.self).failure)
    expectEqual(blank.message, "cart v2")
    let none = try require(await echo.read(#"{"code":9}"#, as: Int.self).failure)
    expectEqual(none.message, NetworkError(.api(9)).message(in: .current))
  }

  /// A status or a code means something else at the server of the tokens; the client's own codes mean the same.
  @Test("S2-8 P5", arguments: [nil, "Please sign in again."] as [String?])
  func theWordsOfARequestAreNotThoseOfItsRefresh(_ text: String?) async throws {
    let stub = StubTransport()
    stub.on(.post, "/order", .status(401))
    stub.on(.post, "/token", .status(400), .json("1"))
    var configuration = NetworkClient.Configuration(baseURL: URL(string: "https://a.example"), transport: stub)
    configuration.processing = .immediate
    configuration.scheduler = VirtualScheduler()
    configuration.recoveries = [
      Recovery(limit: 2, scheduler: VirtualScheduler()) { client in
        let request = Request(.post, "/token", options: .with { $0.messages[.status(400)] = text })
        return client.enqueue(request: request, resultType: Int.self)
      }
    ]
    let client = NetworkClient(configuration)
    var order = Request(.post, "/order")
    order.options.messages = [
      .status(400): "The coupon is invalid.", .status(401): "Still rejected.", .recoveryRefused: "Too often.",
    ]
    var messages: [String?] = []
    for _ in 0..<3 {
      let recorder = SignalRecorder(client.enqueue(request: order, resultType: Int.self))
      await recorder.waitForEnd()
      messages.append(recorder.failure?.message)
    }
    expectEqual(messages, [text ?? NetworkError(.status(400)).message, "Still rejected.", "Too often."])
  }

  private typealias Messages = [NetworkError.Code: String]

  /// The message of an order whose token refresh fails.
  private func message(
    ofClient: Messages = [:], ofToken: Messages = [:], ofOrder: Messages = [:], _ token: StubAnswer = .status(401),
    makeRecovery: (Request) -> Recovery = { token in
      Recovery(scheduler: VirtualScheduler()) { $0.enqueue(request: token, resultType: Int.self) }
    }
  ) async throws -> String {
    let stub = StubTransport()
    stub.on(.post, "/order", .status(401))
    stub.on(.post, "/token", token)
    var configuration = NetworkClient.Configuration(baseURL: URL(string: "https://a.example"), transport: stub)
    configuration.processing = .immediate
    configuration.scheduler = VirtualScheduler()
    configuration.retry = .never
    configuration.messages = ofClient
    configuration.recoveries = [makeRecovery(Request(.post, "/token", options: .with { $0.messages = ofToken }))]
    let order = Request(.post, "/order", options: .with { $0.messages = ofOrder })
    let recorder = SignalRecorder(NetworkClient(configuration).enqueue(request: order, resultType: Int.self))
    await recorder.waitForEnd()
    return try require(recorder.failure).message
  }

  /// Thrown without a token, or by another library: no request has had the messages of the client.
  @Test("S2-8 P5") func anErrorThatARefreshThrowsHasTheWordsOfTheClient() async throws {
    let throwing = { @Sendable (_: Request) in
      Recovery(scheduler: VirtualScheduler()) { () -> Signal<Void, NetworkError> in .fail(NetworkError(.status(401))) }
    }
    let order: Messages = [.status(401): "The password is wrong."]
    let own = try await message(ofClient: [.status(401): "Please sign in."], ofOrder: order, makeRecovery: throwing)
    expectEqual(own, "Please sign in.")
    let none = try await message(ofOrder: order, makeRecovery: throwing)
    expectEqual(none, NetworkError(.status(401)).message)
    let asyncOne = try await message(ofClient: [.status(401): "Please sign in."], ofOrder: order) { _ in
      Recovery { _ in throw NetworkError(.status(401)) }
    }
    expectEqual(asyncOne, "Please sign in.")
  }

  /// A lost connection means the same at every server.
  @Test("S2-8 P5", arguments: [.failure(NetworkError(.connectionLost)), .json("{", status: 200)] as [StubAnswer])
  func otherErrorsOfARefreshHaveTheWordsOfTheRequestThatWaited(_ token: StubAnswer) async throws {
    func all(_ text: String) -> Messages { [.connectionLost: text, .malformedBody: text] }
    let waiting = try await message(
      ofClient: all("client"), ofToken: all("token"), ofOrder: all("The order was not sent."), token)
    expectEqual(waiting, "The order was not sent.")
    expectEqual(try await message(ofClient: all("client"), ofOrder: all("order"), token), "order")
    expectEqual(try await message(ofClient: all("client"), ofToken: all("token"), token), "token")
    expectEqual(try await message(ofClient: all("client"), token), "client")
  }

  @Test func theBodyOfAnErrorIsDecoded() async throws {
    struct Problem: Decodable, Sendable { let title: String }
    let server = try LoopbackServer()
    server.route("GET", "/bad") { _ in .json(#"{"title":"Out of stock"}"#, status: 409) }
    server.route("GET", "/empty") { _ in .status(409) }
    server.route("GET", "/page") { _ in .text("<html>", status: 502) }
    server.route("GET", "/other") { _ in .json(#"{"title":7}"#, status: 409) }
    let client = NetworkClient(.init(baseURL: server.baseURL))
    let bad = SignalRecorder(client.enqueue(request: "/bad", resultType: Int.self))
    await bad.waitForEnd()
    let failure = try require(bad.failure)
    try expectEqual(failure.decode(as: Problem.self).title, "Out of stock")
    #expect(throws: NetworkError.self) { try failure.decode(as: [Int].self) }
    for (path, code, reason) in [
      ("/page", .malformedBody, "the error's body: unexpected character: expected a value, at byte 0"),
      ("/other", .unexpectedShape, "the error's body: title is a number, not String, decoding Problem"),
    ] as [(RequestPath, NetworkError.Code, String)] {
      let recorder = SignalRecorder(client.enqueue(request: Request(.get, path), resultType: Int.self))
      await recorder.waitForEnd()
      let failure = try require(recorder.failure)
      let error = try #require(throws: NetworkError.self) { try failure.decode(as: Problem.self) }
      expectEqual(error.code, code)
      expect(error.reason.hasPrefix(reason), "\(error.reason)")
      expectEqual(error.response?.value, failure.response?.value)
      let text = path == "/page" ? "<html>" : #"{"title":7}"#
      try expectEqual(failure.decode(as: String.self), text)
      try expectEqual(failure.decode(as: Data?.self), Data(text.utf8))
    }
    let event = #expect(throws: NetworkError.self) { try ServerSentEvent(data: "x").decode(Problem.self) }
    expectEqual(event?.code, .malformedBody)
    let numbered = #expect(throws: NetworkError.self) {
      try ServerSentEvent(data: #"{"title":7}"#).decode(Problem.self)
    }
    expectEqual(numbered?.reason.hasPrefix("event message: title is a number, not String"), true)
    let empty = SignalRecorder(client.enqueue(request: "/empty", resultType: Int.self))
    await empty.waitForEnd()
    do {
      _ = try require(empty.failure).decode(as: Problem.self)
      Issue.record("there was no body")
    } catch let error as NetworkError {
      expectEqual(error.code, .emptyBody)
    }
  }
}
