import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// The questions about an error that apps ask most often, and an app's own messages.
struct ErrorKindsTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let domain: NetworkError.Domain
    let numbers: [Int]
    let kind: String

    var testDescription: String { "\(domain) \(numbers): \(kind)" }
  }

  private static let cases = [
    Case(domain: .network, numbers: [-1001], kind: "timeout"),
    Case(domain: .client, numbers: [618], kind: "timeout"),
    Case(domain: .server, numbers: [408, 504], kind: "timeout"),
    Case(domain: .client, numbers: [668], kind: "offline"),
    Case(domain: .network, numbers: [-1009, -1018, -1019, -1020], kind: "offline"),
    Case(domain: .server, numbers: [401], kind: "unauthorized"),
    Case(domain: .client, numbers: [-999], kind: "cancelled"),
    Case(domain: .network, numbers: [-1004, -1003, -1005, -999, 401, 408, 668], kind: ""),
    Case(domain: .client, numbers: [600, 613, -1001, -1009, 401, 504], kind: ""),
    Case(domain: .server, numbers: [400, 403, 404, 407, 500, 502, 503, -999, -1001, 668], kind: ""),
    Case(domain: .api, numbers: [401, 408, 668, -999, -1001], kind: ""),
    Case(domain: .processing, numbers: [700, 401, 408, 668, -999, -1001], kind: ""),
  ]

  private func kinds(of error: NetworkError) -> [String] {
    let answers = [
      ("timeout", error.isTimeout), ("offline", error.isOffline), ("unauthorized", error.isUnauthorized),
      ("cancelled", error.isCancelled),
    ]
    return answers.filter(\.1).map(\.0)
  }

  @Test(arguments: cases) func eachErrorIsOfOneKindOrNone(_ expected: Case) {
    for number in expected.numbers {
      let code = NetworkError.Code(expected.domain, number)
      expectEqual(kinds(of: NetworkError(code)), (expected.kind.isEmpty ? [] : [expected.kind]))
    }
  }

  @Test func evidenceTellsWhetherTheDeviceIsOffline() {
    for domain in NetworkError.Domain.allCases {
      for evidence in [
        Evidence(reachabilityBefore: .unreachable), Evidence(reachabilityAfter: .unreachable),
        Evidence(reachabilityBefore: .reachable, reachabilityAfter: .unreachable),
      ] {
        var error = NetworkError(NetworkError.Code(domain, 1))
        error.attribution = Attribution(.client, evidence: evidence)
        expectEqual(error.isOffline, (domain == .network))
      }
    }
    var error = NetworkError(.connectionLost)
    error.attribution = Attribution(.path, evidence: Evidence(reachabilityBefore: .reachable))
    expect(!error.isOffline)
  }

  @Test func aServicesCodeMayMeanThatALoginIsNeeded() {
    var error = NetworkError(.api(7))
    error.meaning = .needsUpdate
    expect(!error.isUnauthorized)
    error.meaning = .needsLogin
    expectEqual(kinds(of: error), ["unauthorized"])
    // The limit of a recovery has refused the refresh for it.
    expectEqual(kinds(of: NetworkError(.recoveryRefused, underlying: error)), ["unauthorized"])
    expectEqual(kinds(of: NetworkError(.recoveryRefused, underlying: NetworkError.cancellation)), [])
    expectEqual(kinds(of: NetworkError(.recoveryRefused, underlying: URLError(.timedOut))), [])
  }

  @Test func theErrorsOfRequestsAreOfTheirKind() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/stuck") { _ in .never }
    shop.serve("/members", "{}", status: 401)
    let idle = Request(.get, "/stuck", idleTimeout: .milliseconds(100))
    expectEqual(kinds(of: try await shop.client.failure(of: idle, as: Int.self)), ["timeout"])
    let total = Request(.get, "/stuck", totalTimeout: .milliseconds(100))
    expectEqual(kinds(of: try await shop.client.failure(of: total, as: Int.self)), ["timeout"])
    expectEqual(kinds(of: try await shop.client.failure(of: "/members", as: Int.self)), ["unauthorized"])
    let offline = Stubbed { $0.reachability = ManualReachability(.unreachable) }
    expectEqual(kinds(of: try await offline.client.failure(of: "/x", as: Int.self)), ["offline"])
  }

  private struct Members: Service {
    let id: ServiceID = "members"
    let messages: [NetworkError.Code: String]

    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
      URL(string: "https://a.example/v1").map { ServiceAddresses($0) }
    }
  }

  private static func messages(_ author: String, _ statuses: Int...) -> [NetworkError.Code: String] {
    var messages: [NetworkError.Code: String] = [:]
    for status in statuses { messages[.status(status)] = "\(author) \(status)" }
    return messages
  }

  @Test func theRequestsMessageComesBeforeTheServicesBeforeTheClients() async throws {
    let stubbed = Stubbed {
      $0.messages = Self.messages("client", 401, 403, 404)
      $0.services = ServiceRegistry([Members(messages: Self.messages("service", 403, 404, 405))])
    }
    let options = RequestOptions.with {
      $0.messages = Self.messages("request", 404)
      $0.messages[.status(405)] = "  "
    }
    let service = Request(.get, "x", service: "members", options: options)
    for (status, author) in [(401, "client"), (403, "service"), (404, "request"), (405, "service")] {
      stubbed.answer("{}", status: status)
      let error = try await stubbed.client.failure(of: service, as: Int.self)
      expectEqual(error.message, "\(author) \(status)")
      expectEqual(error.code, .status(status))
      let recorder = SignalRecorder(stubbed.client.enqueue(request: service, resultType: Int.self))
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.message, "\(author) \(status)")
    }
    // Another request of the client has neither the service's nor this request's.
    try await expectEqual(stubbed.client.failure(of: "x", as: Int.self).message, NetworkError(.status(405)).message)
  }

  /// Whichever of the codes each of them is for.
  @Test("S2-8") func theRequestsMessageForTheStatusComesBeforeTheClientsForTheCode() async throws {
    let stubbed = Stubbed {
      $0.stages.envelope = .codeMessageData
      $0.messages = [.api(1001): "Please sign in again.", .status(403): "client"]
      $0.services = ServiceRegistry([Members(messages: [.status(403): "service"])])
    }
    let signIn = Request(
      .get, "x", service: "members", options: .with { $0.messages[.status(401)] = "The password is wrong." })
    for (status, text) in [
      (401, "The password is wrong."), (403, "service"), (404, "Please sign in again."),
      (200, "Please sign in again."),
    ] {
      stubbed.answer(#"{"code":1001}"#, status: status)
      try await expectEqual(stubbed.client.failure(of: signIn, as: Int.self).message, text)
    }
  }

  private struct OwnCode: Validator {
    func validate(_ response: Response<Data>) throws(NetworkError) { throw NetworkError(.api(9), response: response) }
  }

  @Test("S2-8") func theMessageForAValidatorsOwnCodeComesBeforeThatForTheServers() async throws {
    for own in [nil, "nine"] as [String?] {
      let stubbed = Stubbed {
        $0.stages = Stages(validators: [OwnCode()], envelope: .codeMessageData)
        $0.messages[.api(9)] = own
        $0.messages[.api(1001)] = "server"
      }
      stubbed.answer(#"{"code":1001}"#)
      let error = try await stubbed.client.failure(of: "/x", as: Int.self)
      expectEqual([error.code, error.serverCode], [.api(9), .api(1001)])
      expectEqual(error.message, own ?? "server")
    }
  }

  @Test func anAppsMessageComesBeforeTheServersText() async throws {
    let stubbed = Stubbed { $0.stages.envelope = .codeMessageData }
    stubbed.answer(#"{"code":7,"msg":"cart v2"}"#)
    try await expectEqual(stubbed.client.failure(of: "/x", as: Int.self).message, "cart v2")
    let own = Request(.get, "/x", options: .with { $0.messages[.api(7)] = "Your cart has changed." })
    let error = try await stubbed.client.failure(of: own, as: Int.self)
    expectEqual(error.message, "Your cart has changed.")
    expectEqual(error.serverMessage, "cart v2")
  }

  @Test func aRequestThatIsNotSentHasTheMessagesToo() async throws {
    let stubbed = Stubbed { $0.messages[.invalidURL] = "Please check the link." }
    try await expectEqual(stubbed.client.failure(of: "//", as: Int.self).message, "Please check the link.")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      let client = Stubbed { $0.messages[.cancelled] = "Stopped." }.client
      let own = Request(
        .get, "/x",
        options: .with {
          $0.messages[.cancelled] = "The search was stopped."
          $0.presentation = .silent
        })
      return [try await client.failure(of: "/x", as: Int.self), try await client.failure(of: own, as: Int.self)]
    }
    let errors = try await task.value
    expectEqual(errors.map(\.message), ["Stopped.", "The search was stopped."])
    expectEqual(errors.map(\.presentation), [nil, .silent])
  }

  @Test func aWrongPasswordIsNotAskedToSignInAgain() {
    let error = NetworkError(.status(401))
    expectEqual(error.message(in: .english), "Please sign in to continue.")
    expect(!error.message(in: .simplifiedChinese).contains("重新"))
  }

  /// `timeout` knows no cause: the failure says how long it has waited, and does not blame the connection.
  @Test(arguments: ["", "no list in time"]) func aTimeoutOfASignalNamesItsInterval(_ reason: String) throws {
    let clock = VirtualScheduler()
    let failure = NetworkError(.timedOut, reason: reason)
    let recorder = SignalRecorder(
      Signal<Int, NetworkError>.never.timeout(.seconds(20), failing: failure, on: clock))
    clock.advance(by: .seconds(20))
    let error = try require(recorder.failure)
    expectEqual(error.reason, reason.isEmpty ? "timeout of the signal: no event for 20.0 seconds" : reason)
    expectEqual(error.message(in: .english), "The request took too long. Please try again.")
    expectEqual(error.code, .timedOut)
    let other = SignalRecorder(
      Signal<Int, NetworkError>.never.timeout(.seconds(1), failing: NetworkError(.noValue), on: clock))
    clock.advance(by: .seconds(1))
    expectEqual(other.failure?.reason, "")
  }

  /// After an outage, a stored response may be delivered.
  @Test func anOutageIsOfTheNetworkItsProxyOrTheServer() {
    let outages: [NetworkError.Code] = [
      .connectionLost, .network(-1009), .network(-1020), .untrustedCertificate, .status(407), .status(408),
      .status(429), .status(500), .status(511), .unreachable,
    ]
    for code in outages { expect(NetworkError(code).isOutage, "\(code)") }
    let others: [NetworkError.Code] = [
      .responseTooLarge, .network(-1022), .network(-996), .network(-1102), .network(-1002), .network(-3000),
      .status(401), .status(404), .malformedBody,
    ]
    for code in others { expect(!NetworkError(code).isOutage, "\(code)") }
  }
}
