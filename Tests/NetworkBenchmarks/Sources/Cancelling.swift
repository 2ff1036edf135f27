import Foundation
import Heliograph
import Signals
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What came for one request, before its disposal had returned and after.
final class Watch: Sendable {
  private let isDisposed = Atomic<Bool>(false)
  private let lateCount = Atomic<Int>(0)

  func see() {
    if isDisposed.load(ordering: .sequentiallyConsistent) { lateCount.add(1, ordering: .relaxed) }
  }

  func dispose(_ action: () -> Void) {
    action()
    isDisposed.store(true, ordering: .sequentiallyConsistent)
  }

  var late: Int { lateCount.load(ordering: .relaxed) }
}

/// Starts a request that tells the watch of each event, and returns what cancels it.
private typealias Start = @Sendable (Watch) -> @Sendable () -> Void

extension Client {
  private static let cancelledCount = 1_000

  fileprivate func start(_ address: String) throws -> Start {
    if self == .urlSession {
      let (session, url) = (Client.session(limit: Client.cancelledCount), URL(address: address))
      return { watch in
        let task = session.dataTask(with: url) { _, _, _ in watch.see() }
        task.resume()
        return { task.cancel() }
      }
    }
    let client = try client(limit: Client.cancelledCount)
    let request = Request(.get, RequestPath(address))
    return { watch in
      let handle = client.exchange(request: request).subscribe { _ in watch.see() }
      return { handle.dispose() }
    }
  }

  /// Cancels a thousand requests that are never answered, some rounds of that.
  ///
  /// Before the rounds that count there is one that fills pools and caches.
  fileprivate func measureCancelling(_ scale: Scale) throws -> Sample {
    let server = NeverServerConnection()
    let address = server.start()
    Gauge.raiseDescriptorLimit()
    let start = try start(address)
    var (disposing, closing, resident, late) = ([Double](), [Double](), [Double](), 0)
    for round in 0...scale.cancelRoundCount {
      let watches = (0..<Client.cancelledCount).map { _ in Watch() }
      let cancels = watches.map { start($0) }
      server.waitForRequests(watches.count)
      let began = ContinuousClock.now
      for (watch, cancel) in zip(watches, cancels) { watch.dispose(cancel) }
      let ended = ContinuousClock.now
      let closed = server.waitForCloses(watches.count)
      late += watches.reduce(0) { $0 + $1.late }
      if round == 0 { continue }
      disposing.append(began.duration(to: ended) / .milliseconds(1))
      closing.append(began.duration(to: closed) / .milliseconds(1))
      Gauge.trim()
      resident.append(Gauge.resident)
    }
    server.stop()
    let half = resident.count / 2
    return [
      .disposing: disposing.median, .closing: closing.median, .lateEventCount: Double(late),
      .roundGrowth: resident.suffix(half).mean - resident.prefix(half).mean, .peak: Gauge.peak,
    ]
  }
}

extension Collection<Double> {
  fileprivate var mean: Double { reduce(0, +) / Double(count) }
}

extension Group {
  /// A thousand requests, cancelled while they are in flight.
  static var cancels: Group {
    let clients: [Client] = [.urlSession, .sessionTransport, .curlTransport]
    return Group(
      title: "1,000 in flight, cancelled", figures: [.disposing, .closing, .lateEventCount, .roundGrowth, .peak],
      rate: .closing, roundCount: 3,
      variants: clients.map { client in
        Variant(
          id: "cancel/\(client.rawValue)", title: client.title, rival: "cancel/urlsession", isOurs: client.isOurs,
          work: .swift { _, scale in try client.measureCancelling(scale) })
      })
  }
}
