import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// The failures that end an event stream.
struct EventFailureTests {
  private let kit = TestKit()

  @Test(arguments: [401, 403, 404, 410, 501]) func anyOtherStatusFails(_ status: Int) async {
    kit.stub.on(.get, "/events", .text("why", status: status))
    let recorder = kit.events()
    expectEqual(recorder.failure?.domain, .server)
    expectEqual(recorder.failure?.statusCode, status)
    expectEqual(recorder.failure?.response?.value, Data("why".utf8))
    await kit.clock.advance(by: .seconds(60))
    expectEqual(kit.stub.requests.count, 1)
  }

  @Test func aSuccessOtherThan200Fails() {
    kit.stub.on(.get, "/events", .data(Data("data: a\n\n".utf8), contentType: "text/event-stream", status: 202))
    let recorder = kit.events()
    expectEqual(recorder.failure?.code, .status(202))
    expectEqual(recorder.events.count, 1)
    expectEqual(recorder.failure?.reason, "HTTP status 202: expected 200 with an event stream")
  }

  @Test func anotherTypeFailsWithTheResponse() async {
    kit.stub.on(.get, "/events", .data(Data("data: a\n\n".utf8), contentType: "text/html; charset=utf-8"))
    let recorder = kit.events()
    expectEqual(recorder.failure?.code, .unacceptableType)
    expectEqual(recorder.failure?.reason, #"Content-Type text/html; charset=utf-8: expected text/event-stream"#)
    expectEqual(recorder.failure?.response?.headers["Content-Type"], "text/html; charset=utf-8")
    expectEqual(recorder.failure?.request?.url.path, "/events")
    await kit.clock.advance(by: .seconds(60))
    expectEqual(kit.stub.requests.count, 1)
    expectEqual(kit.stub.activeCount, 0)
  }

  @Test(arguments: [NetworkError.Code.untrustedCertificate, .rejectedClientCertificate])
  func aRejectedCertificateFails(_ code: NetworkError.Code) {
    kit.stub.on(.get, "/events", .failure(NetworkError(code)))
    expectEqual(kit.events().failure?.code, code)
  }

  @Test(arguments: [-1022, -995, -1100, -1002])
  func aCauseInTheAppFailsAtOnce(_ number: Int) {
    kit.stub.on(.get, "/events", .failure(NetworkError(.network(number))))
    expectEqual(kit.events().failure?.code, .network(number))
  }

  @Test func anEventBeyondTheLimitFails() async {
    kit.stub.on(.get, "/events", .events("data: a\n\ndata: " + String(repeating: "b", count: 50)))
    var request = Request(.get, "/events")
    request.options.limits = ResponseLimits(lineByteCount: 40)
    let recorder = SignalRecorder(kit.client.events(request: request))
    expectEqual(recorder.values.count, 1)
    expectEqual(recorder.failure?.code, .responseTooLarge)
    expectEqual(recorder.failure?.statusCode, 200)
    await kit.clock.advance(by: .seconds(60))
    expectEqual(kit.stub.requests.count, 1)
  }

  @Test func aChangedAccountFailsAlsoDuringADelay() async {
    let account = CurrentValue<String?>("ann")
    let kit = TestKit { $0.account = account }
    kit.stub.on(.get, "/events", StubAnswer(StubAnswer.events("data: a\n\n").steps + [.never]))
    let open = SignalRecorder(kit.client.events(request: "/events"))
    account.value = "ben"
    expectEqual(open.values.count, 1)
    expectEqual(open.failure?.code, .contextChanged)
    expectEqual(kit.stub.activeCount, 0)
    kit.stub.on(.get, "/events", .events("data: a\n\n"))
    let waiting = SignalRecorder(kit.client.events(request: "/events"))
    expect(!waiting.hasEnded)
    expectEqual(kit.clock.pendingCount, 1)
    account.value = nil
    expectEqual(waiting.failure?.code, .contextChanged)
    expectEqual(kit.clock.pendingCount, 0)
    await kit.clock.advance(by: .seconds(60))
    expectEqual(kit.stub.requests.count, 2)
  }
}
