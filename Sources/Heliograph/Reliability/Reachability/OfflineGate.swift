package import Signals

/// A decorator that fails requests at once while the device has no network.
///
/// It works over any transport. Requests to this machine (`localhost`, `127.0.0.0/8`, `::1`) always pass. While the
/// status is unknown all requests pass, because a late failure is better than a wrong refusal. If requests go through a
/// proxy on this machine, or to hosts that only a separate routing table reaches, leave the gate out or give it
/// ``Reachability/unwatched``.
package struct OfflineGate: Transport {
  /// The transport that sends the requests that pass.
  package let next: any Transport
  /// The source of the network status; read at each subscription.
  package let reachability: any Reachability

  /// Creates the decorator.
  ///
  /// - Parameters:
  ///   - next: the transport that sends the requests that pass.
  ///   - reachability: the source of the network status. Default: the platform's own.
  package init(_ next: any Transport, reachability: any Reachability = .system) {
    self.next = next
    self.reachability = reachability
  }

  /// Whether the wrapped transport needs a network.
  package var usesNetwork: Bool { next.usesNetwork }

  /// Sends the request, or fails while there is no network.
  ///
  /// - Parameter request: the request to send.
  /// - Returns: a signal of the exchange. Without a network nothing is sent, and the signal fails with a `client` error
  ///   with the code ``NetworkError/Code/unreachable``, on the subscriber's thread and before `subscribe` returns.
  package func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    .deferred { [next, reachability] in
      if let refusal = OfflineGate.refusal(of: request, at: reachability.status) { return .fail(refusal) }
      return next.send(request)
    }
  }

  /// Returns the error for a request that is not sent at a status; `nil` if it is sent.
  static func refusal(of request: HTTPRequest, at status: ReachabilityStatus) -> NetworkError? {
    // The URL is checked last, because there nearly always is a network.
    guard status == .unreachable, !request.url.isLocal else { return nil }
    return NetworkError(.unreachable, reason: "no network", request: request)
  }
}
