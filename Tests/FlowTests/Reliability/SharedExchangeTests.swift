import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// Shared exchanges that end without an event, as with a log-in whose screen is dismissed.
struct SharedExchangeTests {
  /// Middleware that waits for a prompt the first time, and then for nothing.
  final class Prompting: Middleware {
    enum End: CaseIterable { case deallocated, dropped }

    private let end: End
    private let subject = Guarded<PublishSubject<Void, NetworkError>?>(nil)
    private let observer = Guarded<Observer<Void, NetworkError>?>(nil)
    private let runCount = Guarded(0)
    private let promptCount: Int

    init(_ end: End, promptCount: Int) { (self.end, self.promptCount) = (end, promptCount) }

    var count: Int { runCount.withLock { $0 } }

    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      let count = runCount.withLock { count in
        count += 1
        return count
      }
      return count > promptCount ? next(request) : prompt.flatMap { next(request) }
    }

    private var prompt: Signal<Void, NetworkError> {
      switch end {
      case .deallocated:
        let new = PublishSubject<Void, NetworkError>()
        subject.set(new)
        return new.signal
      case .dropped:
        return Signal { [self] observer in
          self.observer.set(observer)
          return nil
        }
      }
    }

    /// Ends the wait silently, under the lock that `intercept` takes.
    func dismiss() {
      subject.withLock { $0 = nil }
      observer.withLock { $0 = nil }
    }
  }

  private let transport = HandTransport()
  private let request = Request(.get, "http://shop.example/me", options: .with { $0.isCoalesced = true })

  private func client(_ prompting: Prompting, _ transport: (any Transport)? = nil) -> NetworkClient {
    var configuration = NetworkClient.Configuration.open(transport ?? self.transport)
    configuration.processing = .immediate
    configuration.trustedOrigins = [Origin(scheme: "http", host: "shop.example")]
    configuration.middleware = [prompting]
    return NetworkClient(configuration)
  }

  private func recorder(_ client: NetworkClient) -> SignalRecorder<Response<Data>, NetworkError> {
    SignalRecorder(client.exchange(request: request))
  }

  private func text(_ recorder: SignalRecorder<Response<Data>, NetworkError>) -> [String] {
    recorder.values.map { String(decoding: $0.value, as: UTF8.self) }
  }

  @Test(arguments: Prompting.End.allCases) func laterRequestsDoNotJoinIt(_ end: Prompting.End) throws {
    let prompting = Prompting(end, promptCount: 1)
    let client = client(prompting)
    client.exchange(request: request).subscribe { _ in }
    expectEqual(client.scope.parts.sharedExchanges.memberCounts, [1])
    prompting.dismiss()
    expectEqual(client.scope.parts.sharedExchanges.memberCounts, [])
    let later = recorder(client)
    try require(transport.requests.count == 1)
    transport.answer(0, "a")
    expectEqual(text(later), ["a"])
    expectEqual(later.values.first?.source, .network)
  }

  /// Each of them waits for its own prompt, as it would without sharing.
  @Test(arguments: Prompting.End.allCases) func theOthersBeginAnother(_ end: Prompting.End) async throws {
    let prompting = Prompting(end, promptCount: 2)
    let client = client(prompting)
    let recorders = (0..<4).map { _ in recorder(client) }
    recorders[3].dispose()
    expectEqual(prompting.count, 1)
    prompting.dismiss()
    await until { client.scope.parts.sharedExchanges.memberCounts == [2] }
    expectEqual(prompting.count, 2)
    let late = recorder(client)
    prompting.dismiss()
    await until { client.scope.parts.sharedExchanges.memberCounts == [2] && transport.requests.count == 1 }
    expectEqual(prompting.count, 3)
    transport.answer(0, "a")
    expectEqual((recorders + [late]).map(text), [[], [], ["a"], [], ["a"]])
    expectEqual(late.values.first?.source, .shared)
    expectEqual(client.scope.parts.sharedExchanges.memberCounts, [])
  }

  /// Nobody keeps the handle, and nothing of the request can come.
  @Test(arguments: Prompting.End.allCases) func whatWaitsForItIsFreed(_ end: Prompting.End) async {
    let prompting = Prompting(end, promptCount: 1)
    let client = client(prompting)
    let census = Census()
    do {
      let token = census.token()
      client.exchange(request: request).subscribe { _ in token.use() }
    }
    expectEqual(census.alive, 1)
    prompting.dismiss()
    await until { census.alive == 0 }
  }

  /// Below the middleware, too, and with the handles that are kept.
  @Test func aTransportThatEndsSilentlyHoldsUpNobody() async throws {
    let vanishing = VanishingTransport(transport)
    let client = client(Prompting(.dropped, promptCount: 0), vanishing)
    let (first, second) = (recorder(client), recorder(client))
    expect(transport.requests.isEmpty)
    vanishing.vanish()
    await until { transport.requests.count == 1 }
    transport.answer(0, "a")
    expectEqual(text(second), ["a"])
    expect(first.events.isEmpty)
    first.dispose()
  }
}
