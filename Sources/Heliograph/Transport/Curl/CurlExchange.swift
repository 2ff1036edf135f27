import Foundation
import Signals

/// An exchange as both sides know it: the subscriber's and the loop's.
final class CurlExchange: Sendable, Queued {
  let request: HTTPRequest
  let observer: Observer<TransportEvent, NetworkError>
  /// What the cap per host counts by.
  var host: String { request.url.host ?? "" }
  let subscribedAt = ContinuousClock.now
  // Touched by the loop's thread only; it lets go of the transfer when that is closed.
  nonisolated(unsafe) var transfer: CurlTransfer?
  // Touched by the loop's thread only: whether it is over or was taken back.
  nonisolated(unsafe) var isOver = false

  init(_ request: HTTPRequest, _ observer: Observer<TransportEvent, NetworkError>) {
    self.request = request
    self.observer = observer
  }

  /// When it must be done at the latest.
  var deadline: ContinuousClock.Instant? { request.deadline.map { subscribedAt + $0 } }

  /// What `timedOut` errors say of it.
  func timeout(_ reason: String, _ metrics: Metrics? = nil) -> NetworkError {
    NetworkError(.network, .timedOut, reason: reason, request: request, metrics: metrics)
  }
}
