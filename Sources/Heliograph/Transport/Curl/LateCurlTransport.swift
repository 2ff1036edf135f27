#if HELIOGRAPH_CURL
import Signals

/// A `CurlTransport` with default settings that could not be created yet: each request tries again until one succeeds.
final class LateCurlTransport: Transport {
  private let created = Guarded<CurlTransport?>(nil)

  /// Whether a transport with default settings needs a network.
  var usesNetwork: Bool { !Proxy.environment.isLocal() }

  func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    .deferred { [self] in
      do throws(NetworkError) {
        return try transport().send(request)
      } catch {
        return .fail(error.attaching(request))
      }
    }
  }

  private func transport() throws(NetworkError) -> CurlTransport {
    if let transport = created.withLock({ $0 }) { return transport }
    let new = try CurlTransport()
    return created.withLock { transport in
      // Another request may have created one meanwhile.
      if let transport { return transport }
      transport = new
      return new
    }
  }
}
#endif
