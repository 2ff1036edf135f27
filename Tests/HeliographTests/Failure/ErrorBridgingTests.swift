import Foundation
import Heliograph
import HeliographTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What code that knows `NSError` alone gets, and what a crash reporter uploads.
@Suite struct ErrorBridgingTests {
  private let url = URL(string: "https://ada:hunter2@api.example.com:8443/users/a%0Ab?token=hunter2#hunter2")

  private func failure(_ domain: NetworkError.Domain, _ code: NetworkError.Code) throws -> NetworkError {
    let request = HTTPRequest(url: try #require(url), headers: ["Authorization": "Bearer hunter2"])
    let response = Response(
      value: Data(#"{"token":"hunter2"}"#.utf8),
      head: HTTPResponse(statusCode: 503, headers: ["Set-Cookie": "a=hunter2"], url: request.url))
    let context = DecodingError.Context(codingPath: [], debugDescription: "invalid String value hunter2")
    return NetworkError(
      domain, code, reason: "a reason", request: request, response: response,
      underlying: DecodingError.dataCorrupted(context))
  }

  @Test("S2-7") func eachDomainHasItsOwnName() throws {
    let codes: [NetworkError.Domain: NetworkError.Code] = [
      .client: 404, .network: .timedOut, .server: 404, .api: 404, .processing: 404,
    ]
    let bridged = try NetworkError.Domain.allCases.map { domain in
      let error = NetworkError(domain, try #require(codes[domain]))
      let bridged = error as NSError
      #expect(bridged.code == error.code.rawValue)
      #expect(bridged.domain == error.nsError.domain && bridged.code == error.nsError.code)
      #expect(error.nsError.userInfo[NetworkError.domainKey] as? String == domain.rawValue)
      return bridged
    }
    #expect(Set(bridged.map(\.domain)).count == 5)
    #expect(
      bridged.map(\.domain) == [
        "HeliographClientErrorDomain", NSURLErrorDomain, "HeliographServerErrorDomain", "HeliographAPIErrorDomain",
        "HeliographProcessingErrorDomain",
      ])
    // What a cast through `Error` gives, which is what a reporter does.
    let erased: any Error = NetworkError(.api, 404)
    #expect((erased as NSError).domain == "HeliographAPIErrorDomain")
    #expect(erased as NSError != NetworkError(.server, 404) as NSError)
  }

  @Test("S4-13") func aBadAnswerIsTheURLLoadingSystems() {
    for error in [NetworkError(.processing, .invalidEnvelope), NetworkError(.api, .invalidResponse)] {
      for bridged in [error as NSError, error.nsError] {
        #expect(bridged.domain == NSURLErrorDomain)
        #expect(bridged.code == NSURLErrorBadServerResponse)
      }
    }
  }

  /// A server may number its own failures as it likes.
  @Test("S2-7 S4-13") func aCodeThatABadAnswerHasElsewhereIsBridgedAsItIs() {
    let errors = [NetworkError(.api, 704), NetworkError(.server, 704), NetworkError(.server, -1011)]
    for error in errors {
      for bridged in [error as NSError, error.nsError] {
        #expect(bridged.domain == error.domain.name && bridged.domain != NSURLErrorDomain)
        #expect(bridged.code == error.code.rawValue)
      }
    }
  }

  @Test("S2-7") func theReasonIsTheServersTextWhereThereIsOne() async throws {
    let echo = try EchoServer { configuration in
      configuration.stages.envelope = .codeMessageData
      configuration.messages[.api, 7] = "Your cart has changed."
    }
    let said = try #require(await echo.read(#"{"code":7,"msg":"余额不足"}"#, as: Int.self).failure)
    #expect(said.serverMessage == "余额不足")
    #expect(said.message == "Your cart has changed.")
    #expect((said as NSError).localizedFailureReason == "余额不足")
    #expect((said as NSError).localizedDescription == "Your cart has changed.")
    let unsaid = try #require(await echo.read(#"{"code":8,"msg":" "}"#, as: Int.self).failure)
    #expect(unsaid.serverMessage == nil)
    #expect((unsaid as NSError).localizedFailureReason == unsaid.reason)
    #expect(unsaid.reason == "the server says 8")
  }

  @Test(arguments: NetworkError.Domain.allCases) func noBodyNoQueryAndNoFieldIsInIt(_ domain: NetworkError.Domain)
    throws
  {
    let error = try failure(domain, 503)
    for bridged in [error as NSError, error.nsError] {
      #expect(bridged.localizedDescription == NetworkError(domain, 503).message)
      #expect(bridged.localizedFailureReason == "a reason")
      expectHidden("hunter2", in: bridged.userInfo)
      #expect(!bridged.description.contains("hunter2"))
      #expect(!bridged.userInfo.values.contains { $0 is Data })
    }
    let info = error.nsError.userInfo
    #expect(info[NetworkError.statusCodeKey] as? Int == 503)
    let address = (info[NSURLErrorFailingURLErrorKey] as? URL)?.absoluteString
    #expect(address == "https://api.example.com:8443/users/a%0Ab")
    let below = try #require(info[NSUnderlyingErrorKey] as? NSError)
    #expect(below.domain == (try #require(error.underlying) as NSError).domain && below.userInfo.isEmpty)
  }

  @Test func theBodyIsInItOnDemand() throws {
    let error = try failure(.server, 503)
    #expect(error.nsError(includingBody: true).userInfo[NetworkError.bodyKey] as? Data == error.response?.value)
    #expect(error.nsError.userInfo[NetworkError.bodyKey] == nil)
  }

  /// What `URLSession` says of the address has its query.
  @Test func theErrorBelowIsItsDomainAndCode() async throws {
    let server = try LoopbackServer()
    let address = server.url("/a?token=hunter2").absoluteString
    server.stop()
    let client = NetworkClient(.open(URLSessionTransport()))
    let recorder = SignalRecorder(client.enqueue(request: address))
    await recorder.waitForEnd()
    let failure = try #require(recorder.failure)
    #expect(failure.underlying is URLError)
    expectHidden("hunter2", in: (failure as NSError).userInfo)
    expectHidden("hunter2", in: failure.nsError.userInfo)
    expectHidden("hunter2", in: failure)
  }
}
