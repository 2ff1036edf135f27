import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// What a call says after a token refresh that its request has waited for.
struct CallRefreshTests {
  private static let renewing: @Sendable (NetworkClient) async throws -> Void = { client in
    _ = try await client.send(Request(.post, "/token", parameters: ["refresh_token": "secret"]))
  }

  private func run(_ codes: Set<NetworkError.Code>, _ answer: StubAnswer) async -> Call<String> {
    let kit = TestKit {
      $0.recoveries = [Recovery(codes: codes, scheduler: $0.scheduler, refresh: CallRefreshTests.renewing)]
      $0.retry = .never
    }
    kit.stub.on(.get, "/me", answer)
    kit.stub.on(.post, "/token", .json(#"{"error":"invalid_grant"}"#, status: 400))
    let call = kit.client.call("/me", as: String.self)
    await SignalRecorder(call.signal).waitForEnd()
    return call
  }

  @Test("S1-16") func afterAFailedRefreshACallDescribesItsOwnRequest() async {
    let call = await run([], .json(#"{"reason":"expired"}"#, status: 401, headers: ["X-Own": "1"]))
    expectEqual(call.error?.code, .status(400))
    expectEqual(call.request?.url.path, "/me")
    expectEqual(call.statusCode, 401)
    expectEqual(call.responseHeaders["X-Own"], "1")
    expectEqual(call.text, #"{"reason":"expired"}"#)
    expectEqual(call.json?["reason"].string, "expired")
    expectEqual(call.rawResponse?.request?.url.path, "/me")
  }

  /// The request had no response, and that of the refresh is not its own.
  @Test("S1-16") func withoutAResponseACallHasOnlyItsRequest() async {
    let call = await run([.connectionLost], .failure(NetworkError(.connectionLost)))
    expectEqual(call.error?.code, .status(400))
    expectEqual(call.request?.url.path, "/me")
    expectNil(call.statusCode)
    expectNil(call.text)
  }

  /// The attempt before the last one is not what needed the refresh.
  @Test("S1-16") func theResponseOfAnEarlierAttemptIsNotThatOfTheLast() async {
    let kit = TestKit {
      $0.recoveries = [
        Recovery(codes: [.connectionLost], scheduler: $0.scheduler, refresh: CallRefreshTests.renewing)
      ]
      $0.retry = Retry(limit: 1, backoff: .constant(.zero))
    }
    kit.stub.on(.get, "/me", .status(500), .failure(NetworkError(.connectionLost)))
    kit.stub.on(.post, "/token", .status(400))
    let call = kit.client.call("/me", as: String.self)
    await SignalRecorder(call.signal).waitForEnd()
    expectEqual(kit.stub.requests.map(\.url.path), ["/me", "/me", "/token"])
    expectEqual(call.error?.code, .status(400))
    expectEqual(call.request?.url.path, "/me")
    expectNil(call.statusCode)
  }

  @Test("S1-16") func aJoinedCallDescribesTheSharedRequest() async {
    let kit = TestKit {
      $0.recoveries = [Recovery(scheduler: $0.scheduler, refresh: CallRefreshTests.renewing)]
    }
    // Both calls have started before the response.
    kit.stub.on(.get, "/me", .status(401).delayed(by: .seconds(1)))
    kit.stub.on(.post, "/token", .status(400))
    let lane = Lane(.exclusive(.join))
    let calls = (0..<2).map { _ in kit.client.call("/me", as: String.self, in: lane) }
    let ends = calls.map { SignalRecorder($0.signal) }
    await kit.clock.advance(by: .seconds(1))
    for end in ends { await end.waitForEnd() }
    expectEqual(kit.stub.requests.count, 2)
    expectEqual(calls.map { $0.error?.code }, [.status(400), .status(400)])
    expectEqual(calls.map(\.statusCode), [401, 401])
    expectEqual(calls.map { $0.request?.url.path }, ["/me", "/me"])
  }

  @Test("S1-16") func afterARefreshThatHangsACallDescribesItsOwnRequest() async {
    let kit = TestKit {
      $0.recoveries = [Recovery(scheduler: $0.scheduler) { Signal<Void, NetworkError>.never }]
    }
    kit.stub.on(.get, "/me", .status(401))
    let call = kit.client.call("/me", as: String.self)
    let end = SignalRecorder(call.signal)
    await kit.clock.advance(by: .seconds(30))
    await end.waitForEnd()
    expectEqual(call.error?.code, .recoveryTimedOut)
    expectEqual(call.statusCode, 401)
    expectEqual(call.request?.url.path, "/me")
  }
}
