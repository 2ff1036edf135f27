import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import Synchronization
import TestSupport
import Testing

/// What a monitor's reports held of earlier attempts is released outside the lock of the record.
struct MonitorReleaseTests {
  /// An error that disposes its own request when it is released, as an object of the app may.
  private final class Owner: Error {
    private let handle: Disposable

    init(_ handle: Disposable) { self.handle = handle }

    deinit { handle.dispose() }
  }

  /// A transport whose every exchange fails with a new error.
  private struct Failing: Transport {
    let handle: Disposable

    func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
      .fail(NetworkError(.connectionLost, underlying: Owner(handle)))
    }
  }

  /// A monitor that keeps nothing, so that a former report is released with the record's reference to it.
  private final class Ends: Monitor {
    let count = Atomic(0)

    func observe(_ event: MonitorEvent) {
      if case .ended = event { count.add(1, ordering: .relaxed) }
    }
  }

  @Test func theErrorOfAFormerAttemptMayDisposeTheRequestWhenItIsReleased() {
    let (clock, handle, ends) = (VirtualScheduler(), Disposable(), Ends())
    var configuration = NetworkClient.Configuration(
      baseURL: URL(string: "https://a.example"), services: [], transport: Failing(handle: handle))
    configuration.scheduler = clock
    configuration.processing = .immediate
    configuration.monitors = [ends]
    configuration.retry = Retry(limit: 3, backoff: .constant(.seconds(1)))
    let client = NetworkClient(configuration)
    client.enqueue(request: Request(.get, "/a"), resultType: Data.self).subscribe(with: handle) { _ in }
    clock.advance(by: .seconds(10))
    expect(handle.isDisposed)
    expectEqual(ends.count.load(ordering: .relaxed), 1)
  }
}
