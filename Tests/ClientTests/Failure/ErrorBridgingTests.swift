import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What code that knows `NSError` alone gets, and what a crash reporter uploads.
struct ErrorBridgingTests {
  private let url = URL(string: "https://ada:hunter2@api.example.com:8443/users/a%0Ab?token=hunter2#hunter2")

  private func failure(_ code: NetworkError.Code) throws -> NetworkError {
    let request = HTTPRequest(url: try require(url), headers: ["Authorization": "Bearer hunter2"])
    let response = Response(
      value: Data(#"{"token":"hunter2"}"#.utf8),
      head: HTTPResponse(statusCode: 503, headers: ["Set-Cookie": "a=hunter2"], url: request.url))
    let context = DecodingError.Context(codingPath: [], debugDescription: "invalid String value hunter2")
    return NetworkError(
      code, reason: "a reason", request: request, response: response,
      underlying: DecodingError.dataCorrupted(context))
  }

  @Test("S2-7") func eachDomainHasItsOwnName() throws {
    let bridged = NetworkError.Domain.allCases.map { domain in
      let error = NetworkError(domain == .network ? .timedOut : NetworkError.Code(domain, 404))
      let bridged = error as NSError
      expectEqual(bridged.code, error.code.number)
      expectEqual(bridged.domain, error.nsError.domain)
      expectEqual(bridged.code, error.nsError.code)
      expectEqual(error.nsError.userInfo[NetworkError.domainKey] as? String, domain.rawValue)
      return bridged
    }
    expectEqual(Set(bridged.map(\.domain)).count, 5)
    expectEqual(
      bridged.map(\.domain),
      [
        "HeliographClientErrorDomain", NSURLErrorDomain, "HeliographServerErrorDomain", "HeliographAPIErrorDomain",
        "HeliographProcessingErrorDomain",
      ])
    // What a cast through `Error` gives, which is what a reporter does.
    let erased: any Error = NetworkError(.api(404))
    expectEqual((erased as NSError).domain, "HeliographAPIErrorDomain")
    expect(erased as NSError != NetworkError(.status(404)) as NSError)
  }

  @Test("S4-13") func aBadAnswerIsTheURLLoadingSystems() {
    for error in [NetworkError(.invalidEnvelope), NetworkError(.rejected)] {
      for bridged in [error as NSError, error.nsError] {
        expectEqual(bridged.domain, NSURLErrorDomain)
        expectEqual(bridged.code, NSURLErrorBadServerResponse)
      }
    }
  }

  /// A refused status and a service's code keep their own domains.
  @Test("S4-13 S2-7", arguments: [true, false]) func theRefusalOfABaseValidatorIsABadAnswer(
    _ isBase: Bool
  ) async throws {
    struct Refusing: Validator {
      let code: NetworkError.Code
      func validate(_ response: Response<Data>) throws(NetworkError) { throw NetworkError(code) }
    }
    let shape: JSONShape = ["id": .number]
    let refusals: [(any Validator, NetworkError.Code)] = [
      (shape, .invalidShape), (ContentTypeValidator(accepted: ["image/png"]), .unacceptableType),
      (Refusing(code: NetworkError.Code(.processing, 900)), NetworkError.Code(.processing, 900)),
      (StatusValidator(accepted: 204..<205), .status(200)), (Refusing(code: .api(7)), .api(7)),
    ]
    for (validator, code) in refusals {
      let echo = try EchoServer(isBase ? Stages(baseValidators: [validator]) : Stages(validators: [validator]))
      let error = try require(await echo.read("{}", as: JSON.self).failure)
      let isBad = isBase && code.domain == .processing
      expectEqual(error.code, code)
      expectEqual(error.response?.value, Data("{}".utf8))
      for bridged in [error as NSError, error.nsError] {
        expectEqual(bridged.domain, isBad ? NSURLErrorDomain : code.domain.name)
        expectEqual(bridged.code, isBad ? NSURLErrorBadServerResponse : code.number)
      }
    }
  }

  /// A server may number its own failures as it likes.
  @Test("S2-7 S4-13") func aCodeThatABadAnswerHasElsewhereIsBridgedAsItIs() {
    let codes: [NetworkError.Code] = [.api(704), .api(-1011), .api("E17"), .status(704), .status(-1011)]
    let errors = codes.map { NetworkError($0) }
    for error in errors {
      for bridged in [error as NSError, error.nsError] {
        expectEqual(bridged.domain, error.domain.name)
        expect(bridged.domain != NSURLErrorDomain)
        expectEqual(bridged.code, error.code.number)
      }
    }
  }

  @Test("S2-7") func theReasonIsTheServersTextWhereThereIsOne() async throws {
    let echo = try EchoServer { configuration in
      configuration.stages.envelope = .codeMessageData
      configuration.messages[.api(7)] = "Your cart has changed."
    }
    let said = try require(await echo.read(#"{"code":7,"msg":"余额不足"}"#, as: Int.self).failure)
    expectEqual(said.serverMessage, "余额不足")
    expectEqual(said.message, "Your cart has changed.")
    expectEqual((said as NSError).localizedFailureReason, "余额不足")
    expectEqual((said as NSError).localizedDescription, "Your cart has changed.")
    let unsaid = try require(await echo.read(#"{"code":8,"msg":" "}"#, as: Int.self).failure)
    expectNil(unsaid.serverMessage)
    expectEqual((unsaid as NSError).localizedFailureReason, unsaid.reason)
    expectEqual(unsaid.reason, "API error code 8")
  }

  @Test(arguments: NetworkError.Domain.allCases) func noBodyNoQueryAndNoFieldIsInIt(_ domain: NetworkError.Domain)
    throws
  {
    let code = NetworkError.Code(domain, 503)
    let error = try failure(code)
    for bridged in [error as NSError, error.nsError] {
      expectEqual(bridged.localizedDescription, NetworkError(code).message)
      expectEqual(bridged.localizedFailureReason, "a reason")
      expectHidden("hunter2", in: bridged.userInfo)
      expect(!bridged.description.contains("hunter2"))
      expect(!bridged.userInfo.values.contains { $0 is Data })
    }
    let info = error.nsError.userInfo
    expectEqual(info[NetworkError.statusCodeKey] as? Int, 503)
    let address = (info[NSURLErrorFailingURLErrorKey] as? URL)?.absoluteString
    expectEqual(address, "https://api.example.com:8443/users/a%0Ab")
    let below = try require(info[NSUnderlyingErrorKey] as? NSError)
    expectEqual(below.domain, (try require(error.underlying) as NSError).domain)
    expect(below.userInfo.isEmpty)
  }

  @Test func theBodyIsInItOnDemand() throws {
    let error = try failure(.status(503))
    expectEqual(error.nsError(includingBody: true).userInfo[NetworkError.bodyKey] as? Data, error.response?.value)
    expectNil(error.nsError.userInfo[NetworkError.bodyKey])
  }

  /// What `URLSession` says of the address has its query.
  @Test func theErrorBelowIsItsDomainAndCode() async throws {
    let server = try LoopbackServer()
    let address = server.url("/a?token=hunter2").absoluteString
    try server.stopForGood()
    let client = NetworkClient(.open(URLSessionTransport()))
    let recorder = SignalRecorder(client.exchange(request: Request(.get, RequestPath(address))))
    await recorder.waitForEnd()
    let failure = try require(recorder.failure)
    expect(failure.underlying is URLError)
    expectHidden("hunter2", in: (failure as NSError).userInfo)
    expectHidden("hunter2", in: failure.nsError.userInfo)
    expectHidden("hunter2", in: failure)
  }
}
