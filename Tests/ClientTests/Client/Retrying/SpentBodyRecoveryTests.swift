import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// A 401 to a request whose body was read and cannot be read again: the refresh is for the requests after it.
struct SpentBodyRecoveryTests {
  private static let refusal = "; not retried: the body is a stream that cannot be read again"

  private let kit = TestKit()
  private let token = CurrentValue("old")
  private let refreshCount = CurrentValue(0)
  private let rejections = CurrentValue<[NetworkError]>([])

  init() {
    kit.stub.on("*", "/film") { .status($0.headers["Authorization"] == "Bearer new" ? 201 : 401) }
  }

  private func client(
    _ recovery: Recovery? = nil, _ configure: (inout NetworkClient.Configuration) -> Void = { _ in }
  ) -> NetworkClient {
    kit.makeClient { [token, refreshCount, rejections] in
      $0.middleware = [.bearer { token.value }]
      $0.monitors = [MonitorLog()]
      $0.onUnauthorized = { error in rejections.modify { $0.append(error) } }
      $0.recoveries = [
        recovery
          ?? Recovery(limit: 1, scheduler: $0.scheduler) { () -> Signal<Void, NetworkError> in
            refreshCount.modify { $0 += 1 }
            token.value = "new"
            return .just(())
          }
      ]
      configure(&$0)
    }
  }

  private var relayed: Request {
    let pieces = AsyncStream<Data> { continuation in
      continuation.yield(Data("film".utf8))
      continuation.finish()
    }
    return Request(.put, "/film", body: .stream(BodyStream(readingOnce: pieces), contentType: "a/b"))
  }

  private func failure(_ client: NetworkClient, _ request: Request? = nil) async -> NetworkError? {
    let recorder = SignalRecorder(client.enqueue(request: request ?? relayed, resultType: NoContent.self))
    await recorder.waitForEnd()
    return recorder.failure
  }

  @Test("P5", arguments: [0, 2]) func theNextRequestHasTheNewToken(_ retryLimit: Int) async throws {
    let client = client { $0.retry = Retry(limit: retryLimit) }
    let error = try require(await failure(client))
    expectEqual(error.code, .status(401))
    expectEqual(error.reason, "HTTP status 401" + Self.refusal)
    expectEqual(error.request?.headers["Authorization"], "Bearer old")
    let lines = error.explanation.split(separator: "\n").map(String.init)
    let refresh = try require(lines.firstIndex { $0.contains("token refresh, because of server error 401") })
    expect(lines[(refresh + 1)...].contains { $0.contains("not retried: the body is a stream") }, "\(lines)")
    expect(!lines[refresh...].contains { $0.contains("attempt 2") })
    await expectNil(failure(client))
    expectEqual(refreshCount.value, 1)
    expectEqual(kit.stub.requests.count, 2)
    expect(rejections.value.isEmpty, "nothing is signed out")
  }

  @Test("P5") func theRefreshIsSharedWithARequestThatIsRepeated() async {
    let clock = VirtualScheduler()
    let begun = CurrentValue(0)
    let client = client(
      Recovery(scheduler: clock) { [token] in
        begun.modify { $0 += 1 }
        return Signal<Void, NetworkError>.timer(after: .seconds(1), on: clock).on(completion: { token.value = "new" })
      })
    let requests = [relayed, Request(.put, "/film", body: .data(Data("film".utf8), contentType: "a/b")), relayed]
    let recorders = requests.map { SignalRecorder(client.enqueue(request: $0, resultType: NoContent.self)) }
    await kit.stub.requested(3)
    await until { begun.value == 1 }
    expect(recorders.allSatisfy { !$0.hasEnded })
    clock.advance(by: .seconds(1))
    for recorder in recorders { await recorder.waitForEnd() }
    expectEqual(recorders.map { $0.failure?.code }, [.status(401), nil, .status(401)])
    expectEqual(begun.value, 1)
    expectEqual(kit.stub.requests.count, 4)
    expect(rejections.value.isEmpty)
  }

  @Test("P5", arguments: [401, 503]) func aRefreshThatFailsFailsIt(_ status: Int) async {
    kit.stub.on(.post, "/token", .status(status))
    let client = client(
      Recovery(scheduler: kit.clock) { $0.enqueue(request: Request(.post, "/token"), resultType: NoContent.self) })
    let error = await failure(client)
    expectEqual(error?.code, .status(status))
    expectEqual(error?.response?.url.path, "/token")
    // The handler is called after the request has failed.
    if status == 401 { await until { !rejections.value.isEmpty } }
    expectEqual(rejections.value.map(\.code), status == 401 ? [.status(401)] : [])
    expectEqual(kit.stub.requests.count, 2)
  }

  @Test("P5") func aServerThatRejectsFreshTokensHasRejectedThem() async {
    kit.stub.on(.put, "/film", .status(401))
    let client = client()
    await expectEqual(failure(client)?.code, .status(401))
    expect(rejections.value.isEmpty)
    await expectEqual(failure(client)?.code, .recoveryRefused)
    expectEqual(refreshCount.value, 1)
    await until { !rejections.value.isEmpty }
    expectEqual(rejections.value.map(\.code), [.recoveryRefused])
  }

  /// A request that waits for a network would be sent again without its body.
  @Test("P5") func itDoesNotWaitForTheNetworkOfARefresh() async {
    let client = client(Recovery(scheduler: kit.clock) { Signal<Void, NetworkError>.fail(NetworkError(.unreachable)) })
    {
      $0.waitsForConnectivity = true
    }
    await expectEqual(failure(client)?.code, .unreachable)
    expectEqual(kit.stub.requests.count, 1)
    expect(rejections.value.isEmpty)
  }

  /// Reads the app's stream, and sends other bytes.
  private struct Buffering: Middleware {
    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      guard case .stream(let stream) = request.body else { return next(request) }
      _ = stream.open()
      var request = request
      request.body = .data(Data("film".utf8))
      return next(request)
    }
  }

  @Test("P5") func aBodyThatMiddlewareHasReadIsNotSentAgain() async {
    let client = client { $0.middleware.append(Buffering()) }
    await expectEqual(failure(client)?.reason, "HTTP status 401" + Self.refusal)
    expectEqual(kit.stub.requests.count, 1)
  }

  @Test("P5") func withoutARecoveryItIsRejected() async {
    let client = client { $0.recoveries = [] }
    let error = await failure(client)
    expectEqual(error?.reason, "HTTP status 401")
    await until { !rejections.value.isEmpty }
    expectEqual(rejections.value.count, 1)
  }
}
