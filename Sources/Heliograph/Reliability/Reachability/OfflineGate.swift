import Signals

/// A decorator that fails requests at once while the device has no network.
///
/// Requests fail with a `client` error with the code ``NetworkError/Code/unreachable``, on the subscriber's thread and
/// before `subscribe` returns, and nothing is sent. The gate works over any transport. Requests to this machine
/// (`localhost`, `127.0.0.0/8`, `::1`) always pass. While the status is unknown all requests pass, because a late
/// failure is better than a false one. If requests go through a proxy on this machine, or to hosts that only a separate
/// routing table reaches, leave the gate out or give it ``Reachability/unwatched``.
package final class OfflineGate: DecoratingTransport {
  let next: any ChainedTransport
  /// The source of the network status, read at each subscription; `nil` for the status with which a client has built
  /// the request.
  private let reachability: (any Reachability)?

  package init(_ next: any Transport, reachability: any Reachability = .system) {
    self.next = next.chained
    self.reachability = reachability
  }

  /// Creates a client's stage, which uses the network status with which the request was built.
  init(asBuilt next: any Transport) {
    self.next = next.chained
    reachability = nil
  }

  func start(_ request: HTTPRequest, in context: ExchangeContext) {
    let status = reachability.map { OfflineRule(reachability: $0).status } ?? context.attempt?.status
    // The URL is checked last, because there usually is a network.
    guard status == .unreachable, !request.url.isLocal else { return next.start(request, in: context) }
    context.receive(
      .failed(NetworkError(.unreachable, reason: "offline: the network is unreachable", request: request)))
  }
}
