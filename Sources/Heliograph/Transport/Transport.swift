public import Signals

/// Carries a request to a server and the answer back.
///
/// A transport that holds another one and passes requests on to it is a decorator: that is how whatever is needed before
/// and after the wire is built.
public protocol Transport: Sendable {
  /// The exchange as a signal: cold, so nothing is sent before it is subscribed to, and each subscription sends once.
  ///
  /// It sends one head, then the body in pieces, then what it cost if it knows, and completes. Disposing it cancels the exchange
  /// and closes or frees its connection. Failures are of the `network` or `client` domain.
  func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError>

  /// Whether it needs a network to work: what answers by itself is asked while there is none.
  ///
  /// Default: `true`. A decorator says what the transport that it holds says.
  var usesNetwork: Bool { get }
}

extension Transport {
  /// `true`.
  public var usesNetwork: Bool { true }
}
