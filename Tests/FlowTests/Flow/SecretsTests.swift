import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Each kind of secret, each way to leave the origin, over each transport: what is the client's own stays at home.
struct SecretsTests {
  /// Keeps what a client says of its work.
  private final class Diary: Monitor {
    private let written = Guarded<(lines: [String], dumps: [String])>(([], []))

    var lines: [String] { written.withLock { $0.lines } }
    var dumps: [String] { written.withLock { $0.dumps } }

    func observe(_ event: MonitorEvent) {
      let line = Guarded("")
      ConsoleMonitor(write: { text in line.withLock { $0 = text } }).observe(event)
      let text = line.withLock { $0 }
      written.withLock {
        $0.lines.append(text)
        $0.dumps.append("\(event)")
      }
    }
  }

  private struct Outcome {
    let own: [LoopbackRequest]
    let other: [LoopbackRequest]
    let error: NetworkError?
    let diary: Diary
  }

  private func send(_ secret: SecretKind, _ exit: SecretExit, _ transport: TransportKind) async throws -> Outcome {
    let own = try LoopbackServer()
    let other = try LoopbackServer()
    let redirect = exit.redirect(to: other.port)
    own.route("*", "/leave") { _ in
      redirect.map { .redirect(to: $0.location, status: $0.status) } ?? .text("stayed")
    }
    own.route("GET", "/login") { _ in .text("in").header("Set-Cookie", "session=\(secret.text); Path=/") }
    other.route("*", "/*") { _ in .text("arrived") }
    let diary = Diary()
    var configuration = try secret.configuration(at: own.baseURL, transport.transport())
    configuration.monitors = [diary]
    let client = NetworkClient(configuration)
    if secret == .cookieJar { await SignalRecorder(client.exchange(request: "/login")).waitForEnd() }
    own.forgetRequests()
    let recorder = SignalRecorder(
      client.enqueue(request: try request(secret, exit, own: own, other: other), transform: { $0.statusCode }))
    await recorder.waitForEnd()
    expect(recorder.hasEnded, "\(secret), \(exit)")
    return Outcome(own: own.log.requests, other: other.log.requests, error: recorder.failure, diary: diary)
  }

  private func request(
    _ secret: SecretKind, _ exit: SecretExit, own: LoopbackServer, other: LoopbackServer
  ) throws -> Request {
    switch exit {
    case .absolute: return secret.request("http://localhost:\(other.port)/arrive")
    case .shouted: return secret.request("HTTP://LOCALHOST:\(other.port)/arrive")
    case .disguised: return secret.request("http://127.0.0.1:\(own.port)@localhost:\(other.port)/arrive")
    case .query: return secret.request("/leave?next=http://localhost:\(other.port)/arrive")
    case .base:
      var request = secret.request("/arrive")
      request.options.address = .custom(try require(URL(string: "http://localhost:\(other.port)")))
      return request
    default: return secret.request("/leave")
    }
  }

  private func holds(_ request: LoopbackRequest, _ secret: SecretKind) -> Bool {
    let parts = [request.target, request.bodyText] + request.headers.map(\.value)
    return parts.contains { $0.lowercased().contains(secret.text) }
  }

  @Test("P13", arguments: TransportKind.present, SecretExit.allCases)
  func noSecretLeavesItsOrigin(_ transport: TransportKind, _ exit: SecretExit) async throws {
    for secret in SecretKind.allCases {
      // A cookie is for all ports of its host (RFC 6265 §8.5).
      if secret == .cookieJar, case .port = exit { continue }
      // `URLSession` on Linux takes no scheme in capitals.
      if transport == .urlSession, case .shouted = exit, secret.isOfRequest { continue }
      let outcome = try await send(secret, exit, transport)
      let context: Comment = "\(secret), \(exit): \(outcome.error?.description ?? "no error")"
      // Otherwise the test would show nothing: where it belongs, it goes.
      let isSent = exit.passesOwnServer ? outcome.own.first : secret.isOfRequest ? outcome.other.first : nil
      if let isSent {
        expect(holds(isSent, secret), context)
      } else {
        expect(!exit.passesOwnServer, context)
        expect((!secret.isOfRequest || !exit.isDirect), context)
      }
      if !exit.isDirect || !secret.isOfRequest {
        expect(outcome.other.filter { holds($0, secret) }.isEmpty, context)
      }
      expectSilence(outcome, secret, context)
    }
  }

  /// No line of a log and no description says a secret.
  private func expectSilence(_ outcome: Outcome, _ secret: SecretKind, _ context: Comment) {
    var texts = outcome.diary.lines
    expect(!texts.isEmpty, context)
    if let error = outcome.error { texts += [error.description, error.reason, error.message, "\(error)"] }
    for text in texts { expect(!text.lowercased().contains(secret.text), "\(context.rawValue): \(text)") }
  }

  @Test("P13", arguments: [SecretExit.query, .redirect(307), .user, .scheme, .disguised, .absolute])
  func noSecretIsInAnNSErrorOrADumpOfAnEvent(_ exit: SecretExit) async throws {
    for secret in SecretKind.allCases {
      let outcome = try await send(secret, exit, TransportKind.present[0])
      var texts = outcome.diary.dumps
      if let error = outcome.error {
        texts += [(error as NSError).userInfo, error.nsError.userInfo].map { "\($0)" }
      }
      for text in texts { expect(!text.lowercased().contains(secret.text), "\(secret), \(exit): \(text)") }
    }
  }

  @Test("P13", arguments: SecretKind.allCases) func noSecretGoesFromHTTPSToHTTP(_ secret: SecretKind) throws {
    let stub = StubTransport()
    let own = try require(URL(string: "https://own.example"))
    for method in [HTTPMethod.get, .post] {
      stub.on(method, "/leave", .status(307, headers: ["Location": "http://own.example/arrive"]))
    }
    let client = NetworkClient(try secret.configuration(at: own, stub))
    let recorder = SignalRecorder(client.exchange(request: secret.request("/leave")))
    expectEqual(recorder.failure?.code, .insecureRedirect)
    expectEqual(stub.requests.map(\.url.path), ["/leave"])
  }
}
