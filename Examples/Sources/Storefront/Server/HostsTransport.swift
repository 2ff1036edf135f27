import Foundation
import Heliograph

/// A decorator that sends requests to a server on this machine under a public name, as a hosts file does.
///
/// A client always sends requests to this machine, also without a network; under a public name it does not.
struct HostsTransport: Transport {
  /// A reserved name that is never registered (RFC 2606).
  static let publicURL = URL(string: "https://catalogue.example")

  let next: any Transport
  /// The base URL of the server.
  let baseURL: URL

  var usesNetwork: Bool { next.usesNetwork }

  func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    var local = request
    if var components = URLComponents(url: request.url, resolvingAgainstBaseURL: true) {
      (components.scheme, components.host, components.port) = (baseURL.scheme, baseURL.host(), baseURL.port)
      local.url = components.url ?? request.url
    }
    return next.send(local).map { event in
      guard case .head(var head) = event else { return event }
      // To the client and its cache, another URL would be a redirect.
      head.url = request.url
      return .head(head)
    }
  }
}
