import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// A token refresh without a network.
struct OfflineRefreshTests: WaitingTests {
  let maker = WaitingClient()
  private let failures = CurrentValue<[NetworkError.Code]>([])

  init() {
    network.set(.reachable)
    stub.on(.get, "/a", .status(401), .status(401), .json("1"))
    stub.on(.post, "/token", .json(#""new""#))
  }

  /// A client whose network is lost when each of its first refreshes begins.
  private func client(
    losing count: Int = 1, limit: Int = 3, _ configure: (inout NetworkClient.Configuration) -> Void = { _ in }
  ) -> NetworkClient {
    let losses = CurrentValue(count)
    return maker.make(network) { configuration in
      configuration.recoveries = [
        Recovery(limit: limit, scheduler: scheduler) { [network] client in
          if losses.value > 0 { network.set(.unreachable) }
          losses.value -= 1
          return client.enqueue(request: Request(.post, "/token"), resultType: String.self)
        } onFailure: { [failures] error in
          failures.modify { $0.append(error.code) }
        }
      ]
      configure(&configuration)
    }
  }

  private func recorder(
    _ client: NetworkClient, _ request: Request = Request(.get, "/a")
  ) -> SignalRecorder<Response<Int>, NetworkError> {
    SignalRecorder(client.enqueue(request: request, resultType: Int.self))
  }

  private var waitingPaths: [String] {
    log.events.compactMap { if case .waiting(let request) = $0 { request.url.path } else { nil } }
  }

  @Test func theRequestWaitsAndIsSentAgain() {
    let recorder = recorder(client())
    // Longer than the timeout of a refresh.
    scheduler.advance(by: .seconds(60))
    expect(!recorder.hasEnded)
    expectEqual(waitingPaths, ["/a"])
    network.set(.reachable)
    expectEqual(recorder.values.map(\.value), [1])
    expect(recorder.isCompleted)
    expectEqual(stub.requests.map(\.url.path), ["/a", "/a", "/token", "/a"])
    expectEqual(failures.value, [])
  }

  /// The rule about orders that may have arrived is for the request: the server has rejected it.
  @Test func theRequestAlsoWaitsIfTheRefreshMayHaveArrived() {
    var metrics = Metrics()
    metrics.sentAt = .milliseconds(1)
    stub.on(.post, "/token", .failure(NetworkError(.unreachable, metrics: metrics)), .json(#""new""#))
    let recorder = recorder(client(losing: 0))
    scheduler.advance(by: .milliseconds(999))
    expectEqual(stub.requests.count, 2)
    scheduler.advance(by: .milliseconds(1))
    expectEqual(recorder.values.map(\.value), [1])
    expectEqual(failures.value, [])
  }

  @Test func aNetworkThatReturnsDuringTheRefreshEndsTheWaitAtOnce() {
    network.set(.unknown)
    stub.on(.get, "/a", .status(401))
    stub.on(.post, "/token") { [network] _ in
      network.set(.reachable)
      return .failure(NetworkError(.unreachable))
    }
    let recorder = recorder(client(losing: 0))
    func refreshCount() -> Int { stub.requests.filter { $0.url.path == "/token" }.count }
    // The second refresh began with a network, so its failure is no news of one.
    expectEqual(refreshCount(), 2)
    scheduler.advance(by: .seconds(1))
    expectEqual(refreshCount(), 3)
    expect(!recorder.hasEnded)
    expectEqual(failures.value, [])
  }

  /// The request fails, as after any connection that is lost in flight, and nobody is signed out.
  @Test func aNetworkThatIsLostDuringTheExchangeSaysNothingAboutTheCredentials() {
    stub.on(.post, "/token") { [network] _ in
      network.set(.unreachable)
      return .failure(NetworkError(.connectionLost))
    }
    let recorder = recorder(client(losing: 0) { $0.retry = .never })
    scheduler.advance(by: .seconds(60))
    expectEqual(recorder.failure?.code, .connectionLost, "\(recorder.events)")
    expectEqual(recorder.failure?.isOffline, true)
    expectEqual(failures.value, [])
  }

  @Test func theTotalTimeoutBoundsTheWait() {
    let recorder = recorder(client { $0.totalTimeout = .seconds(40) })
    scheduler.advance(by: .seconds(39))
    expect(!recorder.hasEnded)
    scheduler.advance(by: .seconds(1))
    expectEqual(recorder.failure?.code, .timedOut)
    expect(recorder.failure?.reason.contains("waiting for a network connection") == true)
    expectEqual(failures.value, [])
  }

  @Test func aRequestThatDoesNotWaitFailsAndTheUserStaysSignedIn() {
    let recorder = recorder(client { $0.waitsForConnectivity = false })
    expectEqual(recorder.failure?.code, .unreachable)
    expectEqual(failures.value, [])
    expectEqual(waitingPaths, [])
  }

  @Test func theRefreshFailsAtOnceAlsoIfItsClientWaits() {
    let request = Request(.get, "/a", options: .with { $0.waitsForConnectivity = false })
    expectEqual(recorder(client(), request).failure?.code, .unreachable)
  }

  /// The refresh sends its request with another library.
  @Test(arguments: [false, true]) func anotherLibraryWithoutANetworkSignsNobodyOut(_ waits: Bool) async {
    let count = CurrentValue(0)
    let client = maker.make(network) {
      $0.waitsForConnectivity = waits
      $0.recoveries = [
        Recovery(limit: 1, scheduler: scheduler) { _ async throws in
          count.modify { $0 += 1 }
          if count.value == 1 { throw URLError(.notConnectedToInternet) }
        } onFailure: { [failures] error in
          failures.modify { $0.append(error.code) }
        }
      ]
    }
    stub.on(.get, "/a", .status(401), .status(401), .json("1"))
    let recorder = recorder(client)
    if waits {
      await until { log.names.contains("waiting 1") && scheduler.pendingCount > 0 }
      scheduler.advance(by: .seconds(1))
    }
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.isOffline, waits ? nil : true)
    expectEqual(recorder.values.map(\.value), waits ? [1] : [])
    expectEqual(failures.value, [])
  }

  @Test func aStoredResponseIsDeliveredInPlaceOfWaiting() {
    stub.on(.get, "/a", .json("1"), .status(401))
    let client = client()
    let request = Request(.get, "/a", cache: .networkThenCache)
    expectEqual(recorder(client, request).values.map(\.value), [1])
    let offline = recorder(client, request)
    expectEqual(offline.values.map(\.value), [1])
    expectEqual(offline.values.first?.source.isCached, true)
    expect(offline.isCompleted)
    expectEqual(waitingPaths, [])
  }

  @Test func aRefreshWithoutANetworkDoesNotCountTowardsTheLimit() {
    stub.on(.get, "/a", .status(401), .status(401), .status(401), .json("1"))
    let recorder = recorder(client(losing: 2, limit: 1))
    network.set(.reachable)
    expect(!recorder.hasEnded)
    network.set(.reachable)
    expectEqual(recorder.values.map(\.value), [1])
    expectEqual(stub.requests.filter { $0.url.path == "/token" }.count, 1)
  }
}
