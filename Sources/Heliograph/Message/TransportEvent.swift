public import Foundation

/// An event of an exchange, as a transport reports it.
public enum TransportEvent: Sendable, Hashable {
  /// The number of bytes of the request's body that were handed to the system so far.
  ///
  /// A body that is short enough to be sent at once may not be reported. When a body is sent again, the count starts
  /// again.
  case sent(byteCount: Int)
  /// The number of bytes of the response's body that the system has received so far, and their total if it is known.
  ///
  /// Only a transport that delivers the body later reports it, before the head, and for successful responses only. The
  /// pieces of the body are not counted again. When the system sends the request again, the count starts again.
  case received(byteCount: Int, totalByteCount: Int?)
  /// The source of the response that follows, if it is not the network; before its head.
  case source(ResponseSource)
  /// The head of the response.
  case head(HTTPResponse)
  /// The next piece of the body.
  case body(Data)
  /// The metrics of the exchange, when the whole response has arrived.
  indirect case metrics(Metrics)
}
