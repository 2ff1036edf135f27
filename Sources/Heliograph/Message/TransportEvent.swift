public import Foundation

/// What a transport reports of an exchange.
public enum TransportEvent: Sendable, Hashable {
  /// The head of the response.
  case head(HTTPResponse)
  /// The next piece of the body.
  case body(Data)
  /// What the exchange cost, when all of the response has come.
  ///
  /// It is passed on by reference: by value it would make every event as large.
  indirect case metrics(Metrics)
}
