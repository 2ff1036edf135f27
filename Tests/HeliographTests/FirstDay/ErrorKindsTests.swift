import Foundation
import Heliograph
import HeliographTesting
import Testing

/// The questions about an error that apps ask most often, and an app's own messages.
@Suite struct ErrorKindsTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let domain: NetworkError.Domain
    let codes: [NetworkError.Code]
    let kind: String

    var testDescription: String { "\(domain) \(codes): \(kind)" }
  }

  private static let cases = [
    Case(domain: .network, codes: [.timedOut], kind: "timeout"),
    Case(domain: .client, codes: [.recoveryTimedOut], kind: "timeout"),
    Case(domain: .server, codes: [408, 504], kind: "timeout"),
    Case(domain: .client, codes: [.unreachable], kind: "offline"),
    Case(domain: .network, codes: [-1009, -1018, -1019, -1020], kind: "offline"),
    Case(domain: .server, codes: [401], kind: "unauthorized"),
    Case(domain: .client, codes: [.cancelled], kind: "cancelled"),
    Case(domain: .network, codes: [.cannotConnect, .cannotFindHost, .connectionLost, -999, 401, 408, 668], kind: ""),
    Case(domain: .client, codes: [.invalidURL, .contextChanged, .timedOut, -1009, 401, 504], kind: ""),
    Case(domain: .server, codes: [400, 403, 404, 407, 500, 502, 503, .cancelled, .timedOut, 668], kind: ""),
    Case(domain: .api, codes: [401, 408, 668, -999, -1001], kind: ""),
    Case(domain: .processing, codes: [.malformedBody, 401, 408, 668, -999, -1001], kind: ""),
  ]

  private func kinds(of error: NetworkError) -> [String] {
    let answers = [
      ("timeout", error.isTimeout), ("offline", error.isOffline), ("unauthorized", error.isUnauthorized),
      ("cancelled", error.isCancelled),
    ]
    return answers.filter(\.1).map(\.0)
  }

  @Test(arguments: cases) func eachErrorIsOfOneKindOrNone(_ expected: Case) {
    for code in expected.codes {
      #expect(kinds(of: NetworkError(expected.domain, code)) == (expected.kind.isEmpty ? [] : [expected.kind]))
    }
  }

  @Test func evidenceTellsWhetherTheDeviceIsOffline() {
    for domain in NetworkError.Domain.allCases {
      for evidence in [
        Evidence(reachabilityBefore: .unreachable), Evidence(reachabilityAfter: .unreachable),
        Evidence(reachabilityBefore: .reachable, reachabilityAfter: .unreachable),
      ] {
        var error = NetworkError(domain, 1)
        error.attribution = Attribution(.client, evidence: evidence)
        #expect(error.isOffline == (domain == .network))
      }
    }
    var error = NetworkError(.network, .connectionLost)
    error.attribution = Attribution(.path, evidence: Evidence(reachabilityBefore: .reachable))
    #expect(!error.isOffline)
  }

  @Test func aServicesCodeMayMeanThatALoginIsNeeded() {
    var error = NetworkError(.api, 7)
    error.meaning = .needsUpdate
    #expect(!error.isUnauthorized)
    error.meaning = .needsLogin
    #expect(kinds(of: error) == ["unauthorized"])
  }

  @Test func theErrorsOfRequestsAreOfTheirKind() async throws {
    let shop = try Shop()
    shop.server.route("GET", "/stuck") { _ in .never }
    shop.serve("/members", "{}", status: 401)
    let idle = Request(.get, "/stuck", idleTimeout: .milliseconds(100))
    #expect(kinds(of: try await shop.client.failure(of: idle, as: Int.self)) == ["timeout"])
    let total = Request(.get, "/stuck", totalTimeout: .milliseconds(100))
    #expect(kinds(of: try await shop.client.failure(of: total, as: Int.self)) == ["timeout"])
    #expect(kinds(of: try await shop.client.failure(of: "/members", as: Int.self)) == ["unauthorized"])
    let offline = Stubbed { $0.reachability = ManualReachability(.unreachable) }
    #expect(kinds(of: try await offline.client.failure(of: "/x", as: Int.self)) == ["offline"])
  }

  private struct Members: Service {
    let id: ServiceID = "members"
    let messages: ErrorMessages

    func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
      URL(string: "https://a.example/v1").map { ServiceAddresses($0) }
    }
  }

  private static func messages(_ author: String, _ codes: NetworkError.Code...) -> ErrorMessages {
    var messages = ErrorMessages()
    for code in codes { messages[.server, code] = "\(author) \(code)" }
    return messages
  }

  @Test func theRequestsMessageComesBeforeTheServicesBeforeTheClients() async throws {
    let stubbed = Stubbed {
      $0.messages = Self.messages("client", 401, 403, 404)
      $0.services = ServiceRegistry([Members(messages: Self.messages("service", 403, 404, 405))])
    }
    let options = RequestOptions.with {
      $0.messages = Self.messages("request", 404)
      $0.messages[.server, 405] = "  "
    }
    let service = Request(.get, "x", service: "members", options: options)
    for (status, author) in [(401, "client"), (403, "service"), (404, "request"), (405, "service")] {
      stubbed.answer("{}", status: status)
      let error = try await stubbed.client.failure(of: service, as: Int.self)
      #expect(error.message == "\(author) \(status)")
      #expect(error.domain == .server && error.code.rawValue == status)
      let recorder = SignalRecorder(stubbed.client.enqueue(request: service, resultType: Int.self))
      await recorder.waitForEnd()
      #expect(recorder.failure?.message == "\(author) \(status)")
    }
    // Another request of the client has neither the service's nor this request's.
    #expect(try await stubbed.client.failure(of: "x", as: Int.self).message == NetworkError(.server, 405).message)
  }

  @Test func anAppsMessageComesBeforeTheServersText() async throws {
    let stubbed = Stubbed { $0.stages.envelope = .codeMessageData }
    stubbed.answer(#"{"code":7,"msg":"cart v2"}"#)
    #expect(try await stubbed.client.failure(of: "/x", as: Int.self).message == "cart v2")
    let own = Request(.get, "/x", options: .with { $0.messages[.api, 7] = "Your cart has changed." })
    let error = try await stubbed.client.failure(of: own, as: Int.self)
    #expect(error.message == "Your cart has changed." && error.serverMessage == "cart v2")
  }

  @Test func aRequestThatIsNotSentHasTheMessagesToo() async throws {
    let stubbed = Stubbed { $0.messages[.client, .invalidURL] = "Please check the link." }
    #expect(try await stubbed.client.failure(of: "//", as: Int.self).message == "Please check the link.")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      let client = Stubbed { $0.messages[.client, .cancelled] = "Stopped." }.client
      let own = Request(
        .get, "/x",
        options: .with {
          $0.messages[.client, .cancelled] = "The search was stopped."
          $0.presentation = .silent
        })
      return [try await client.failure(of: "/x", as: Int.self), try await client.failure(of: own, as: Int.self)]
    }
    let errors = try await task.value
    #expect(errors.map(\.message) == ["Stopped.", "The search was stopped."])
    #expect(errors.map(\.presentation) == [nil, .silent])
  }

  @Test func aWrongPasswordIsNotAskedToSignInAgain() {
    let error = NetworkError(.server, 401)
    #expect(error.message(in: .english) == "Sign-in is required, or was not accepted.")
    #expect(!error.message(in: .simplifiedChinese).contains("重新"))
  }
}
