import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// The samples of Docs/Errors.md about what an error is and says.
struct ErrorSamples {
  private let server: LoopbackServer
  private let shopURL: URL

  init() throws {
    server = try LoopbackServer()
    shopURL = server.baseURL
  }

  @Test func theDomainSaysWhere() async throws {
    server.route("GET", "/lamps/7") { _ in .status(404) }
    let client = NetworkClient(.init(baseURL: shopURL))
    var shown: [String] = []
    // sample: domains
    do {
      _ = try await client.value(of: "/lamps/7", as: JSON.self)
    } catch {
      switch error.code {
      case .contextChanged: break  // load again
      case .status(404): shown.append("This lamp is sold out.")
      case _ where error.meaning == .needsLogin: shown.append("Please sign in.")
      default: shown.append(error.message)
      }
      print(error)  // server error 404: HTTP status 404 (GET http://127.0.0.1:8080/lamps/7)
    }
    // end sample
    expectEqual(shown, ["This lamp is sold out."])
    let recorder = SignalRecorder(client.enqueue(request: "/lamps/7", resultType: JSON.self))
    await recorder.waitForEnd()
    let line = recorder.failure.map { "\($0)" }
    expectEqual(line, "server error 404: HTTP status 404 (GET \(server.url("/lamps/7").absoluteString))")
  }

  @Test func anAttributionHasItsEvidence() async throws {
    server.route("GET", "/lamps") { _ in .script([.reset]) }
    let client = NetworkClient(.init(baseURL: shopURL))
    // sample: attribution
    do {
      _ = try await client.value(of: "/lamps", as: JSON.self)
    } catch {
      print(error.attribution.party)  // undetermined: no other host has answered lately
      if let evidence = error.attribution.evidence {
        print(evidence.reachabilityAfter, evidence.otherHosts, evidence.receivedByteCount)
      }
    }
    // end sample
    let recorder = SignalRecorder(client.enqueue(request: "/lamps", resultType: JSON.self))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.attribution.party, .undetermined)
    expect(recorder.failure?.attribution.evidence != nil)
  }

  @Test func anAppHasItsOwnWords() async throws {
    server.route("GET", "/lamps") { _ in .status(503) }
    // sample: own-words
    var configuration = NetworkClient.Configuration(baseURL: shopURL)
    let isChinese = UserLanguage.current == .simplifiedChinese
    configuration.messages[.status(503)] = isChinese ? "我们正在维修。" : "We are repairing things."
    let client = NetworkClient(configuration)
    // end sample
    let recorder = SignalRecorder(client.enqueue(request: "/lamps", resultType: JSON.self))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.message, configuration.messages[.status(503)])
    expectEqual(recorder.failure?.code, .status(503))
  }

  @Test func wordsAreInTwoLanguages() {
    // sample: languages
    let error = NetworkError(.status(404))
    print(error.message(in: .english))  // This couldn't be found.
    print(error.message(in: .simplifiedChinese))  // 未找到相关内容。
    print(UserLanguage(preferred: ["de-DE", "zh-Hans-CN"]))  // simplifiedChinese
    // end sample
    expectEqual(error.message(in: .english), "This couldn't be found.")
    expectEqual(error.message(in: .simplifiedChinese), "未找到相关内容。")
    expectEqual(UserLanguage(preferred: ["de-DE", "zh-Hans-CN"]), .simplifiedChinese)
  }

  @Test func olderCodeGetsAnNSError() {
    // sample: ns-error
    let old = NetworkError(.timedOut).nsError
    print(old.domain == NSURLErrorDomain, old.code == NSURLErrorTimedOut)  // true true
    print(NetworkError(.status(404)).nsError.domain)  // HeliographServerErrorDomain
    print(old.userInfo[NetworkError.domainKey] ?? "")  // network
    // end sample
    expectEqual(old.domain, NSURLErrorDomain)
    expectEqual(old.code, NSURLErrorTimedOut)
    expectEqual(NetworkError(.status(404)).nsError.domain, "HeliographServerErrorDomain")
    expectEqual(old.userInfo[NetworkError.domainKey] as? String, "network")
    let names = NetworkError.Domain.allCases.map {
      "\($0.rawValue) \(NetworkError(NetworkError.Code($0, 7)).nsError.domain)"
    }
    expectEqual(
      names,
      [
        "client HeliographClientErrorDomain", "network NSURLErrorDomain", "server HeliographServerErrorDomain",
        "api HeliographAPIErrorDomain", "processing HeliographProcessingErrorDomain",
      ])
    expectEqual(NetworkError(.invalidEnvelope).nsError.code, NSURLErrorBadServerResponse)
  }

  @Test func theBodyOfAnErrorIsAValue() async throws {
    server.route("POST", "/orders") { _ in .json(#"{"title":"There are two left.","left":2}"#, status: 409) }
    let client = NetworkClient(.init(baseURL: shopURL))
    // sample: error-body
    struct Problem: Decodable { let title: String, left: Int }
    let order = Request(.post, "/orders", parameters: ["item": 7, "count": 3])
    do {
      _ = try await client.value(of: order, as: NoContent.self)
    } catch {
      guard error.code == .status(409) else { throw error }
      let problem = try error.decode(as: Problem.self)
      print(problem.title, problem.left)  // There are two left. 2
    }
    // end sample
    let recorder = SignalRecorder(client.enqueue(request: order, resultType: NoContent.self))
    await recorder.waitForEnd()
    try expectEqual(recorder.failure?.decode(as: Problem.self).left, 2)
  }
}
