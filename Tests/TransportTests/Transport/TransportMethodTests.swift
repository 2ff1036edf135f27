import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Methods with and without a body, over each transport there is.
struct TransportMethodTests {
  let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
    server.route("*", "/echo") { .data($0.body) }
  }

  private func send(
    _ kind: TransportKind, _ method: HTTPMethod, _ body: HTTPBody = .empty
  ) async throws -> (recorder: SignalRecorder<TransportEvent, NetworkError>, request: LoopbackRequest) {
    let recorder = SignalRecorder(
      try kind.transport().send(HTTPRequest(method: method, url: server.url("/echo"), body: body)))
    await recorder.waitForEnd()
    expect(recorder.isCompleted)
    return (recorder, try require(server.log.requests.last))
  }

  @Test("S1-11", arguments: TransportKind.present, [HTTPMethod.post, .put, .patch])
  func anEmptyBodyIsAnnouncedWhereOneIsExpected(_ kind: TransportKind, _ method: HTTPMethod) async throws {
    let (_, request) = try await send(kind, method)
    expectEqual(request.method, method)
    expectEqual(request.header("Content-Length"), "0")
    expectNil(request.header("Content-Type"))
  }

  @Test("S1-11", arguments: TransportKind.present, [HTTPMethod.get, .delete, .options, .head, "PURGE", "M-SEARCH"])
  func nothingIsAnnouncedWhereNoneIs(_ kind: TransportKind, _ method: HTTPMethod) async throws {
    let (recorder, request) = try await send(kind, method)
    expectEqual(request.method, method)
    expect(request.body.isEmpty)
    for name in ["Transfer-Encoding", "Content-Type", "Expect"] { expectNil(request.header(name)) }
    // On Linux, URLSession announces an empty body with every method but GET and HEAD.
    expect(request.header("Content-Length") == nil || (kind == .urlSession && request.header("Content-Length") == "0"))
    guard case .head(let head)? = recorder.values.first else {
      Issue.record("no head came")
      return
    }
    expectEqual(head.statusCode, 200)
    expectEqual(head.headers["Content-Length"], "0")
  }

  @Test("S1-11", arguments: TransportKind.present, [HTTPMethod.get, .delete, .patch, "REPORT"])
  func anyMethodMayHaveABody(_ kind: TransportKind, _ method: HTTPMethod) async throws {
    // See `aGetWithABodyIsRefused`.
    if kind == .urlSession, method == .get { return }
    let (recorder, request) = try await send(kind, method, .data(Data("body".utf8)))
    expectEqual(request.method, method)
    expectEqual(request.bodyText, "body")
    expect(recorder.values.contains(.body(Data("body".utf8))))
  }

  @Test func aGetWithABodyIsRefused() async throws {
    let stream = BodyStream { BodyStream.pieces(of: [Data("a".utf8)]) }
    for body in [HTTPBody.data(Data("body".utf8)), .stream(stream)] {
      let recorder = SignalRecorder(
        URLSessionTransport().send(HTTPRequest(method: .get, url: server.url("/a"), body: body)))
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.code, .invalidBody)
    }
    expectEqual(server.log.acceptedCount, 0)
  }

  /// The session would send them in capitals, which are other methods.
  @Test(arguments: ["get", "Post", "connect"] as [HTTPMethod])
  func aMethodThatTheSessionWouldChangeIsRefused(_ method: HTTPMethod) async throws {
    let recorder = SignalRecorder(URLSessionTransport().send(HTTPRequest(method: method, url: server.url("/echo"))))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .invalidMethod)
    expectEqual(server.log.acceptedCount, 0)
  }

  @Test(arguments: TransportKind.present, ["patch", "Purge"] as [HTTPMethod])
  func anyOtherMethodIsSentAsItIsWritten(_ kind: TransportKind, _ method: HTTPMethod) async throws {
    let (_, request) = try await send(kind, method)
    expectEqual(request.method, method)
  }

  /// libcurl alone would send the request a second time, without the field.
  @Test(.enabled(if: CurlTransport.isAvailable)) func anExpectationThatIsRefusedIsAnAnswer() async throws {
    server.route("POST", "/refused") { _ in .text("no", status: 417) }
    let request = HTTPRequest(
      method: .post, url: server.url("/refused"), headers: ["Expect": "100-continue"], body: .data(Data("body".utf8)),
      isIdempotent: true)
    let recorder = SignalRecorder(try CurlTransport().send(request))
    await recorder.waitForEnd()
    guard case .head(let head)? = recorder.values.first else {
      Issue.record("no head came")
      return
    }
    expectEqual(head.statusCode, 417)
    expect(recorder.isCompleted)
    expect(recorder.values.contains(.body(Data("no".utf8))))
    expectEqual(server.log.requests.map(\.bodyText), ["body"])
  }

  @Test(arguments: TransportKind.present) func aHeadAnswerHasALengthAndNoBody(_ kind: TransportKind) async throws {
    server.route("GET", "/page") { _ in .text("some text") }
    let transport = try kind.transport()
    // Twice: a connection on which a body was waited for could not be used again.
    for _ in 0..<2 {
      let recorder = SignalRecorder(transport.send(HTTPRequest(method: .head, url: server.url("/page"))))
      await recorder.waitForEnd()
      expect(recorder.isCompleted)
      expect(!recorder.values.contains { if case .body = $0 { true } else { false } })
      guard case .head(let head)? = recorder.values.first else {
        Issue.record("no head came")
        return
      }
      expectEqual(head.headers["Content-Length"], "9")
    }
    expectEqual(server.log.acceptedCount, 1)
  }
}
