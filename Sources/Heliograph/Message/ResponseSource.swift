/// The source of a response: the network, the cache or the exchange of another request.
public enum ResponseSource: Sendable, Hashable {
  /// The server.
  case network
  /// The cache alone; `age` is the age of the stored response.
  case cache(age: Duration)
  /// The cache, after the server has confirmed with a 304 that the stored response is current.
  case revalidated
  /// The exchange of an identical request in flight.
  case shared
}

extension ResponseSource {
  /// Whether the response was delivered from the cache, without contacting the server.
  public var isCached: Bool { if case .cache = self { true } else { false } }
}

extension ResponseSource: CustomStringConvertible {
  /// The source as text for logs.
  public var description: String {
    switch self {
    case .network: "network"
    case .cache(let age): "cache, \(age.components.seconds) s old"
    case .revalidated: "cache, revalidated"
    case .shared: "shared exchange"
    }
  }
}
