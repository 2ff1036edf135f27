public import Foundation

/// What a transport reports of an exchange.
public enum TransportEvent: Sendable, Hashable {
  /// The number of bytes of the request's body, from its beginning, that were handed to the system.
  ///
  /// A body that is short enough to be sent at once is not reported on; one that is sent again begins anew.
  case sent(byteCount: Int)
  /// The head of the response.
  case head(HTTPResponse)
  /// The next piece of the body.
  case body(Data)
  /// What the exchange cost, when all of the response has come.
  case metrics(Metrics)
}
