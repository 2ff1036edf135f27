/// A decorator that fails requests, on the subscriber's thread, while the device has no network.
///
/// The status is that with which the client has built the request. Requests to this machine always pass, and while the
/// status is unknown all requests do, because a late failure is better than a false one.
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
