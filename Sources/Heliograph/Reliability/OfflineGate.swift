public import Signals

/// Fails requests at once while the device has no network, over any transport, instead of letting them run into it.
///
/// What is for this very machine (`localhost`, `127.0.0.0/8`, `::1`) always passes. So does everything while the status is
/// unknown: better a request that fails later than one that is kept back by mistake. Where requests go through a proxy on
/// this machine, or to hosts that only a routing table of its own knows, leave the gate out or give it
/// ``Reachability/unwatched``.
public struct OfflineGate: Transport {
  /// What carries each request that passes.
  public let next: any Transport
  /// Who tells whether there is a network; asked at each subscription.
  public let reachability: any Reachability

  /// Makes the decorator.
  ///
  /// - Parameters:
  ///   - next: what carries each request that passes.
  ///   - reachability: who tells whether there is a network. Default: the platform's own.
  public init(_ next: any Transport, reachability: any Reachability = .system) {
    self.next = next
    self.reachability = reachability
  }

  /// Whether what it holds needs a network.
  public var usesNetwork: Bool { next.usesNetwork }

  /// The exchange, or a failure while there is no network.
  ///
  /// - Parameter request: what to send.
  /// - Returns: the signal. Without a network it fails, on the subscriber's thread and before `subscribe` returns, with a
  ///   `client` error with the code ``NetworkError/Code/unreachable``, and nothing is sent.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    .deferred { [next, reachability] in
      if let refusal = OfflineGate.refusal(of: request, at: reachability.status) { return .fail(refusal) }
      return next.send(request)
    }
  }

  /// Why a request is not sent at a status; `nil` if it is.
  static func refusal(of request: HTTPRequest, at status: ReachabilityStatus) -> NetworkError? {
    // The address is looked at last: nearly always there is a network.
    guard status == .unreachable, !request.url.isLocal else { return nil }
    return NetworkError(.client, .unreachable, reason: "no network", request: request)
  }
}
