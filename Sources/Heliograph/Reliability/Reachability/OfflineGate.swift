/// A decorator that fails requests at once while the device has no network.
///
/// The status is that with which the client has built the request. Requests fail with a `client` error with the code
/// ``NetworkError/Code/unreachable``, on the subscriber's thread and before `subscribe` returns, and nothing is sent.
/// Requests to this machine (`localhost`, `127.0.0.0/8`, `::1`) always pass. While the status is unknown all requests
/// pass, because a late failure is better than a false one. If requests go through a proxy on this machine, or to hosts
/// that only a separate routing table reaches, give the client ``Reachability/unwatched``.
final class OfflineGate: DecoratingTransport {
  let next: any ChainedTransport

  init(_ next: any Transport) { self.next = next.chained }

  func start(_ request: HTTPRequest, in context: ExchangeContext) {
    // The URL is checked last, because there usually is a network.
    guard context.attempt?.status == .unreachable, !request.url.isLocal else {
      return next.start(request, in: context)
    }
    context.receive(
      .failed(NetworkError(.unreachable, reason: "offline: the network is unreachable", request: request)))
  }
}
