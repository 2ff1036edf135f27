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
  @Test("S1-16") func withoutAResponseACallHasNone() async {
    let call = await run([.connectionLost], .failure(NetworkError(.connectionLost)))
    expectEqual(call.error?.code, .status(400))
    expectNil(call.request)
    expectNil(call.statusCode)
    expectNil(call.text)
  }
}
