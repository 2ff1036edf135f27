import Foundation
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// An order is sent again after a refresh only with evidence that the server has not received it.
struct ReplayEvidenceTests {
  /// Does its own work around the exchange of each request but that for a token.
  private struct Own: Middleware {
    let work: @Sendable (HTTPRequest, @escaping Next) -> Signal<TransportEvent, NetworkError>

    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      request.url.path == "/token" ? next(request) : work(request, next)
    }
  }

  private static let refusal = "not retried: the request is not idempotent; set an idempotency key or isIdempotent"
  private let clock = VirtualScheduler()
  private let stub: StubTransport

  init() {
    stub = StubTransport(scheduler: clock)
    stub.on(.post, "/token", .status(204))
  }

  private func configuration(_ middleware: [any Middleware] = []) -> NetworkClient.Configuration {
    var configuration = NetworkClient.Configuration(
      baseURL: URL(string: "https://a.example"), services: [], transport: stub)
    (configuration.scheduler, configuration.processing) = (clock, .immediate)
    configuration.reachability = UnwatchedReachability()
    configuration.middleware = middleware
    let codes: Set<NetworkError.Code> = [.connectionLost, .cannotConnect, .timedOut, .transformFailed]
    configuration.recoveries = [
      Recovery(scheduler: clock) { client in
        client.enqueue(request: Request(.post, "/token"), resultType: NoContent.self)
      },
      Recovery(statuses: [], codes: codes, scheduler: clock) { client in
        client.enqueue(request: Request(.post, "/token"), resultType: NoContent.self)
      },
    ]
    return configuration
  }

  private func failure(_ configuration: NetworkClient.Configuration) -> NetworkError? {
    let order = Request(.post, "/orders")
    let recorder = SignalRecorder(NetworkClient(configuration).enqueue(request: order, resultType: Int.self))
    for _ in 0..<20 { clock.advance(by: .seconds(5)) }
    expect(recorder.hasEnded)
    return recorder.failure
  }

  private var paths: [String] { stub.requests.map(\.url.path) }

  @Test func theSecondLossWithoutMetricsIsNoEvidence() {
    stub.on(.post, "/orders", .status(401), .failure(NetworkError(.connectionLost)), .json("1"))
    expectEqual(failure(configuration())?.reason, Self.refusal)
    expectEqual(paths, ["/orders", "/token", "/orders", "/token"])
  }

  @Test func aTimeLimitOfMiddlewareIsNoEvidence() {
    stub.on(.post, "/orders", .status(401), .never, .json("1"))
    let limited = Own { [clock] request, next in
      let timer = Signal<Void, NetworkError>.timer(after: .seconds(5), on: clock)
      return next(request).take(until: timer.then(Signal<Never, NetworkError>.fail(NetworkError(.timedOut))))
    }
    expectEqual(failure(configuration([limited]))?.reason, Self.refusal)
    expectEqual(paths, ["/orders", "/token", "/orders", "/token"])
  }

  @Test(arguments: [NetworkError.Code.cannotConnect, .connectionLost])
  func aRefusedConnectionIsEvidenceAlsoWithoutMetrics(_ code: NetworkError.Code) {
    stub.on(.post, "/orders", .failure(NetworkError(code)), .json("1"))
    expectEqual(failure(configuration()) == nil, code == .cannotConnect)
    expectEqual(paths, ["/orders", "/token"] + (code == .cannotConnect ? ["/orders"] : []))
  }

  @Test func aConnectionRefusedAfterTheOrderWasSentIsNoEvidence() {
    var (error, metrics) = (NetworkError(.cannotConnect), Metrics())
    metrics.resendCount = 1
    error.metrics = metrics
    stub.on(.post, "/orders", .failure(error), .json("1"))
    expectEqual(failure(configuration())?.reason, Self.refusal)
    expectEqual(paths, ["/orders", "/token"])
  }

  @Test func aConnectionRefusedAfterARedirectIsNoEvidence() {
    stub.on(.post, "/orders", .status(307, headers: ["Location": "/moved"]))
    stub.on(.post, "/moved", .failure(NetworkError(.cannotConnect)))
    expectEqual(failure(configuration())?.reason, Self.refusal)
    expectEqual(paths, ["/orders", "/moved", "/token"])
  }

  @Test(arguments: [false, true]) func theCodeOfMiddlewareIsNoEvidenceOnceTheOrderIsPassedOn(_ passesOn: Bool) {
    stub.on(.post, "/orders", .json("1"))
    let count = CurrentValue(0)
    let failing = Own { request, next in
      count.modify { $0 += 1 }
      if count.value > 1 { return next(request) }
      let failure = Signal<TransportEvent, NetworkError>.fail(NetworkError(.cannotConnect))
      return passesOn ? next(request).collect().flatMap { _ in failure } : failure
    }
    expectEqual(failure(configuration([failing]))?.reason, passesOn ? Self.refusal : nil)
    expectEqual(paths, passesOn ? ["/orders", "/token"] : ["/token", "/orders"])
  }

  @Test func anOrderWhoseKeyIsLostIsNotSentAgain() {
    stub.on(.post, "/orders", .json("1"))
    stub.on(.get, "/key", .failure(NetworkError(.connectionLost)), .status(204))
    var plain = configuration()
    (plain.recoveries, plain.retry) = ([], .never)
    let keys = NetworkClient(plain)
    let decrypting = Own { request, next in
      next(request).collect().flatMap { events in
        keys.enqueue(request: "/key", resultType: NoContent.self).flatMap { _ in .from(events) }
      }
    }
    let error = failure(configuration([decrypting]))
    expectEqual(error?.code, .transformFailed)
    expect(error?.reason.hasSuffix(Self.refusal) == true, "\(String(describing: error))")
    expectEqual(paths, ["/orders", "/key", "/token"])
  }

  @Test(arguments: [false, true]) func anOrderWhoseResponseMiddlewareCannotReadIsNotSentAgain(_ refreshFails: Bool) {
    if refreshFails { stub.on(.post, "/token", .status(400)) }
    stub.on(.post, "/orders", .json("1"))
    let decrypting = Own { request, next in
      next(request).collect().flatMap { _ in .fail(NetworkError(.transformFailed, reason: "no key")) }
    }
    let error = failure(configuration([decrypting]))
    expectEqual(error?.code, .transformFailed)
    expectEqual(error?.reason, "no key; \(Self.refusal)")
    expectEqual(paths, ["/orders", "/token"])
  }

  @Test func anOrderThatMiddlewareSendsByItselfIsNotSentAgain() {
    let count = CurrentValue(0)
    // As over another transport, whose errors name the request.
    let sending = Own { request, _ in
      count.modify { $0 += 1 }
      return .fail(NetworkError(.connectionLost, request: request))
    }
    expectEqual(failure(configuration([sending]))?.reason, Self.refusal)
    expectEqual(count.value, 1)
    expectEqual(paths, ["/token"])
  }

  @Test(arguments: [NetworkError.Code.cannotConnect, .unreachable])
  func theRepetitionOfMiddlewareIsNoEvidence(_ code: NetworkError.Code) {
    stub.on(.post, "/orders", .failure(NetworkError(.connectionLost)), .failure(NetworkError(code)), .json("1"))
    let repeating = Own { request, next in next(request).catch { _ in next(request) } }
    var configuration = configuration([repeating])
    configuration.waitsForConnectivity = true
    expectEqual(failure(configuration)?.code, code)
    expectEqual(paths, ["/orders", "/orders"] + (code == .unreachable ? [] : ["/token"]))
  }

  /// Nothing of it was sent.
  @Test func anOrderThatMiddlewareRepeatsWithoutANetworkWaits() {
    let offline = StubAnswer.failure(NetworkError(.unreachable))
    stub.on(.post, "/orders", offline, offline, .json("1"))
    let repeating = Own { request, next in next(request).catch { _ in next(request) } }
    var configuration = configuration([repeating])
    configuration.waitsForConnectivity = true
    expectNil(failure(configuration))
    expectEqual(paths, ["/orders", "/orders", "/orders"])
  }

  @Test(arguments: [false, true]) func anOrderThatMiddlewareItselfRejectsIsSentAfterTheRefresh(_ refreshFails: Bool) {
    if refreshFails { stub.on(.post, "/token", .status(400)) }
    stub.on(.post, "/orders", .json("1"))
    let count = CurrentValue(0)
    let rejecting = Own { request, next in
      count.modify { $0 += 1 }
      return count.value > 1 ? next(request) : .fail(NetworkError(.status(401), request: request))
    }
    expectEqual(failure(configuration([rejecting]))?.code, refreshFails ? .status(400) : nil)
    expectEqual(paths, refreshFails ? ["/token"] : ["/token", "/orders"])
  }

  @Test(arguments: [StubAnswer.failure(NetworkError(.connectionLost)), .status(503)])
  func theQuestionForItsResultDoesNotRepeatAnOrder(_ answer: StubAnswer) {
    stub.on(.post, "/orders", .status(202))
    stub.on(.get, "/result", answer, .json("1"))
    let polling = Own { request, next in
      next(request).collect().flatMap { _ in
        var poll = HTTPRequest(url: request.url.deletingLastPathComponent().appendingPathComponent("result"))
        poll.headers = request.headers
        return next(poll)
      }
    }
    var configuration = configuration([polling])
    (configuration.recoveries, configuration.retry) = ([], Retry(limit: 1, backoff: .none))
    expect(failure(configuration) != nil)
    expectEqual(paths, ["/orders", "/result"])
  }

  @Test func theFailureOfARefreshDoesNotReplaceThatOfAnOrderThatMayHaveArrived() {
    stub.on(.post, "/token", .status(400))
    stub.on(.post, "/orders", .failure(NetworkError(.connectionLost)))
    let error = failure(configuration())
    expectEqual(error?.code, .connectionLost)
    expectEqual(error?.reason, Self.refusal)
    expectEqual(paths, ["/orders", "/token"])
  }
}
