import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

/// One subscription of a request.
struct RequestRunTests {
  private let kit = TestKit()

  /// A request that counts how often it is created.
  private struct Counted: RequestConvertible {
    let count = CurrentValue(0)
    var options = RequestOptions()

    func asRequest() throws(NetworkError) -> Request {
      count.modify { $0 += 1 }
      return Request(.get, "/a", headers: ["Number": "\(count.value)"], options: options)
    }
  }

  @Test func aRequestIsCreatedOnceForEachAttempt() async {
    var counted = Counted()
    counted.options.retry = Retry(limit: 2, backoff: .constant(.zero))
    kit.stub.on(.get, "/a", .status(503), .status(503), .text("a"))
    let recorder = SignalRecorder(kit.client.enqueue(request: counted, resultType: String.self))
    await kit.clock.advance(by: .seconds(1))
    expect(recorder.isCompleted)
    expectEqual(counted.count.value, 3)
    expectEqual(kit.stub.requests.map { $0.headers["Number"] }, ["1", "2", "3"])
  }

  /// The token may have changed while the cache was asked.
  @Test func theNetworkAfterTheCacheHasARequestOfItsOwn() async {
    var counted = Counted()
    counted.options.cache = .cacheThenNetwork
    counted.options.retry = Retry(limit: 1, backoff: .constant(.zero))
    kit.stub.on(.get, "/a", .text("a"))
    let recorder = SignalRecorder(kit.client.enqueue(request: counted, resultType: String.self))
    await kit.clock.advance(by: .seconds(1))
    expect(recorder.isCompleted)
    expectEqual(kit.stub.requests.map { $0.headers["Number"] }, ["2"])
  }

  /// The stored response is no result of the attempt that follows it.
  @Test func theNetworkAfterTheCacheIsRetried() async {
    kit.stub.on(.get, "/a", .text("a"), .status(503), .text("b"))
    let request = Request(
      .get, "/a", retry: Retry(limit: 1, backoff: .none), cache: .cacheThenNetwork)
    let signal = kit.client.enqueue(request: request, resultType: String.self).map(\.value)
    let recorders = [SignalRecorder(signal), SignalRecorder(signal)]
    for recorder in recorders { await recorder.waitForEnd() }
    expectEqual(recorders.map(\.values), [["a"], ["a", "b"]])
  }

  /// Calls a closure before each request is sent.
  private struct Stopper: RequestFilter, Middleware {
    var stopsInMiddleware = false
    let stop: @Sendable () -> Void

    func filter(_ draft: inout RequestDraft) throws(NetworkError) { if !stopsInMiddleware { stop() } }

    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      if stopsInMiddleware { stop() }
      return next(request)
    }
  }

  private static let functions: [@Sendable (NetworkClient) -> Signal<Void, NetworkError>] = [
    { $0.enqueue(request: Request(.post, "/a"), resultType: Int.self).map { _ in } },
    { $0.upload(request: Request(.post, "/a"), resultType: Int.self).map { _ in } },
    { $0.outcomes(of: Request(.post, "/a"), as: Int.self).map { _ in } },
    { $0.stream(request: Request(.post, "/a")).map { _ in } },
    { $0.lines(request: Request(.post, "/a")).map { _ in } },
    { client in
      let file = URL.temporaryDirectory.appending(path: "heliograph-\(UUID().uuidString)")
      return client.download(request: Request(.post, "/a"), to: file).map { _ in }
    },
  ]

  @Test(arguments: functions.indices, [false, true])
  func aRequestThatIsDisposedWhileItStartsIsNotSent(_ function: Int, _ inMiddleware: Bool) async {
    kit.stub.on(.post, "/a", .json("1"))
    for hasHandler in [false, true] {
      let stop = PublishSubject<Void, NetworkError>()
      let stopper = Stopper(stopsInMiddleware: inMiddleware) { stop.send(()) }
      let client = kit.makeClient {
        $0.filters = [stopper]
        $0.middleware = [stopper]
        if hasHandler { $0.onUnauthorized = { _ in } }
      }
      let recorder = SignalRecorder(Self.functions[function](client).take(until: stop.signal))
      await recorder.waitForEnd()
      expect(recorder.isCompleted)
      expect(kit.stub.requests.isEmpty, "\(hasHandler)")
    }
  }

  @Test func aCoalescedRequestThatIsDisposedWhileItStartsIsNotSent() async {
    kit.stub.on(.get, "/a", .json("1"))
    let stop = PublishSubject<Void, NetworkError>()
    let client = kit.makeClient { $0.middleware = [Stopper(stopsInMiddleware: true) { stop.send(()) }] }
    let request = Request(.get, "/a", options: .with { $0.isCoalesced = true })
    let recorder = SignalRecorder(client.exchange(request: request).take(until: stop.signal))
    await recorder.waitForEnd()
    expect(kit.stub.requests.isEmpty)
  }

  @Test func anotherSubscriptionIsAnotherRun() async {
    let counted = Counted()
    kit.stub.on(.get, "/a", .text("a"))
    let signal = kit.client.enqueue(request: counted, resultType: String.self)
    expectEqual(counted.count.value, 0)
    let recorders = [SignalRecorder(signal), SignalRecorder(signal)]
    await kit.clock.advance(by: .seconds(1))
    expect(recorders.allSatisfy(\.isCompleted))
    expectEqual(kit.stub.requests.map { $0.headers["Number"] }, ["1", "2"])
    expect(kit.stub.requests.first?.id != kit.stub.requests.last?.id)
  }

  /// A call that a refresh starts is visible, and can be cancelled, like any other.
  @Test @MainActor func aCallOfARefreshIsACallOfTheClient() {
    kit.stub.on(.get, "/token", .never)
    let refreshing = NetworkClient(kit.client.scope.refreshing(as: nil))
    let call = refreshing.call("/token", as: String.self)
    call.start()
    expectEqual(kit.client.callIDs.count, 1)
    kit.client.cancelCalls(kit.client.callIDs)
    expect(kit.client.callIDs.isEmpty)
    expect(refreshing.configuration.recoveries.isEmpty)
  }
}
