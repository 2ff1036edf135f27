public import Signals

/// A type that sends a request and delivers the response.
///
/// A transport that wraps another one and passes requests on to it is a decorator. Everything that happens before or
/// after the network exchange, such as redirects and cookies, is done by a decorator.
public protocol Transport: Sendable {
  /// Returns a cold signal of the exchange: each subscription sends the request once, and nothing is sent before a
  /// subscription.
  ///
  /// The signal sends one head, then the body in pieces, then the metrics if the transport has them, and completes.
  /// Disposing it cancels the exchange and closes or releases its connection. Failures have the domain `network` or
  /// `client`. A signal that drops its observer without an end ends the request silently: monitors report it as
  /// cancelled.
  func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError>

  /// Whether the transport needs a network; a transport that needs none is used even while the device is offline.
  ///
  /// Default: `true`. A decorator returns the value of the transport that it wraps.
  var usesNetwork: Bool { get }
}

extension Transport {
  /// The default: `true`.
  public var usesNetwork: Bool { true }
}
